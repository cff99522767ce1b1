//===- ProfileFormats.h - Functions of profile formats ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_PROFILEFORMATS_H
#define LIDIA_LIB_PROFILE_PROFILEFORMATS_H

#include "lidia/Profile/ProfileFile.h"

namespace lidia {

#define PROFILE_INPUT(ID, NAME)                                                \
  bool recognise##ID(llvm::StringRef Bytes);                                   \
  llvm::Error read##ID(std::unique_ptr<llvm::MemoryBuffer> Bytes,              \
                       const ProfileReadOptions &Options,                      \
                       WarningFunction Warn, ProfileFile &Into);
#define PROFILE_OUTPUT(ID, NAME, ENDING)                                       \
  void write##ID(const ProfileFile &File, llvm::raw_ostream &OS,               \
                 WarningFunction Warn);
#define PROFILE_INOUT(ID, NAME, ENDING, FAMILY, PACKED)                        \
  PROFILE_INPUT(ID, NAME)                                                      \
  PROFILE_OUTPUT(ID, NAME, ENDING)                                             \
  uint64_t estimate##ID(const Profile &P);
#include "lidia/Profile/Formats.def"

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_PROFILEFORMATS_H
