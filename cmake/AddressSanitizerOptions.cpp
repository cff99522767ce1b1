//===- AddressSanitizerOptions.cpp - Options of sanitized programs --------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's packages are built without AddressSanitizer. A BumpPtrAllocator whose
// slabs our code poisons and LLVM's code hands out, or the reverse, gives
// reports without a fault; which of the two the linker takes is chance.
//
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options();

const char *__asan_default_options() { return "allow_user_poisoning=0"; }
