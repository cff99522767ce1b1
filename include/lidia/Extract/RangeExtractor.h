//===- RangeExtractor.h - A source of symbols of the caller's ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Where functions come from that no source of the project knows: a compiler
/// of one's own, a database, another symbol format. The names are those of
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

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>

namespace lidia {

/// Code from Address on belongs to this line, whichever call it is in, up to
/// the next row of the function.
struct SourceRow {
  uint64_t Address = 0;
  /// A path with its folders; empty if it is not known.
  llvm::StringRef File;
  /// Zero if the code belongs to no line.
  uint32_t Line = 0;
  uint32_t Column = 0;
};

/// Code of a call that is inlined into a function. A call whose code is in
/// several pieces is given once for each.
struct InlinedRange {
  /// End is exclusive.
  uint64_t Start = 0;
  uint64_t End = 0;
  /// 1 for a call in the function itself; n + 1 for one in a call of depth n,
  /// which is the one with the same code.
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
  /// As in the binary: mangled, if it is. Empty if it is not known.
  llvm::StringRef Name;
  /// Of the code without rows.
  llvm::StringRef File;
  /// Where the function is entered, if that is not Start.
  std::optional<uint64_t> Entry;
  /// In any order.
  llvm::ArrayRef<InlinedRange> Calls;
  /// In any order; of several at one address, the last is right.
  llvm::ArrayRef<SourceRow> Rows;
};

/// Receives what an extractor finds.
class RangeVisitor {
public:
  virtual ~RangeVisitor() = default;

  /// Takes \p F, whose strings and arrays are needed for this call only.
  /// Functions may come in any order and overlap: of two in one place, the one
  /// that starts later is right.
  ///
  /// Nothing in \p F is trusted. A function that is empty or wraps around, or
  /// is outside of the binary's code, is left out; one that reaches out of it
  /// is cut. So is a call that reaches out of what it is in, or overlaps one of
  /// its depth that starts earlier. Calls without one of each smaller depth
  /// around them are left out, and so are those deeper than 1,000 levels. Each
  /// is counted, and reported when all has been read.
  ///
  /// False if no more fits into the limits, which are proportional to
  /// RangeExtractor::inputSize(): the extractor may stop.
  virtual bool visit(const FunctionRange &F) = 0;

  /// The first \p Length bytes of \p Path, which rows or calls name, are the
  /// directory that its compiler ran in.
  virtual void setCompilationDirectory(llvm::StringRef Path, size_t Length) = 0;

  /// Reports a part of the input that is malformed and was left out. \p Message
  /// names the file.
  virtual void warning(const llvm::Twine &Message) = 0;
};

/// A source of functions. The interface alone: those who implement it need not
/// link a library.
class RangeExtractor {
public:
  virtual ~RangeExtractor() = default;

  /// For statistics and messages: "GSYM".
  virtual llvm::StringRef name() const = 0;

  /// The bytes of what is read. They bound names, ranges and rows: what is far
  /// out of proportion is left out.
  virtual uint64_t inputSize() const = 0;

  /// Gives all functions to \p Visitor, once, on the calling thread.
  ///
  /// An error of a class that reports the system, an argument or missing
  /// information (lidia/Error.h) ends the conversion. Any other becomes a
  /// warning, and what was given before is kept.
  virtual llvm::Error extract(RangeVisitor &Visitor) = 0;
};

} // namespace lidia

#endif // LIDIA_EXTRACT_RANGEEXTRACTOR_H
