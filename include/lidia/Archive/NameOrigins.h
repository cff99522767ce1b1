//===- NameOrigins.h - Where the names of functions are from ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The section ORGN (docs/Format.md) says which source gave a function its
/// name, and how far a name without a size is shown to reach. A symbol without
/// a size is taken to reach up to the next symbol, which in a stripped file may
/// be many functions away: unwind information shows where its function ends,
/// and where other functions begin.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_NAMEORIGINS_H
#define LIDIA_ARCHIVE_NAMEORIGINS_H

#include "lidia/Archive/NameOrigin.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace lidia {

class Archive;

/// The name of \p O in JSON and in texts ("symtab"). Empty for Unknown.
llvm::StringRef toString(NameOrigin O);

/// Whether \p O stands for symbols without a size in a table that may lack
/// functions.
bool isSizeless(NameOrigin O);

/// How far the name of a range is shown to hold, in bytes from its start.
struct NameReach {
  /// The code up to here is shown to belong to the named function.
  uint64_t Shown = UINT64_MAX;
  /// The code from here on is shown to belong to another function.
  uint64_t Possible = UINT64_MAX;
};

/// Whether a name holds at an address.
enum class NameTrust : uint8_t {
  /// As far as the source tells.
  Certain,
  /// The symbol has no size, and nothing shows that its function reaches here.
  Uncertain,
  /// Another function begins between the symbol and the address.
  Refuted,
};

/// The section of an archive, unpacked. Takes memory in proportion to the
/// section's size. Immutable.
class NameOrigins {
public:
  NameOrigins() = default;
  /// Reads the section of \p A; the rest of a damaged section is ignored.
  explicit NameOrigins(const Archive &A);

  /// The source of the name of the function whose ranges include \p Range.
  NameOrigin origin(uint64_t Range) const;

  /// Whether trust() can be anything but Certain. If not, there is no need to
  /// call it.
  bool mayDoubt() const { return !Reaches.empty(); }

  /// Whether the name of the range of depth 0 with index \p Range holds at
  /// \p Offset from its start.
  NameTrust trust(uint64_t Range, uint64_t Offset) const;

  /// The reach of the range's name; without limits if the source gave its size.
  NameReach reach(uint64_t Range) const;

  /// The error says that the section is damaged, and how many ranges it
  /// describes before that.
  llvm::Error damage(const Archive &A) const;

private:
  struct Run {
    uint64_t FirstRange;
    NameOrigin Origin;
  };
  struct Limit {
    uint64_t Range;
    NameReach Reach;
  };
  bool read(llvm::StringRef Bytes, const Archive &A);
  bool readLimits(llvm::StringRef Bytes, const Archive &A);
  const Limit *findLimit(uint64_t Range) const;

  /// By range.
  std::vector<Run> Runs;
  std::vector<Limit> Reaches;
  bool IsDamaged = false;
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_NAMEORIGINS_H
