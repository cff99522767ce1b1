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

/// How much of a file is read: its dictionary, also the samples, also their
/// times as Profile::Events.
enum class OTLPParts { Tables, Samples, Events };

/// Profiles of OpenTelemetry: a message ProfilesData, or the body of a request
/// that exports profiles, which has the same fields, in binary or as JSON.
///
/// Like PprofFile, this keeps the file as it was read: writing it changes only
/// what was changed in profile(), and unknown fields of a binary file are kept.
class OTLPFile {
public:
  /// Reads \p File, which must not be compressed. Fails if it is not such a
  /// file or is truncated. A malformed message is left out, with one warning
  /// for each kind of problem; fields that the schema does not have are
  /// reported with the version of the schema.
  ///
  /// The profiles of a file share their tables and become one Profile: each
  /// kind of value becomes a value type, and a sample has zero for the other
  /// types. The observations of a sample are added up. There are events if each
  /// sample has the times of its observations; they take four times the memory
  /// that the times take in a file. \p Parts says what is read.
  static llvm::Expected<OTLPFile> read(std::unique_ptr<llvm::MemoryBuffer> File,
                                       OTLPParts Parts, WarningFunction Warn);

  /// Whether \p Bytes, which must not be compressed, may be such a file, in
  /// binary or as JSON.
  static bool mayBe(llvm::StringRef Bytes);

  Profile &profile() { return Contents; }

  /// Whether the file was read from JSON.
  bool isJSON() const { return IsJSON; }

  /// Whether write() keeps all that the file has: no message is malformed, and
  /// JSON has no names that the schema lacks. Only of the tables if only those
  /// were read.
  bool isWhole() const { return IsWhole; }

  /// Writes the file with the changes to profile(): functions and strings that
  /// were added and are used go to the ends of their tables, and locations that
  /// are marked as changed are replaced.
  void write(llvm::raw_ostream &OS) const;

private:
  OTLPFile() = default;

  /// The file in binary; Contents refers to it.
  std::unique_ptr<llvm::MemoryBuffer> Bytes;
  bool IsJSON = false;
  bool IsWhole = true;
  Profile Contents;
  /// The sizes of the file's tables, including the empty entries that they
  /// begin with.
  uint32_t FileStrings = 0;
  uint32_t FileFunctions = 0;
};

/// Writes \p P, which may come from any source, as a message ProfilesData: a
/// profile for each type of value.
void writeOTLP(const Profile &P, llvm::raw_ostream &OS);

/// Writes \p Message, a message ProfilesData in binary, as JSON, according to
/// the specification of OTLP: names in lowerCamelCase, numbers of 64 bits as
/// strings, traceId, spanId and (as OpenTelemetry's Collector) profileId in
/// hexadecimal digits, other bytes in base 64. Fields that the schema does not
/// have and values nested deeper than 100 levels are left out, with one
/// warning.
void writeOTLPJSON(llvm::StringRef Message, llvm::raw_ostream &OS,
                   WarningFunction Warn);

/// Converts \p Text, a message ProfilesData as JSON, to binary. Fails if it is
/// malformed; the error names \p Name and the place. Names that the schema does
/// not have are ignored, as OTLP demands, with one warning.
llvm::Expected<std::string>
readOTLPJSON(llvm::StringRef Text, llvm::StringRef Name, WarningFunction Warn);

} // namespace lidia

#endif // LIDIA_PROFILE_OTLP_H
