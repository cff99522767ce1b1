//===- ProfileSymbolizer.cpp - Symbolizes a profile -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Profile/ProfileSymbolizer.h"
#include "PerfNames.h"
#include "Process/KernelImage.h"
#include "ProfileModule.h"
#include "SameFunction.h"
#include "lidia/Archive/SectionPlaces.h"
#include "lidia/MissError.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lidia {

bool isWithoutFile(StringRef File) {
  StringRef Base = sys::path::filename(File);
  return Base.starts_with("[") || Base.starts_with("linux-vdso") ||
         File.starts_with("/dev/dri/") || File == "//anon" ||
         File.starts_with("/memfd:");
}

namespace {

/// Adds the functions of one archive to the profile.
class ModuleNames {
public:
  ModuleNames(Profile &P, const Archive &A, const SymbolizerOptions &Options)
      : P(P), A(A), S(A, Options) {}

  /// The index of the function of \p F, the answer for \p Address, which is
  /// added if it is new.
  uint32_t function(const Frame &F, uint64_t Address);
  /// The index of the function without a name that contains \p Address, which
  /// is added if it is new; Profile::None if there is none.
  uint32_t unnamedFunction(StringRef Module, uint64_t Address);
  Symbolizer &symbolizer() { return S; }

private:
  Profile &P;
  const Archive &A;
  Symbolizer S;
  /// By function, file and the file of the range.
  using Key = std::pair<StringOffset, std::pair<StringOffset, StringOffset>>;
  DenseMap<Key, uint32_t> Known;
  /// By start.
  DenseMap<uint64_t, uint32_t> KnownUnnamed;
};

/// Symbolizes the locations of one profile.
class ProfileAnswers {
public:
  ProfileAnswers(Profile &P, ModuleResolver &Modules,
                 const ProfileSymbolizerOptions &Options)
      : P(P), Resolver(Modules), Options(Options),
        MaxLines(P.Lines.size() + 64 * P.Locations.size() + (1 << 20)) {}

  ProfileStatistics run();

private:
  using Locations = std::vector<uint32_t>;

  bool isUnnamed(const Profile::Location &L) const;
  bool isAnswered(const Profile::Location &L) const;
  void miss(const Profile::Location &L, MissCode Code, const Twine &Reason);
  void addUnopened(const Twine &Name, const Miss &Reason, StringRef BuildID);
  void answerModule(uint32_t FirstMapping, ArrayRef<uint32_t> Asked);
  void answerKernel(uint32_t FirstMapping, ArrayRef<uint32_t> Asked);
  using AddressedLocation = std::pair<uint64_t, uint32_t>;
  void answer(StringRef Name, const Archive &A,
              std::vector<AddressedLocation> Found);
  StringRef providedName(const Profile::Location &L) const;
  bool isAsNamed(const Profile::Location &L, StringRef Function) const;
  void compareNames(const Profile::Location &L, const Archive &A,
                    ArrayRef<Frame> Frames, ComparedNames &Names) const;
  void setLines(Profile::Location &L, uint64_t Address, ArrayRef<Frame> Frames,
                ModuleNames &Names);
  void setUnnamed(Profile::Location &L, uint32_t Function, StringRef Module);
  void markMapping(const Profile::Location &L);

  Profile &P;
  ModuleResolver &Resolver;
  const ProfileSymbolizerOptions &Options;
  /// Limited, because a crafted archive may have endless chains of inlined
  /// calls.
  const uint64_t MaxLines;
  ProfileStatistics Statistics;
};

} // namespace

uint32_t ModuleNames::function(const Frame &F, uint64_t Address) {
  bool HasRange = F.Range < A.rangeCount();
  RangeEntry Range = HasRange ? A.range(F.Range) : RangeEntry();
  // Offsets in a damaged archive could be the map's reserved keys.
  auto Valid = [](StringOffset O) { return O < UINT32_MAX ? O : 0; };
  bool IsUncertain = S.isUncertain(F, Address);
  auto [It, New] = Known.try_emplace(Key(Valid(F.Function) << 1 | IsUncertain,
                                         {Valid(F.File), Valid(Range.File)}));
  if (!New)
    return It->second;
  Profile::Function Fn;
  StringRef Raw = A.string(F.Function);
  StringRef Name = S.function(F);
  Fn.Name = P.Strings.intern(IsUncertain ? (Name + "?").str() : Name);
  Fn.SystemName = json::isUTF8(Raw) ? P.Strings.intern(Raw)
                                    : P.Strings.intern(json::fixUTF8(Raw));
  Fn.File = P.Strings.intern(S.file(F));
  if (HasRange)
    Fn.StartLine = A.declaration(Range.Function, Range.File).Line;
  It->second = uint32_t(P.Functions.size());
  P.Functions.push_back(Fn);
  return It->second;
}

uint32_t ModuleNames::unnamedFunction(StringRef Module, uint64_t Address) {
  std::optional<FunctionExtent> F = S.unnamedFunction(Address);
  if (!F)
    return Profile::None;
  auto [It, New] =
      KnownUnnamed.try_emplace(F->Begin, uint32_t(P.Functions.size()));
  if (New) {
    StringRef File = sys::path::filename(Module);
    P.Functions.emplace_back().Name = P.Strings.intern(
        (json::fixUTF8(File) + "!" + lidia::unnamedFunction(F->Begin)));
  }
  return It->second;
}

/// Whether \p L has the text of ModuleNames::unnamedFunction() for a name.
bool ProfileAnswers::isUnnamed(const Profile::Location &L) const {
  ArrayRef<Profile::Line> Lines = P.lines(L);
  return Lines.size() == 1 && Lines.front().Function != Profile::None &&
         P.Strings[P.Functions[Lines.front().Function].Name].contains(
             "!<function at 0x");
}

/// pprof only checks the mapping's flags, which some profilers do not set.
bool ProfileAnswers::isAnswered(const Profile::Location &L) const {
  if (Options.Force || L.IsProvisional || isUnnamed(L))
    return false;
  if (L.LineCount != 0)
    return true;
  if (L.Mapping == Profile::None)
    return false;
  const Profile::Mapping &M = P.Mappings[L.Mapping];
  return M.HasFunctions || M.HasFilenames || M.HasLineNumbers;
}

void ProfileAnswers::miss(const Profile::Location &L, MissCode Code,
                          const Twine &Reason) {
  ++Statistics.Missed[size_t(Code)];
  Statistics.Answers.add(NameOrigin::Unknown, Code);
  // The location keeps an existing name.
  ++(L.LineCount != 0 ? Statistics.WithNames : Statistics.WithNothing);
  if (L.LineCount != 0)
    markMapping(L);
  // Real files have few different reasons, but each may be as long as a path.
  constexpr size_t MaxReasons = 1000;
  std::string Text = Reason.str();
  if (Statistics.Reasons.size() >= MaxReasons &&
      !Statistics.Reasons.contains(Text))
    Text = "other reasons";
  ++Statistics.Reasons[Text];
}

void ProfileAnswers::addUnopened(const Twine &Name, const Miss &Reason,
                                 StringRef BuildID) {
  constexpr size_t MaxUnopened = 1000, LongestName = 255;
  if (Statistics.Unopened.size() < MaxUnopened)
    Statistics.Unopened.push_back(
        {Name.str(), Reason, BuildID.take_front(LongestName).str()});
}

ProfileStatistics ProfileAnswers::run() {
  PackedMappings Packed;
  for (Profile::Mapping &M : P.Mappings)
    M = Packed.resolve(P, M, Resolver.files());
  Statistics.Locations = P.Locations.size();
  // By file, build ID and hash, because mappings of the same file share its
  // archive.
  using ID = Profile::StringID;
  MapVector<std::pair<ID, std::pair<ID, ID>>, std::pair<uint32_t, Locations>>
      Modules;
  for (size_t I = 0; I != P.Locations.size(); ++I) {
    const Profile::Location &L = P.Locations[I];
    if (isAnswered(L)) {
      ++Statistics.LeftAlone;
      continue;
    }
    if (L.Mapping == Profile::None && !P.Mappings.empty()) {
      miss(L, MissCode::NotMapped, "no mapping has the address");
      continue;
    }
    Profile::Mapping M;
    if (L.Mapping != Profile::None)
      M = P.Mappings[L.Mapping];
    auto [It, New] =
        Modules.insert({{M.File, {M.BuildID, M.FileHash}}, {L.Mapping, {}}});
    It->second.second.push_back(uint32_t(I));
  }
  for (auto &[Key, Module] : Modules)
    answerModule(Module.first, std::exchange(Module.second, {}));
  return std::move(Statistics);
}

/// The name of the module in reasons, which is limited because a profile may
/// have a different module, with a very long name, for each location.
static std::string nameOf(StringRef File, StringRef BuildID) {
  constexpr size_t LongestName = 255;
  if (!File.empty())
    return sys::path::filename(File).take_front(LongestName).str();
  return BuildID.empty() ? "the program"
                         : "build ID " + BuildID.take_front(LongestName).str();
}

void ProfileAnswers::answerModule(uint32_t FirstMapping,
                                  ArrayRef<uint32_t> Asked) {
  Profile::Mapping First;
  if (FirstMapping != Profile::None)
    First = P.Mappings[FirstMapping];
  StringRef File = P.Strings[First.File];
  StringRef BuildIDText = P.Strings[First.BuildID];
  bool IsTooLong = File.size() > ProfileModule::LongestPath;
  std::string Name = nameOf(IsTooLong ? "" : File, BuildIDText);
  auto MissAll = [&](MissCode Code, const Twine &Reason) {
    std::string Text = (Name + ": " + Reason).str();
    for (uint32_t I : Asked)
      miss(P.Locations[I], Code, Text);
  };
  ++Statistics.Modules;
  if (IsTooLong)
    return MissAll(MissCode::Limit, "its file's name is longer than any path");
  if (File.starts_with("[kernel.kallsyms]") && !Options.VMLinux.empty() &&
      !First.IsRelative)
    return answerKernel(FirstMapping, Asked);
  if (!ProfileModule::isFile(P, First, Resolver.files()))
    return PerfNames::isMadeAtRunTime(File)
               ? MissAll(MissCode::NoMap,
                         "memory without a file: of code made at run time, a "
                         "jitdump or a perf map in the root folder has names")
               : MissAll(MissCode::NoFile, "not a file");
  bool IsFirst = FirstMapping == 0 || FirstMapping == Profile::None;
  ProfileModule M = ProfileModule::open(P, First, IsFirst, Resolver);
  if (!M.A) {
    MissAll(M.Reason.Code, M.Reason.Text);
    addUnopened(Name, M.Reason, BuildIDText);
    return;
  }
  ++Statistics.ModulesOpened;
  std::vector<AddressedLocation> Found;
  for (uint32_t I : Asked) {
    const Profile::Location &L = P.Locations[I];
    std::optional<uint64_t> Own = L.Address;
    if (L.Mapping != Profile::None)
      Own = M.addressOf(P.Mappings[L.Mapping], L.Address);
    if (Own)
      Found.push_back({*Own, I});
    else
      miss(L, M.whyNoAddress().Code, Name + ": " + M.whyNoAddress().Text);
  }
  if (!M.Loaded.Headers && !M.isKernelModule() && Found.size() != Asked.size())
    addUnopened(Name, M.whyNoAddress(), BuildIDText);
  answer(Name, *M.A, std::move(Found));
}

/// Symbolizes with Options.VMLinux. The name of perf's mapping ends with a
/// symbol, whose address was the mapping's offset
/// (perf_event__synthesize_kernel_mmap).
void ProfileAnswers::answerKernel(uint32_t FirstMapping,
                                  ArrayRef<uint32_t> Asked) {
  const Profile::Mapping &First = P.Mappings[FirstMapping];
  StringRef Symbol = P.Strings[First.File];
  Symbol.consume_front("[kernel.kallsyms]");
  object::BuildID BuildID = object::parseBuildID(P.Strings[First.BuildID]);
  std::shared_ptr<const Archive> A;
  Expected<uint64_t> Moved =
      kernelOffset(Options.VMLinux, BuildID, Symbol, First.Offset);
  Error E = Moved.takeError();
  if (!E)
    E = Resolver.archives().get(Options.VMLinux, BuildID).moveInto(A);
  if (E) {
    Miss Why = missOf(std::move(E));
    for (uint32_t I : Asked)
      miss(P.Locations[I], Why.Code, "[kernel]: " + Why.Text);
    addUnopened("[kernel]", Why, P.Strings[First.BuildID]);
    return;
  }
  ++Statistics.ModulesOpened;
  std::vector<AddressedLocation> Found;
  for (uint32_t I : Asked)
    Found.push_back({P.Locations[I].Address - *Moved, I});
  answer("[kernel]", *A, std::move(Found));
}

/// The name that perf, or another tool, gave to the location.
StringRef ProfileAnswers::providedName(const Profile::Location &L) const {
  if (!L.IsProvisional || L.LineCount == 0)
    return "";
  // The others are inlined into it.
  const Profile::Line &Line = P.lines(L).back();
  return Line.Function == Profile::None
             ? ""
             : P.Strings[P.Functions[Line.Function].SystemName];
}

/// Whether \p Function may be the function that perf named. The layout of a
/// loaded kernel module may differ from its file.
bool ProfileAnswers::isAsNamed(const Profile::Location &L,
                               StringRef Function) const {
  StringRef Name = providedName(L);
  // Names in archives lack suffixes of compilers: "f.cold", "f.isra.0".
  auto Stem = [](StringRef Name) { return Name.take_front(Name.find('.')); };
  return Name.empty() || Stem(Name) == Stem(Function);
}

/// Compares perf's name of \p L with those that were found, if both are known.
void ProfileAnswers::compareNames(const Profile::Location &L, const Archive &A,
                                  ArrayRef<Frame> Frames,
                                  ComparedNames &Names) const {
  StringRef Provided = providedName(L);
  if (Provided.empty() || A.string(Frames.back().Function).empty())
    return;
  ++Names.Compared;
  Names.Different += none_of(Frames, [&](const Frame &F) {
    return mayBeSameFunction(Provided, A.string(F.Function));
  });
}

/// Symbolizes \p Found, which has addresses of \p A.
void ProfileAnswers::answer(StringRef Name, const Archive &A,
                            std::vector<AddressedLocation> Found) {
  llvm::sort(Found);
  std::vector<uint64_t> Addresses;
  for (const auto &[Own, I] : Found)
    Addresses.push_back(Own);
  ModuleNames Names(P, A, Options.Symbolizer);
  bool IsKernel = Name == "[kernel]" || SectionPlaces(A).size() != 0;
  ComparedNames Compared;
  Compared.Module = Name.str();
  auto Visit = [&](size_t Index, ArrayRef<Frame> Frames) {
    Profile::Location &L = P.Locations[Found[Index].second];
    if (Frames.empty())
      return setUnnamed(L, Names.unnamedFunction(Name, Addresses[Index]), Name);
    if (P.Lines.size() + Frames.size() > MaxLines)
      return miss(L, MissCode::Limit, Name + ": too many inlined calls");
    if (IsKernel && !isAsNamed(L, A.string(Frames.back().Function)))
      return miss(L, MissCode::OtherBuild,
                  Name + ": perf found another function there");
    if (!IsKernel)
      compareNames(L, A, Frames, Compared);
    setLines(L, Addresses[Index], Frames, Names);
  };
  Names.symbolizer().visitAll(Addresses, Visit);
  if (Compared.areTooDifferent())
    Statistics.Doubted.push_back(std::move(Compared));
}

/// Counts \p L as without a name, and groups it with the other addresses of
/// \p Function, which may be none.
void ProfileAnswers::setUnnamed(Profile::Location &L, uint32_t Function,
                                StringRef Module) {
  miss(L, MissCode::NoSymbols, Module + ": no function has the address");
  if (!Options.GroupsUnnamed || Function == Profile::None || L.LineCount != 0)
    return;
  L.FirstLine = uint32_t(P.Lines.size());
  L.LineCount = 1;
  L.Changed = true;
  P.Lines.push_back({Function, 0, 0});
}

void ProfileAnswers::setLines(Profile::Location &L, uint64_t Address,
                              ArrayRef<Frame> Frames, ModuleNames &Names) {
  SmallVector<Profile::Line, 16> Lines;
  bool HasName = false;
  for (const Frame &F : Frames) {
    Lines.push_back({Names.function(F, Address), F.Line, F.Column});
    HasName |= P.Functions[Lines.back().Function].Name != 0;
  }
  if (!Options.Inlines) {
    if (Options.Symbolizer.Functions == DINameKind::LinkageName)
      Lines.front().Function = Lines.back().Function;
    Lines.truncate(1);
  }
  // Share equal lines with the previous location, which is adjacent.
  bool IsSame = Lines.size() <= P.Lines.size() &&
                ArrayRef(P.Lines).take_back(Lines.size()) == ArrayRef(Lines);
  L.FirstLine = uint32_t(P.Lines.size() - (IsSame ? Lines.size() : 0));
  L.LineCount = uint32_t(Lines.size());
  L.Changed = true;
  L.IsProvisional = false;
  if (!IsSame)
    append_range(P.Lines, Lines);
  ++(Frames.front().Line != 0 ? Statistics.WithLines
     : HasName                ? Statistics.WithNames
                              : Statistics.WithNothing);
  Statistics.Answers.add(Names.symbolizer().origin(Frames.back()),
                         Frames.front().Line != 0 ? MissCode::None
                         : HasName                ? MissCode::NoLines
                                                  : MissCode::NoSymbols);
  markMapping(L);
}

void ProfileAnswers::markMapping(const Profile::Location &L) {
  if (L.Mapping == Profile::None)
    return;
  Profile::Mapping &M = P.Mappings[L.Mapping];
  // Like pprof, which sets it for any number of lines.
  M.HasInlineFrames |= Options.Inlines && !L.IsProvisional;
  for (const Profile::Line &Line : P.lines(L)) {
    if (Line.Function == Profile::None)
      continue;
    const Profile::Function &F = P.Functions[Line.Function];
    M.HasFunctions |= F.Name != 0;
    M.HasFilenames |= F.File != 0;
    M.HasLineNumbers |= Line.Number != 0;
  }
  M.Changed = true;
}

std::string ComparedNames::warning(StringRef Profile) const {
  return (Profile + ": perf names other functions at " + Twine(Different) +
          " of " + Twine(Compared) + " addresses in " + Module +
          ": one of the two had another file, or other mappings")
      .str();
}

ProfileStatistics symbolizeProfile(Profile &P, ModuleResolver &Modules,
                                   const ProfileSymbolizerOptions &Options) {
  return ProfileAnswers(P, Modules, Options).run();
}

} // namespace lidia
