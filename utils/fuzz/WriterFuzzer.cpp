//===- WriterFuzzer.cpp - Lookups in written archives ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From any valid ranges, the writer makes an archive in which verify() finds
/// no issue and whose lookups agree with a search of the given ranges.
///
//===----------------------------------------------------------------------===//

#include "ArchiveInput.h"
#include "lidia/Archive/Verify.h"

using namespace lidia;
using namespace llvm;

namespace {
/// A frame of the model.
struct ModelFrame {
  StringRef Function, File;
  uint32_t Line = 0;
  uint32_t Column = 0;
};
} // namespace

/// The part of the text \p Given that the format can store.
static StringRef kept(const ArchiveModel &Model, StringRef Given) {
  bool EndsAtNul = Model.Options.Strings == format::StringForm::NulTerminated;
  return EndsAtNul ? Given.take_until([](char C) { return C == 0; }) : Given;
}

static void setPosition(const ArchiveModel &Model, const ModelRange &R,
                        uint64_t Offset, ModelFrame &F) {
  F.File = kept(Model, R.File);
  for (const ModelRow &Row : R.Rows) {
    if (Row.Offset > Offset)
      break;
    StringRef File = kept(Model, Row.File);
    // Without a file, a line is meaningless, unless the range has no file
    // either.
    bool Known = !File.empty() || kept(Model, R.File).empty();
    F.File = File;
    F.Line = Known ? Row.Line : 0;
    F.Column = Known ? Row.Column : 0;
  }
}

static SmallVector<ModelFrame, 8> search(const ArchiveModel &Model,
                                         uint64_t Address) {
  SmallVector<ModelFrame, 8> Frames;
  const ModelRange *Inner = nullptr;
  // Of two ranges that cover an address, the deeper one comes later.
  for (const ModelRange &R : reverse(Model.Ranges)) {
    if (Address - R.Start >= R.Length)
      continue;
    ModelFrame &F = Frames.emplace_back();
    F.Function = R.Function;
    if (Inner)
      F.File = Inner->CallFile, F.Line = Inner->CallLine,
      F.Column = Inner->CallColumn;
    else
      setPosition(Model, R, Address - R.Start, F);
    Inner = &R;
  }
  return Frames;
}

static void compare(const Archive &A, const ArchiveModel &Model,
                    ArrayRef<Frame> Got, uint64_t Address) {
  SmallVector<ModelFrame, 8> Want = search(Model, Address);
  check(Got.size() == Want.size(), "wrong number of frames");
  for (size_t I = 0; I != Want.size(); ++I) {
    check(A.string(Got[I].Function) == kept(Model, Want[I].Function),
          "wrong function");
    // Without the extension, a row cannot have its own file, and the lines of
    // other files are dropped.
    if (!Model.Options.Extension)
      continue;
    check(Got[I].Line == Want[I].Line, "wrong line");
    check(A.string(Got[I].File) == kept(Model, Want[I].File), "wrong file");
    check(Got[I].Column == (Model.Options.Columns ? Want[I].Column : 0),
          "wrong column");
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  // No name may contain the bytes that announce an extension (docs/Format.md).
  if (Bytes.contains("LIDIAEXT"))
    return 0;
  ArchiveModel Model;
  Archive A = buildArchive(FuzzInput(Bytes), Model);
  if (Error E = verify(A, [](const Issue &I) { errs() << I.Clause << '\n'; }))
    report_fatal_error(std::move(E));
  if (Model.Options.Checksums)
    if (Error E = A.verifyChecksums())
      report_fatal_error(std::move(E));
  std::vector<uint64_t> Addresses = addressesToAsk(A);
  for (const ModelRange &R : Model.Ranges)
    for (const ModelRow &Row : R.Rows)
      Addresses.push_back(R.Start + Row.Offset);
  SmallVector<Frame, 8> Frames;
  for (uint64_t Address : Addresses) {
    A.lookup(Address, Frames);
    compare(A, Model, Frames, Address);
  }
  A.lookupBatch(Addresses, [&](size_t I, ArrayRef<Frame> Got) {
    compare(A, Model, Got, Addresses[I]);
  });
  check(A.returnPadCount() == Model.Pads.size(), "wrong number of pads");
  for (uint64_t Pad : Model.Pads) {
    check(A.lookupReturn(Pad, Frames), "a return pad is missing");
    compare(A, Model, Frames, Pad - 1);
  }
  return 0;
}
