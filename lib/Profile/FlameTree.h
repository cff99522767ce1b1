//===- FlameTree.h - The stacks of a profile as a tree ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_FLAMETREE_H
#define LIDIA_LIB_PROFILE_FLAMETREE_H

#include "lidia/Profile/FlameGraph.h"
#include <tuple>

namespace lidia {

/// The stacks of a profile as a tree: stacks share boxes as long as they are
/// equal, starting from the outermost frame.
class FlameTree {
public:
  using TextID = ProfileStrings::ID;
  using BoxID = uint32_t;
  static constexpr BoxID Root = 0;
  /// Index in Functions of the function of boxes for frames beyond the limits.
  static constexpr uint32_t SmallerFrames = 0;

  struct Function {
    /// A name to show; "[libc.so.6]" for code without one.
    TextID Name;
    /// The path of the file that contains the code.
    TextID Module;
    bool Inlined;
  };
  struct Position {
    TextID File;
    uint32_t Line;
  };
  struct Box {
    /// Less than the index of this box itself.
    BoxID Parent;
    uint32_t Function;
  };
  struct PositionValue {
    BoxID Box;
    uint32_t Position;
    uint64_t Value;
  };

  FlameTree(const Profile &P, const FlameGraphLimits &Limits);

  const Profile &profile() const { return P; }
  /// Indices in Profile::SampleTypes, and the position among them of the type
  /// to show first.
  llvm::ArrayRef<uint32_t> valueTypes() const { return ValueTypes; }
  uint32_t defaultType() const { return DefaultType; }
  bool hasNegativeValues() const { return HasNegativeValues; }
  llvm::StringRef text(TextID ID) const { return Texts[ID]; }
  size_t textCount() const { return Texts.size(); }
  llvm::ArrayRef<Function> functions() const { return Functions; }
  llvm::ArrayRef<Position> positions() const { return Positions; }
  llvm::ArrayRef<Box> boxes() const { return Boxes; }
  /// The values of the stacks that end in \p B, by type. They do not wrap
  /// around on overflow.
  llvm::ArrayRef<uint64_t> selfValues(BoxID B) const {
    return llvm::ArrayRef(SelfValues)
        .slice(B * ValueTypes.size(), ValueTypes.size());
  }
  /// The box that a sample of the profile ends in; Root if it is not drawn.
  BoxID boxOfSample(size_t Index) const { return SampleBoxes[Index]; }
  /// The values, of the type to show first, of the stacks that go through a box
  /// at a position, sorted by box and position.
  std::vector<PositionValue> positionValues() const;

private:
  void chooseValueTypes();
  void addSample(size_t Index);
  void addFrames(const Profile::Sample &S);
  /// Enters the box for a frame, or the box for frames beyond the limits, and
  /// returns whether inner frames may follow.
  bool enter(uint32_t Function, uint32_t Position);
  BoxID child(uint32_t Function);
  uint32_t functionOf(const Profile::Location &L, uint32_t Index, bool Inlined);
  uint32_t functionWith(TextID Name, TextID Module, bool Inlined);
  uint32_t positionOf(const Profile::Line &L);
  TextID canonical(Profile::StringID ID);

  static constexpr uint32_t None = Profile::None;

  const Profile &P;
  const FlameGraphLimits &Limits;
  std::vector<uint32_t> ValueTypes;
  uint32_t DefaultType = 0;
  bool HasNegativeValues = false;

  /// The texts without duplicates, unlike Profile::Strings.
  ProfileStrings Texts;
  /// The number in Texts, by Profile::StringID; None if not known yet.
  std::vector<TextID> Canonical;
  std::vector<Function> Functions;
  std::vector<Position> Positions;
  llvm::DenseMap<std::tuple<TextID, TextID, uint32_t>, uint32_t> FunctionIDs;
  llvm::DenseMap<std::pair<TextID, uint32_t>, uint32_t> PositionIDs;

  std::vector<Box> Boxes;
  std::vector<uint64_t> SelfValues;
  std::vector<BoxID> SampleBoxes;
  llvm::DenseMap<std::pair<BoxID, uint32_t>, BoxID> Children;
  llvm::DenseMap<std::pair<BoxID, uint32_t>, uint64_t> ValuesAtPositions;

  /// The sample that is being added: the current box, and its depth.
  BoxID Current = Root;
  uint32_t Depth = 0;
  uint64_t CurrentValue = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_FLAMETREE_H
