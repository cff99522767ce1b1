//===- AddressSpaceRTTI.cpp - Type information of AddressSpace ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiled with RTTI, and the place of the class's type information, so that
/// programs with RTTI can derive from it.
///
//===----------------------------------------------------------------------===//

#include "Modules/ForeignFile.h"
#include "lidia/Process/AddressSpace.h"

using namespace lidia;

AddressSpace::~AddressSpace() = default;
