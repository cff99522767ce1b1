//===- SamplySymbols.cpp - Names beside a profile of samply ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SamplySymbols.h"
#include "JSONTree.h"
#include "NamedFunctions.h"
#include "lidia/Error.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <map>

using namespace llvm;

namespace lidia {

namespace {
/// What the file has of an address.
struct KnownAddress {
  const JSONNode *Symbol = nullptr;
  /// Whether the symbol's frames are those of this address.
  bool HasFrames = false;
};

using KnownAddresses = DenseMap<uint64_t, KnownAddress>;

/// Names the locations of a profile.
class SamplySymbols {
public:
  SamplySymbols(const JSONNode &Root, Profile &P) : P(P), Functions(P) {
    if (const JSONNode *Table = Root.member("string_table"))
      Strings = Table->elements();
  }

  /// \p ByModule has what is known of the addresses of each mapping, or null.
  void nameLocations(ArrayRef<const KnownAddresses *> ByModule);

private:
  void nameLocation(Profile::Location &L, const KnownAddress &Known);
  Profile::StringID string(const JSONNode *Index);

  Profile &P;
  ArrayRef<JSONNode> Strings;
  NamedFunctions Functions;
};
} // namespace

/// The elements of the member \p Name, an array.
static ArrayRef<JSONNode> elementsOf(const JSONNode &Of, StringRef Name) {
  const JSONNode *Array = Of.member(Name);
  return Array ? Array->elements() : ArrayRef<JSONNode>();
}

static std::optional<uint64_t> numberOf(const JSONNode *N) {
  return N ? N->unsignedNumber() : std::nullopt;
}

/// The string with the number in \p Index; 0 if there is none.
Profile::StringID SamplySymbols::string(const JSONNode *Index) {
  std::optional<uint64_t> Number = numberOf(Index);
  return Number && *Number < Strings.size()
             ? P.Strings.intern(Strings[*Number].text().value_or(""))
             : 0;
}

void SamplySymbols::nameLocation(Profile::Location &L,
                                 const KnownAddress &Known) {
  // Real code has a few; a crafted file has many for each address.
  constexpr size_t MaxFrames = 256;
  uint32_t First = uint32_t(P.Lines.size());
  Profile::StringID Symbol = string(Known.Symbol->member("symbol"));
  ArrayRef<JSONNode> Frames;
  if (Known.HasFrames)
    Frames = elementsOf(*Known.Symbol, "frames");
  for (const JSONNode &F : Frames.take_front(MaxFrames)) {
    Profile::StringID Name = string(F.member("function"));
    // The outermost frame is the symbol's. Without it, an inlined function
    // would take its place.
    if (!Name && &F == &Frames.back())
      Name = Symbol;
    if (Name)
      Functions.addLine(
          Name, string(F.member("file")),
          uint32_t(std::min<uint64_t>(numberOf(F.member("line")).value_or(0),
                                      UINT32_MAX)));
  }
  if (P.Lines.size() == First && Symbol)
    Functions.addLine(Symbol, 0, 0);
  L.FirstLine = First;
  L.LineCount = uint32_t(P.Lines.size()) - First;
  L.IsProvisional = L.LineCount != 0;
}

static KnownAddresses knownAddresses(const JSONNode &Library) {
  ArrayRef<JSONNode> Table = elementsOf(Library, "symbol_table");
  KnownAddresses Known;
  std::vector<bool> IsUsed(Table.size());
  for (const JSONNode &Pair : elementsOf(Library, "known_addresses")) {
    ArrayRef<JSONNode> Its = Pair.elements();
    std::optional<uint64_t> Address, Index;
    if (Its.size() == 2) {
      Address = Its[0].unsignedNumber();
      Index = Its[1].unsignedNumber();
    }
    // Addresses are of 32 bits, so they are no reserved keys.
    if (!Address || *Address > UINT32_MAX || !Index || *Index >= Table.size())
      continue;
    // samply keeps the frames of the first address of each symbol for all of
    // them.
    Known.try_emplace(*Address, KnownAddress{&Table[*Index], !IsUsed[*Index]});
    IsUsed[*Index] = true;
  }
  return Known;
}

void SamplySymbols::nameLocations(ArrayRef<const KnownAddresses *> ByModule) {
  for (Profile::Location &L : P.Locations) {
    // Not all locations are in a mapping.
    const KnownAddresses *Known =
        L.Mapping < ByModule.size() ? ByModule[L.Mapping] : nullptr;
    if (!Known || L.LineCount != 0 || L.Address > UINT32_MAX)
      continue;
    if (auto It = Known->find(L.Address); It != Known->end())
      nameLocation(L, It->second);
  }
}

/// samply leaves an age of zero out.
static std::optional<DebugID> parseID(const JSONNode *N) {
  std::string Text = N ? N->text().value_or("").str() : "";
  std::optional<DebugID> ID = DebugID::parse(Text);
  return ID ? ID : DebugID::parse(Text + "0");
}

Error addSamplySymbols(MemoryBufferRef Symbols,
                       ArrayRef<std::pair<DebugID, uint32_t>> Modules,
                       Profile &P) {
  StringRef Name = Symbols.getBufferIdentifier();
  Expected<JSONTree> Tree = JSONTree::parse(Symbols.getBuffer(), Name);
  if (!Tree)
    return Tree.takeError();
  const JSONNode *Data = Tree->root().member("data");
  if (!Data || !Data->isArray())
    return make_error<NotAnArchiveError>(
        Name, "not a file of symbols that samply has written");
  // A crafted file has any number of libraries, and of modules with one ID.
  StringMap<const JSONNode *> Libraries;
  for (const JSONNode &Library : Data->elements())
    if (std::optional<DebugID> ID = parseID(Library.member("debug_id")))
      Libraries.try_emplace(ID->text(), &Library);
  std::map<const JSONNode *, KnownAddresses> Tables;
  std::vector<const KnownAddresses *> ByModule(P.Mappings.size());
  for (const auto &[ID, Module] : Modules)
    if (const JSONNode *Library = Libraries.lookup(ID.text())) {
      auto [It, New] = Tables.try_emplace(Library);
      if (New)
        It->second = knownAddresses(*Library);
      ByModule[Module] = &It->second;
    }
  SamplySymbols(Tree->root(), P).nameLocations(ByModule);
  return Error::success();
}

} // namespace lidia
