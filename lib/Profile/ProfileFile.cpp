//===- ProfileFile.cpp - Reading and writing profiles of any format -------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gzip.h"
#include "PerfScript.h"
#include "ProfileFormats.h"
#include "lidia/Error.h"
#include "lidia/Object/FileKind.h"
#include "lidia/Profile/ProfilePrinters.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

static constexpr ProfileFormat Formats[] = {
#define PROFILE_INPUT(ID, NAME)                                                \
  {NAME, "", "", false, recognise##ID, read##ID, nullptr, nullptr},
#define PROFILE_OUTPUT(ID, NAME, ENDING)                                       \
  {NAME, ENDING, "", false, nullptr, nullptr, write##ID, estimateText},
#define PROFILE_INOUT(ID, NAME, ENDING, FAMILY, PACKED)                        \
  {NAME,          ENDING,   FAMILY,    PACKED,                                 \
   recognise##ID, read##ID, write##ID, estimate##ID},
#include "lidia/Profile/Formats.def"
};

const ProfileFormat *findProfileFormat(StringRef Name) {
  const auto *Found =
      find_if(Formats, [&](const ProfileFormat &F) { return F.Name == Name; });
  return Found == std::end(Formats) ? nullptr : Found;
}

const ProfileFormat *profileFormatOfPath(StringRef Path) {
  Path.consume_back(".gz");
  const ProfileFormat *Best = nullptr;
  for (const ProfileFormat &F : Formats)
    if (!F.Ending.empty() && Path.ends_with(F.Ending) &&
        (!Best || F.Ending.size() > Best->Ending.size()))
      Best = &F;
  return Best;
}

template <typename Predicate> static std::string namesOf(Predicate Has) {
  std::vector<std::string> Names;
  for (const ProfileFormat &F : Formats)
    if (Has(F))
      Names.push_back(F.Name.str());
  std::string Last = Names.back();
  Names.pop_back();
  return join(Names, ", ") + " or " + Last;
}

std::string namesOfReadFormats() {
  return namesOf([](const ProfileFormat &F) { return F.Read != nullptr; });
}

std::string namesOfWrittenFormats() {
  return namesOf([](const ProfileFormat &F) { return F.Write != nullptr; });
}

const ProfileFormat &ProfileFile::ownOutput() const {
  return Format->Family.empty() ? *findProfileFormat("pprof") : *Format;
}

/// Recognises profiles that pprof reads, and this library does not.
static bool isOlderPprof(StringRef Bytes) {
  // Words of 4 or 8 bytes: 0, 3, 0.
  constexpr StringRef CPU32 =
      StringLiteral::withInnerNUL("\0\0\0\0\3\0\0\0\0\0\0\0");
  constexpr StringRef CPU64 = StringLiteral::withInnerNUL(
      "\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
  constexpr StringRef Texts[] = {"heap profile:", "heap_v2/", "heapz ", "--- ",
                                 "growthz "};
  return Bytes.starts_with(CPU32) || Bytes.starts_with(CPU64) ||
         any_of(Texts, [&](StringRef T) { return Bytes.starts_with(T); });
}

static Expected<const ProfileFormat *> recognise(const MemoryBuffer &File) {
  StringRef Bytes = File.getBuffer();
  StringRef Name = File.getBufferIdentifier();
  if (isOlderPprof(Bytes))
    return make_error<UnsupportedError>(Name,
                                        "in an older pprof format: convert it "
                                        "with 'pprof -proto PROGRAM FILE'");
  for (const ProfileFormat &F : Formats)
    if (F.Recognise && F.Recognise(Bytes))
      return &F;
  return make_error<UnsupportedError>(Name,
                                      "not a pprof or OpenTelemetry profile, "
                                      "perf recording, text of perf script or "
                                      "folded stacks");
}

const ProfileFormat *recogniseProfile(StringRef Bytes) {
  for (const ProfileFormat &F : Formats) {
    if (!F.Recognise || !F.Recognise(Bytes))
      continue;
    if (F.Name == "otlp-json")
      return Bytes.contains("\"resourceProfiles\"") ? &F : nullptr;
    if (F.Name == "perf-script")
      return hasPerfScriptSample(Bytes) ? &F : nullptr;
    return &F;
  }
  return nullptr;
}

Expected<ProfileFile> readProfile(std::unique_ptr<MemoryBuffer> File,
                                  const ProfileReadOptions &Options,
                                  WarningFunction Warn) {
  ProfileFile Result;
  Result.WasPacked = fileKind(File->getBuffer()) == FileKind::Gzip;
  Result.Name = File->getBufferIdentifier().str();
  if (Error E = unpackProfile(std::move(File)).moveInto(File))
    return E;
  Result.IsSelected = Options.Selects;
  Result.Format = Options.Format;
  if (!Result.Format)
    if (Error E = recognise(*File).moveInto(Result.Format))
      return E;
  if (Error E = Result.Format->Read(std::move(File), Options, Warn, Result))
    return E;
  return Result;
}

/// The name of an event without the modifiers that perf may add, as in
/// "page-faults:u".
static StringRef withoutModifiers(StringRef Event) {
  auto [Name, Modifiers] = Event.rsplit(':');
  bool AreModifiers =
      Modifiers.find_first_not_of("ukhGHIpPSDWeb") == StringRef::npos;
  return AreModifiers ? Name : Event;
}

Error selectSampleType(Profile &P, StringRef Index) {
  if (Index.empty())
    return Error::success();
  uint32_t Number = 0;
  if (!Index.getAsInteger(10, Number) && Number < P.SampleTypes.size()) {
    P.DefaultSampleType = Number;
    return Error::success();
  }
  std::vector<std::string> Names;
  for (const Profile::ValueType &T : P.SampleTypes)
    Names.push_back(P.Strings[T.Type].str());
  auto Found = find(Names, Index);
  if (Found == Names.end())
    Found = find_if(
        Names, [&](StringRef Name) { return withoutModifiers(Name) == Index; });
  if (Found != Names.end()) {
    P.DefaultSampleType = uint32_t(Found - Names.begin());
    return Error::success();
  }
  return make_error<ArgumentError>("", "the profile has no '" + Index +
                                           "', only " + join(Names, ", "));
}

Error writeProfile(const ProfileFile &File, const ProfileFormat &Output,
                   std::optional<bool> Packed, raw_ostream &OS,
                   WarningFunction Warn) {
  const Profile &P = File.profile();
  bool IsKept = File.isKeptIn(Output);
  if (!IsKept)
    if (Error E = P.checkOutput(Output.Estimate(P), File.Name))
      return E;
  // A selection has its own warning.
  if (!Output.Read && P.Samples.empty() && !File.IsSelected)
    Warn(File.Name + ": has no samples");
  auto WriteTo = [&](raw_ostream &To) { Output.Write(File, To, Warn); };
  if (Packed.value_or(IsKept ? File.WasPacked : Output.IsPacked))
    writeGzip(OS, WriteTo);
  else
    WriteTo(OS);
  return Error::success();
}

} // namespace lidia
