//===- NameOrigins.cpp - Where the names of functions are from ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/NameOrigins.h"
#include "NameOriginTable.h"
#include "StatementCodec.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

/// Bits of an origin in a run.
static constexpr unsigned OriginBits = 4;
static constexpr uint64_t OriginMask = (1 << OriginBits) - 1;

StringRef lidia::toString(NameOrigin O) {
  switch (O) {
  case NameOrigin::Unknown:
    return "";
  case NameOrigin::DWARF:
    return "dwarf";
  case NameOrigin::Symtab:
    return "symtab";
  case NameOrigin::SymtabSizeless:
    return "symtab_sizeless";
  case NameOrigin::Dynsym:
    return "dynsym";
  case NameOrigin::DynsymSizeless:
    return "dynsym_sizeless";
  case NameOrigin::DebugData:
    return "gnu_debugdata";
  case NameOrigin::DebugDataSizeless:
    return "gnu_debugdata_sizeless";
  case NameOrigin::PLT:
    return "plt";
  case NameOrigin::Go:
    return "go";
  case NameOrigin::Export:
    return "export";
  case NameOrigin::PDB:
    return "pdb";
  case NameOrigin::PDBPublic:
    return "pdb_public";
  case NameOrigin::SymbolFile:
    return "symbol_file";
  case NameOrigin::Extractor:
    return "extractor";
  case NameOrigin::PerfMap:
    return "perf_map";
  case NameOrigin::JITDump:
    return "jitdump";
  case NameOrigin::Kallsyms:
    return "kallsyms";
  }
  return "";
}

bool lidia::isSizeless(NameOrigin O) {
  return O == NameOrigin::SymtabSizeless || O == NameOrigin::DynsymSizeless ||
         O == NameOrigin::DebugDataSizeless || O == NameOrigin::Export ||
         O == NameOrigin::PDBPublic;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void NameOriginTable::add(uint64_t Range, uint64_t Length, NameOrigin Origin,
                          const NameReach &Reach) {
  if (Current == NameOrigin::Unknown) {
    First = Current = Origin;
  } else if (Current != Origin) {
    appendULEB(RunBytes, (Range - std::exchange(RunStart, Range))
                                 << OriginBits |
                             uint64_t(Origin));
    Current = Origin;
  }
  uint64_t Possible = std::min(Reach.Possible, Length);
  uint64_t Shown = std::min(Reach.Shown, Possible);
  if (Shown == Length)
    return;
  appendULEB(LimitBytes, Range - std::exchange(LastLimited, Range));
  appendULEB(LimitBytes, Shown);
  appendULEB(LimitBytes, Possible - Shown);
}

std::string NameOriginTable::bytes() const {
  std::string Out;
  if (RunBytes.empty() && LimitBytes.empty())
    return Out;
  appendULEB(Out, uint64_t(First));
  appendULEB(Out, RunBytes.size());
  return Out + RunBytes + LimitBytes;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

NameOrigins::NameOrigins(const Archive &A) {
  std::optional<StringRef> Bytes = A.extensionSection(ET_NameOrigins);
  if (Bytes)
    IsDamaged = !read(*Bytes, A);
  else if (const ArchiveInfo *Info = A.info())
    Runs.push_back({0, NameOrigin(Info->OnlyOrigin & OriginMask)});
}

bool NameOrigins::read(StringRef Bytes, const Archive &A) {
  std::optional<uint64_t> First = takeULEB(Bytes), RunBytes = takeULEB(Bytes);
  if (!First || *First > OriginMask || !RunBytes || *RunBytes > Bytes.size())
    return false;
  Runs.push_back({0, NameOrigin(*First)});
  for (StringRef Rest = Bytes.take_front(*RunBytes); !Rest.empty();) {
    std::optional<uint64_t> Run = takeULEB(Rest);
    uint64_t Last = Runs.back().FirstRange;
    if (!Run || *Run >> OriginBits >= A.rangeCount() - Last)
      return false;
    Runs.push_back(
        {Last + (*Run >> OriginBits), NameOrigin(*Run & OriginMask)});
  }
  return readLimits(Bytes.drop_front(*RunBytes), A);
}

bool NameOrigins::readLimits(StringRef Bytes, const Archive &A) {
  for (uint64_t Range = 0; !Bytes.empty();) {
    std::optional<uint64_t> Step = takeULEB(Bytes), Shown = takeULEB(Bytes),
                            More = takeULEB(Bytes);
    if (!Step || !Shown || !More || *Step >= A.rangeCount() - Range ||
        *More > UINT64_MAX - *Shown)
      return false;
    Range += *Step;
    Reaches.push_back({Range, {*Shown, *Shown + *More}});
  }
  return true;
}

NameOrigin NameOrigins::origin(uint64_t Range) const {
  auto Behind = llvm::upper_bound(Runs, Range, [](uint64_t R, const Run &Run) {
    return R < Run.FirstRange;
  });
  return Behind == Runs.begin() ? NameOrigin::Unknown
                                : std::prev(Behind)->Origin;
}

const NameOrigins::Limit *NameOrigins::findLimit(uint64_t Range) const {
  auto Found = llvm::lower_bound(
      Reaches, Range, [](const Limit &L, uint64_t R) { return L.Range < R; });
  return Found != Reaches.end() && Found->Range == Range ? &*Found : nullptr;
}

NameReach NameOrigins::reach(uint64_t Range) const {
  const Limit *L = findLimit(Range);
  return L ? L->Reach : NameReach();
}

NameTrust NameOrigins::trust(uint64_t Range, uint64_t Offset) const {
  const Limit *L = findLimit(Range);
  if (!L || Offset < L->Reach.Shown)
    return NameTrust::Certain;
  return Offset < L->Reach.Possible ? NameTrust::Uncertain : NameTrust::Refuted;
}

Error NameOrigins::damage(const Archive &A) const {
  if (!IsDamaged)
    return Error::success();
  return make_error<DamagedError>(A.name(), "is damaged", "section ORGN");
}
