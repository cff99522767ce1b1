//===- RangeExtractor.h - A source of symbols of the caller's ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An interface for functions from sources that lidia cannot read itself: your
/// own compiler, a database, another symbol format. The names are those of
/// symblib.
///
/// \code
///   class MyExtractor final : public lidia::RangeExtractor {
///     llvm::StringRef name() const override { return "my compiler"; }
///     uint64_t inputSize() const override { return Bytes.size(); }
///     llvm::Error extract(lidia::RangeVisitor &Visitor) override {
///       lidia::FunctionRange F;
///       F.Start = 0x1000;
///       F.End = 0x1010;
///       F.Name = "f";
///       lidia::SourceRow Rows[] = {{0x1000, "/src/f.c", 7}};
///       F.Rows = Rows;
///       Visitor.visit(F);
///       return llvm::Error::success();
///     }
///   };
/// \endcode
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXTRACT_RANGEEXTRACTOR_H
#define LIDIA_EXTRACT_RANGEEXTRACTOR_H

#include "lidia/Archive/NameOrigins.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>

namespace lidia {

/// The line of the code from Address on, up to the next row of the function,
/// whichever call it is in.
struct SourceRow {
  uint64_t Address = 0;
  /// A path with its folders; empty if it is not known.
  llvm::StringRef File;
  /// Zero if the code belongs to no line.
  uint32_t Line = 0;
  uint32_t Column = 0;
};

/// Code of a call that is inlined into a function. A call whose code is in
/// several pieces has an element for each piece.
struct InlinedRange {
  /// End is exclusive.
  uint64_t Start = 0;
  uint64_t End = 0;
  /// 1 for a call in the function itself; n + 1 for a call inside a call of
  /// depth n, which is the call of depth n that covers the same code.
  uint32_t Depth = 1;
  /// The function that is called.
  llvm::StringRef Name;
  /// Where it is called.
  llvm::StringRef CallFile;
  uint32_t CallLine = 0;
  uint32_t CallColumn = 0;
};

/// A function, or a piece of one.
struct FunctionRange {
  /// End is exclusive.
  uint64_t Start = 0;
  uint64_t End = 0;
  /// The name as in the binary, which may be mangled. Empty if it is not known.
  llvm::StringRef Name;
  /// Where the name is from; Unknown if the extractor has one origin.
  NameOrigin Origin = NameOrigin::Unknown;
  /// The file of the range, used if there are no rows. If there are some, code
  /// before the first is said to be in the file of most rows.
  llvm::StringRef File;
  /// Where the function is entered, if that is not Start. An address without
  /// code says that this is not known.
  std::optional<uint64_t> Entry;
  /// In any order.
  llvm::ArrayRef<InlinedRange> Calls;
  /// In any order. If several rows have the same address, the last one counts.
  llvm::ArrayRef<SourceRow> Rows;
};

/// Receives what an extractor finds.
class RangeVisitor {
public:
  virtual ~RangeVisitor() = default;

  /// Takes \p F, whose strings and arrays need to be valid only during this
  /// call. Functions may come in any order and overlap: where two overlap, the
  /// one that starts later counts.
  ///
  /// Nothing in \p F is trusted. A function that is empty, wraps around or is
  /// outside of the binary's code is left out; a function that extends beyond
  /// the code is cut. A call is cut if it extends beyond what it is inlined
  /// into, or overlaps a call of its depth that starts earlier. Calls that are
  /// not inside a call of each smaller depth, or are deeper than 1,000 levels,
  /// are left out. All of these are counted and reported at the end.
  ///
  /// Returns false once a limit in proportion to RangeExtractor::inputSize() is
  /// reached: the extractor may then stop.
  virtual bool visit(const FunctionRange &F) = 0;

  /// Says that the first \p Length bytes of \p Path, the path of a row or call,
  /// are the directory that the compiler ran in.
  virtual void setCompilationDirectory(llvm::StringRef Path, size_t Length) = 0;

  /// Reports a part of the input that is malformed and was left out. \p Message
  /// names the file.
  virtual void warning(const llvm::Twine &Message) = 0;
};

/// A source of functions. This is only an interface: implementing it requires
/// no library.
class RangeExtractor {
public:
  virtual ~RangeExtractor() = default;

  /// The name in statistics and messages, such as "GSYM".
  virtual llvm::StringRef name() const = 0;

  /// The size of the input in bytes. It limits names, ranges and rows: what is
  /// far out of proportion is left out.
  virtual uint64_t inputSize() const = 0;

  /// Passes all functions to \p Visitor, once, on the calling thread.
  ///
  /// An error of a class that reports the system, an argument or missing
  /// information (lidia/Error.h) ends the conversion. Any other error becomes a
  /// warning, and the functions passed before it are kept.
  virtual llvm::Error extract(RangeVisitor &Visitor) = 0;
};

} // namespace lidia

#endif // LIDIA_EXTRACT_RANGEEXTRACTOR_H
