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

  /// Adds \p Text under the next number, even if it already has one. The text
  /// is not copied.
  ID append(llvm::StringRef Text) {
    ID Number = ID(Texts.size());
    Texts.push_back(Text);
    IDs.try_emplace(llvm::CachedHashStringRef(Text), Number);
    return Number;
  }
  /// The number of \p Text, which is copied if it has none yet.
  ID intern(llvm::StringRef Text) {
    auto Known = IDs.find(llvm::CachedHashStringRef(Text));
    // Unlike StringRef::copy(), StringSaver allocates in LLVM's library. If
    // only this project is built with sanitizers, all allocations must be on
    // one side.
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

/// A profile in memory: stacks of locations, each with values and labels. Its
/// tables follow profile.proto of github.com/google/pprof and can also hold
/// OTLP profiles and recordings of perf. Entries refer to each other by index,
/// and each kind is in one array, so that a million locations take some tens of
/// megabytes.
///
/// Readers guarantee that every index is valid, and that an empty name is
/// always string 0. Strings are untrusted: they may contain any bytes.
struct Profile {
  using StringID = ProfileStrings::ID;
  /// The index that stands for a missing entry.
  static constexpr uint32_t None = ~uint32_t(0);

  /// The meaning of one of a sample's values: "cpu", "nanoseconds".
  struct ValueType {
    StringID Type = 0;
    StringID Unit = 0;
  };

  /// A run of addresses that a file is loaded at. Mappings of different
  /// processes may overlap.
  struct Mapping {
    /// The addresses from Start up to and without Limit.
    uint64_t Start = 0;
    uint64_t Limit = 0;
    /// The offset in the file of the byte at Start.
    uint64_t Offset = 0;
    StringID File = 0;
    /// Hexadecimal digits, another text, or empty.
    StringID BuildID = 0;
    /// The file's htlhash (of OpenTelemetry's profiles): hexadecimal digits,
    /// another text, or empty.
    StringID FileHash = 0;
    /// Whether addresses count from the image base of the file
    /// (lidia/Archive/ImageBase.h), and not from where it is loaded.
    bool IsRelative = false;
    /// Whether the mapping's locations have been symbolized, and what is known
    /// about them.
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
    /// The address of the instruction; for a caller, an address within the call
    /// instruction.
    uint64_t Address = 0;
    /// Index in Mappings, or None.
    uint32_t Mapping = None;
    /// The functions in Lines, innermost first. Locations may share them.
    uint32_t FirstLine = 0;
    uint32_t LineCount = 0;
    /// Whether the lines are names that a better source may replace.
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

  /// A stack and how often it occurred. The Values of sample I begin at index I
  /// * SampleTypes.size().
  struct Sample {
    /// The stack, innermost first, in StackLocations.
    uint32_t FirstLocation = 0;
    uint32_t LocationCount = 0;
    uint32_t FirstLabel = 0;
    uint32_t LabelCount = 0;
  };

  /// One occurrence of a sample.
  struct Event {
    /// In nanoseconds since any point in time; zero if unknown.
    uint64_t Time = 0;
    /// What it adds to the sample's value of the type Type.
    int64_t Value = 0;
    /// Index in Samples.
    uint32_t Sample = 0;
    /// The number of the thread; zero if the sample's labels say which it is.
    uint32_t TID = 0;
    /// Index in SampleTypes. See CountsEvents.
    uint32_t Type = 0;
    /// The number of the processor, or None.
    uint32_t CPU = None;
  };

  ProfileStrings Strings;
  std::vector<ValueType> SampleTypes;
  /// Index in SampleTypes of the value to show first.
  uint32_t DefaultSampleType = 0;
  ValueType PeriodType;
  int64_t Period = 0;
  /// When it begins, in nanoseconds since 1970, and how long it is; zero if
  /// unknown.
  int64_t Time = 0;
  int64_t Duration = 0;
  std::vector<Mapping> Mappings;
  std::vector<Function> Functions;
  std::vector<Location> Locations;
  std::vector<Line> Lines;
  std::vector<Sample> Samples;
  /// Indices in Locations.
  std::vector<uint32_t> StackLocations;
  std::vector<int64_t> Values;
  std::vector<Label> Labels;
  /// All occurrences of the samples, in order of time. Empty if they are not
  /// known, or the output has no use for them (ProfileFormat::keepsEvents()).
  std::vector<Event> Events;
  /// Whether type 0 of the values counts events, which have another type, as in
  /// recordings of perf.
  bool CountsEvents = false;
  /// How many observations each sample adds up, if the profile has a base
  /// (addBaseProfile()); else empty.
  std::vector<uint64_t> Observations;
  /// The size in bytes of the uncompressed file that the profile was read from.
  /// Readers set it; it limits the size of the profile.
  uint64_t FileSize = 0;

  /// Allocates the values of \p Count samples, all zero. Fails if the file
  /// \p Name is too small to hold so many: a few bytes can declare a thousand
  /// types, and a sample without values takes two bytes.
  llvm::Error allotValues(size_t Count, llvm::StringRef Name);

  /// Fails if \p Size, the size of an output as a function of ProfilePrinters.h
  /// estimates it, is out of proportion to the file \p Name. A crafted file may
  /// refer to one stack or one long name a million times.
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
