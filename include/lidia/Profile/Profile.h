//===- Profile.h - A profile in memory --------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROFILE_PROFILE_H
#define LIDIA_PROFILE_PROFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/StringSaver.h"
#include <cstdint>
#include <vector>

namespace lidia {

/// The strings of a profile, numbered in the order in which they were added.
/// Number 0 is the empty string.
class ProfileStrings {
public:
  using ID = uint32_t;

  ProfileStrings() { append(""); }

  /// Adds \p Text under the next number, even if it has one. The text is not
  /// copied.
  ID append(llvm::StringRef Text) {
    ID Number = ID(Texts.size());
    Texts.push_back(Text);
    IDs.try_emplace(llvm::CachedHashStringRef(Text), Number);
    return Number;
  }
  /// The number of \p Text, which is copied if it has none yet.
  ID intern(llvm::StringRef Text) {
    auto Known = IDs.find(llvm::CachedHashStringRef(Text));
    // StringSaver, unlike StringRef::copy(), leaves allocating to LLVM's
    // library: with sanitizers here, but not there, only one of them may do it.
    return Known != IDs.end() ? Known->second
                              : append(llvm::StringSaver(Allocator).save(Text));
  }
  llvm::StringRef operator[](ID Number) const { return Texts[Number]; }
  size_t size() const { return Texts.size(); }

private:
  llvm::BumpPtrAllocator Allocator;
  std::vector<llvm::StringRef> Texts;
  llvm::DenseMap<llvm::CachedHashStringRef, ID> IDs;
};

/// A profile in memory, after profile.proto of github.com/google/pprof, whose
/// tables those of OTLP profiles and of perf fit into: stacks of locations,
/// each with values and labels. Everything refers by index, and all of a kind
/// is in one array, so that a million locations take some tens of megabytes.
///
/// Readers guarantee that every index is valid, and that what has an empty name
/// refers to string 0. Strings are not to be trusted: they may contain any
/// bytes.
struct Profile {
  using StringID = ProfileStrings::ID;
  /// The index of what is not there.
  static constexpr uint32_t None = ~uint32_t(0);

  /// The meaning of one of a sample's values: "cpu", "nanoseconds".
  struct ValueType {
    StringID Type = 0;
    StringID Unit = 0;
  };

  /// A run of addresses that a file is loaded at. Those of different processes
  /// may overlap.
  struct Mapping {
    /// The addresses from Start up to and without Limit.
    uint64_t Start = 0;
    uint64_t Limit = 0;
    /// The offset in the file of the byte at Start.
    uint64_t Offset = 0;
    StringID File = 0;
    /// In hexadecimal digits, or another text, or none.
    StringID BuildID = 0;
    /// The file's htlhash (of OpenTelemetry's profiles) in hexadecimal
    /// digits, or another text, or none.
    StringID FileHash = 0;
    /// Whether the locations have been answered, and with what.
    bool HasFunctions = false;
    bool HasFilenames = false;
    bool HasLineNumbers = false;
    bool HasInlineFrames = false;
    /// Whether the flags above were changed since the profile was read.
    bool Changed = false;
  };

  struct Function {
    StringID Name = 0;
    /// The name as in the binary, mangled.
    StringID SystemName = 0;
    StringID File = 0;
    /// Zero if unknown.
    uint32_t StartLine = 0;
  };

  /// A position in a function. Number and Column are zero if unknown.
  struct Line {
    uint32_t Function = None;
    uint32_t Number = 0;
    uint32_t Column = 0;

    bool operator==(const Line &O) const {
      return Function == O.Function && Number == O.Number && Column == O.Column;
    }
  };

  /// An address with the functions there.
  struct Location {
    /// Of the instruction, or, of a caller, within the call instruction.
    uint64_t Address = 0;
    /// Index in Mappings, or None.
    uint32_t Mapping = None;
    /// The functions in Lines, innermost first. Locations may share them.
    uint32_t FirstLine = 0;
    uint32_t LineCount = 0;
    /// The lines are names that a better source may replace.
    bool IsProvisional = false;
    /// Whether the lines were set since the profile was read.
    bool Changed = false;
  };

  /// A text or a number that belongs to a sample.
  struct Label {
    StringID Key = 0;
    /// If zero, the label is Number, in units of Unit.
    StringID Text = 0;
    StringID Unit = 0;
    int64_t Number = 0;
  };

  /// A stack and how often it occurred. The sample with the index I has the
  /// Values from I * SampleTypes.size() on.
  struct Sample {
    /// The stack, innermost first, in StackLocations.
    uint32_t FirstLocation = 0;
    uint32_t LocationCount = 0;
    uint32_t FirstLabel = 0;
    uint32_t LabelCount = 0;
  };

  ProfileStrings Strings;
  std::vector<ValueType> SampleTypes;
  /// Index in SampleTypes of the value to show first.
  uint32_t DefaultSampleType = 0;
  ValueType PeriodType;
  int64_t Period = 0;
  std::vector<Mapping> Mappings;
  std::vector<Function> Functions;
  std::vector<Location> Locations;
  std::vector<Line> Lines;
  std::vector<Sample> Samples;
  /// Indices in Locations.
  std::vector<uint32_t> StackLocations;
  std::vector<int64_t> Values;
  std::vector<Label> Labels;
  /// The size of the unpacked file that the profile was read from, in bytes.
  /// Readers set it; what the profile takes is bounded by it.
  uint64_t FileSize = 0;

  /// Makes room for the values of \p Count samples, all zero. A few bytes may
  /// name a thousand types, and a sample without values is two bytes, so this
  /// fails if the file \p Name is too small for all of them.
  llvm::Error allotValues(size_t Count, llvm::StringRef Name);

  /// Fails if \p Size bytes of output, as one of the functions of
  /// ProfilePrinters.h estimates them, are more than the file \p Name can mean:
  /// it may name one stack, or one long name, a million times.
  llvm::Error checkOutput(uint64_t Size, llvm::StringRef Name) const;

  llvm::ArrayRef<Line> lines(const Location &L) const {
    return llvm::ArrayRef(Lines).slice(L.FirstLine, L.LineCount);
  }
  llvm::ArrayRef<uint32_t> stack(const Sample &S) const {
    return llvm::ArrayRef(StackLocations)
        .slice(S.FirstLocation, S.LocationCount);
  }
  llvm::ArrayRef<int64_t> values(size_t SampleIndex) const {
    return llvm::ArrayRef(Values).slice(SampleIndex * SampleTypes.size(),
                                        SampleTypes.size());
  }
  llvm::ArrayRef<Label> labels(const Sample &S) const {
    return llvm::ArrayRef(Labels).slice(S.FirstLabel, S.LabelCount);
  }
};

} // namespace lidia

#endif // LIDIA_PROFILE_PROFILE_H
