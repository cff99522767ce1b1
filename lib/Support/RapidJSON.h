//===- RapidJSON.h - RapidJSON's reader, for sanitizers too -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SUPPORT_RAPIDJSON_H
#define LIDIA_LIB_SUPPORT_RAPIDJSON_H

// RapidJSON adds offsets to its stack's null pointer before it allocates
// memory.
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("pointer-overflow"))), \
                             apply_to = function)
#endif
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#ifdef __clang__
#pragma clang attribute pop
#endif

#endif // LIDIA_LIB_SUPPORT_RAPIDJSON_H
