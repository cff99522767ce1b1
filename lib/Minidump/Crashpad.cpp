//===- Crashpad.cpp - Crashpad's additions to a minidump ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MinidumpReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace llvm::minidump;

namespace lidia {

/// Crashpad's kMinidumpStreamTypeCrashpadInfo.
constexpr auto CrashpadStream = StreamType(0x43500001);

namespace {
/// MinidumpCrashpadInfo, without the modules' own annotations.
struct CrashpadHeader {
  support::ulittle32_t Version;
  uint8_t ReportID[16];
  uint8_t ClientID[16];
  LocationDescriptor Annotations;
};

/// MinidumpSimpleStringDictionaryEntry.
struct AnnotationEntry {
  support::ulittle32_t Key;
  support::ulittle32_t Value;
};
} // namespace

static std::string textOfGUID(ArrayRef<uint8_t> Bytes) {
  if (all_of(Bytes, [](uint8_t B) { return B == 0; }))
    return "";
  return toHex(DebugID::ofGUID(Bytes).UUID, /*LowerCase=*/true);
}

void readCrashpadInfo(MinidumpReader &R, Minidump &To) {
  auto H = R.first<CrashpadHeader>(CrashpadStream);
  if (!H)
    return;
  CrashpadInfo Info;
  Info.ReportID = textOfGUID(H->ReportID);
  Info.ClientID = textOfGUID(H->ClientID);
  constexpr size_t Max = 1 << 20;
  std::vector<uint8_t> Bytes = R.bytes(H->Annotations, Max);
  if (Bytes.size() >= sizeof(uint32_t))
    for (const AnnotationEntry &E : R.entries<AnnotationEntry>(
             ArrayRef(Bytes).drop_front(sizeof(uint32_t)),
             support::endian::read32le(Bytes.data()), sizeof(AnnotationEntry),
             "annotations"))
      Info.Annotations.emplace_back(R.textUTF8(E.Key), R.textUTF8(E.Value));
  To.Crashpad = std::move(Info);
}

} // namespace lidia
