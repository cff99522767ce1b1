//===- Lookups.cpp - Lookups in the C interface ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modules/ELFHeaders.h"
#include "Names.h"
#include "Objects.h"
#include "lidia/Error.h"
#include "lidia/Symbolize/Symbolizer.h"
#include <optional>

using namespace lidia;
using namespace llvm;

namespace {

/// Texts of one kind (names, paths). Each is copied once and terminated by a
/// NUL byte.
class TextCache {
public:
  /// \p ArchiveSize is the size of the archive that has the texts, in bytes.
  explicit TextCache(uint64_t ArchiveSize)
      : ArchiveSize(ArchiveSize), Left(Spare + PerByte * ArchiveSize) {}

  /// The text that \p Text returns for the string at \p Key; none if the total
  /// size of the texts would exceed that of any archive that was not crafted.
  template <typename GetText>
  std::optional<StringRef> get(StringOffset Key, GetText Text) {
    // DenseMap reserves the last keys.
    if (Key >= ArchiveSize)
      return StringRef("");
    auto It = Texts.find(Key);
    if (It != Texts.end())
      return It->second;
    StringRef Found = Text();
    if (Found.size() >= Left)
      return std::nullopt;
    Left -= Found.size() + 1;
    return Texts[Key] = Saver.save(Found);
  }

private:
  /// References into the middle of strings can expand a megabyte to terabytes.
  static constexpr uint64_t Spare = 16 << 20, PerByte = 8;

  uint64_t ArchiveSize;
  uint64_t Left;
  BumpPtrAllocator Allocator;
  StringSaver Saver{Allocator};
  DenseMap<StringOffset, StringRef> Texts;
};

} // namespace

struct lidia_lookup {
  lidia_lookup(std::shared_ptr<const Archive> From,
               const SymbolizerOptions &Options, unsigned Threads,
               bool AreOffsets)
      : A(std::move(From)), Tool(*A, Options), Threads(Threads),
        AreOffsets(AreOffsets), Segments(AreOffsets ? headersOf(*A) : nullptr) {
  }

  /// The address in the archive of \p Given. No code is at the last address.
  uint64_t addressOf(uint64_t Given) const {
    if (!AreOffsets)
      return Given;
    std::optional<uint64_t> Found;
    if (Segments)
      Found = Segments->addressAt(Given, /*Executable=*/true);
    return Found.value_or(UINT64_MAX);
  }

  /// The frames of the address at \p Index.
  ArrayRef<Frame> frames(size_t Index) const {
    return IsSingle ? Single : Tool.prepared(Index);
  }

  std::shared_ptr<const Archive> A;
  Symbolizer Tool;
  unsigned Threads;
  bool AreOffsets;
  /// Null if the archive does not say where code is in the file.
  std::unique_ptr<ELFHeaders> Segments;
  std::vector<uint64_t> Addresses;
  /// Whether the lookup has one address, which was not prepared.
  bool IsSingle = false;
  ArrayRef<Frame> Single;
  TextCache Names{A->size()};
  TextCache Files{A->size()};
};

void lidia::setNameOptions(uint32_t Flags, SymbolizerOptions &Options) {
  Options.Functions = Flags & LIDIA_LOOKUP_SHORT_NAMES
                          ? DINameKind::ShortName
                          : DINameKind::LinkageName;
  Options.Demangle = Flags & LIDIA_LOOKUP_DEMANGLE;
  Options.Rust = OlderRust::Plain;
  Options.Text = TextForm::Raw;
}

lidia_status lidia_lookup_create(const lidia_archive *archive,
                                 const lidia_lookup_options *options,
                                 lidia_lookup **lookup, lidia_error **error) {
  if (!archive || !lookup)
    return failArgument(error,
                        "lidia_lookup_create needs an archive and a result");
  lidia_lookup_options Given;
  if (lidia_status S = readOptions(options,
                                   NameFlags | LIDIA_LOOKUP_RETURN_ADDRESSES |
                                       LIDIA_LOOKUP_FILE_OFFSETS,
                                   Given, error))
    return S;
  SymbolizerOptions Options;
  setNameOptions(Given.flags, Options);
  Options.ReturnAddresses = Given.flags & LIDIA_LOOKUP_RETURN_ADDRESSES;
  *lookup = new lidia_lookup(archive->A, Options, std::max(Given.threads, 1u),
                             Given.flags & LIDIA_LOOKUP_FILE_OFFSETS);
  return succeed(error);
}

void lidia_lookup_free(lidia_lookup *lookup) { delete lookup; }

lidia_status lidia_lookup_addresses(lidia_lookup *lookup,
                                    const uint64_t *addresses, size_t count,
                                    lidia_error **error) {
  if (!lookup || (!addresses && count))
    return failArgument(error,
                        "lidia_lookup_addresses needs a lookup and addresses");
  lookup->Addresses.assign(addresses, addresses + count);
  if (lookup->AreOffsets)
    for (uint64_t &Address : lookup->Addresses)
      Address = lookup->addressOf(Address);
  // Preparing costs twice as much as one lookup. If the archive is only partly
  // in memory, its parts are read here anyway, so that damage is detected.
  lookup->IsSingle = count == 1 && !lookup->A->isPaged();
  if (lookup->IsSingle)
    lookup->Single = lookup->Tool.frames(lookup->Addresses.front());
  else
    lookup->Tool.prepare(lookup->Addresses, lookup->Threads);
  if (Error E = lookup->A->damage())
    return fail(error, std::move(E));
  return succeed(error);
}

size_t lidia_lookup_frame_count(const lidia_lookup *lookup, size_t index) {
  return lookup && index < lookup->Addresses.size()
             ? lookup->frames(index).size()
             : 0;
}

lidia_status lidia_lookup_get_frame(lidia_lookup *lookup, size_t index,
                                    size_t number, lidia_frame *frame,
                                    lidia_error **error) {
  if (number >= lidia_lookup_frame_count(lookup, index))
    return failArgument(error, "there is no frame " + Twine(number) +
                                   " of an address " + Twine(index));
  ArrayRef<Frame> Frames = lookup->frames(index);
  const Frame &F = Frames[number];
  std::optional<StringRef> Function =
      lookup->Names.get(F.Function, [&] { return lookup->Tool.function(F); });
  std::optional<StringRef> File =
      lookup->Files.get(F.File, [&] { return lookup->Tool.file(F); });
  if (!Function || !File)
    return fail(error,
                make_error<LimitError>(lookup->A->name(),
                                       "its names need more memory than the "
                                       "limit for an archive of its size"));
  RangeEntry Range;
  if (F.Range < lookup->A->rangeCount())
    Range = lookup->A->range(F.Range);
  uint64_t Offset = Range.Length ? lookup->Addresses[index] - Range.VA : 0;
  lidia_frame Result = {sizeof(Result),
                        Function->data(),
                        Function->size(),
                        File->data(),
                        File->size(),
                        F.Line,
                        F.Column,
                        number + 1 < Frames.size(),
                        Range.VA,
                        Range.Length,
                        Offset};
  return writeResult(frame, Result, error);
}
