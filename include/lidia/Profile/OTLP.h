//===- OTLP.h - Profiles of OpenTelemetry -----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROFILE_OTLP_H
#define LIDIA_PROFILE_OTLP_H

#include "lidia/Process/Mappings.h"
#include "lidia/Profile/Profile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>

namespace lidia {

/// The version of github.com/open-telemetry/opentelemetry-proto whose messages
/// opentelemetry.proto.profiles.v1development are read and written. That
/// package changes: 1.10.0 gave the fields of Sample other numbers than 1.9.0.
inline constexpr char OTLPSchemaVersion[] = "1.11.0";

/// Profiles of OpenTelemetry: a message ProfilesData, or the body of a request
/// that exports profiles, which has the same fields, in binary or as JSON.
///
/// Like PprofFile, it is kept as it was read: writing it changes nothing but
/// what was changed in profile(), and in binary keeps fields that we do not
/// know.
class OTLPFile {
public:
  /// Reads \p File, which is not packed. Fails if it is not such a file or is
  /// cut off. What is wrong within a message costs that message, with one
  /// warning for each kind; what the schema does not have is reported, too,
  /// with its version.
  ///
  /// The profiles of a file share their tables and become one: each kind of
  /// value is a type of the samples, and a sample has zero for the others. The
  /// observations of a sample are added up. Samples, which only some uses need,
  /// are read if \p WithSamples.
  static llvm::Expected<OTLPFile> read(std::unique_ptr<llvm::MemoryBuffer> File,
                                       bool WithSamples, WarningFunction Warn);

  /// Whether \p Bytes, not packed, may be such a file, in binary or as JSON.
  static bool mayBe(llvm::StringRef Bytes);

  Profile &profile() { return Contents; }

  /// Whether it was read from JSON.
  bool isJSON() const { return IsJSON; }

  /// Writes the file with the changes to profile(): functions and strings that
  /// were added and are used, at the ends of their tables, and locations that
  /// are marked as changed.
  void write(llvm::raw_ostream &OS) const;

private:
  OTLPFile() = default;

  /// In binary; Contents refers to it.
  std::unique_ptr<llvm::MemoryBuffer> Bytes;
  bool IsJSON = false;
  Profile Contents;
  /// The entries of the file's tables, with the empty ones that they begin
  /// with.
  uint32_t FileStrings = 0;
  uint32_t FileFunctions = 0;
};

/// Writes \p P, from whatever source, as a message ProfilesData: a profile for
/// each type of value.
void writeOTLP(const Profile &P, llvm::raw_ostream &OS);

/// Writes \p Message, a message ProfilesData in binary, as JSON, after the
/// specification of OTLP: names in lowerCamelCase, numbers of 64 bits as
/// strings, traceId, spanId and (as OpenTelemetry's Collector) profileId in
/// hexadecimal digits, other bytes in base 64. Fields that the schema does not
/// have are left out, with one warning; values nested deeper than 100 levels,
/// too.
void writeOTLPJSON(llvm::StringRef Message, llvm::raw_ostream &OS,
                   WarningFunction Warn);

/// The message ProfilesData in binary that \p Text, JSON, stands for. Fails if
/// it is malformed; the error says \p Name and where. Names that the schema
/// does not have are ignored, as OTLP demands, with one warning.
llvm::Expected<std::string>
readOTLPJSON(llvm::StringRef Text, llvm::StringRef Name, WarningFunction Warn);

} // namespace lidia

#endif // LIDIA_PROFILE_OTLP_H
