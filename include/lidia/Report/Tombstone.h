//===- Tombstone.h - Crashes that Android has kept --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Android keeps a crash twice: as text (tombstone_00), and as a protobuf
/// message (tombstone_00.pb), which programs also get from
/// ApplicationExitInfo.getTraceInputStream(). The message is that of
/// debuggerd/proto/tombstone.proto in Android's system/core.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_REPORT_TOMBSTONE_H
#define LIDIA_REPORT_TOMBSTONE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace lidia {

/// Whether a tombstone as a protobuf message may begin with \p FirstBytes. No
/// text does.
bool mayBeTombstone(llvm::StringRef FirstBytes);

/// Whether \p Bytes, a whole file, are a tombstone. It may be cut off.
bool isTombstone(llvm::StringRef Bytes);

/// The tombstone \p Bytes as the text that Android writes of the same crash,
/// without registers' memory, logs and open files. Its size is bounded by that
/// of the message. A message that is cut off ends with a line that says so.
std::string tombstoneText(llvm::StringRef Bytes);

} // namespace lidia

#endif // LIDIA_REPORT_TOMBSTONE_H
