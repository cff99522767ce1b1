//===- FuzzInput.h - Decodes a fuzzer's input -------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Shared by the fuzzers: checks that end the process, and functions that take
/// numbers and strings from the input.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_UTILS_FUZZ_FUZZINPUT_H
#define LIDIA_UTILS_FUZZ_FUZZINPUT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

namespace lidia {

/// Ends the process, with \p Message, unless \p Holds.
inline void check(bool Holds, const llvm::Twine &Message) {
  if (!Holds)
    llvm::report_fatal_error(Message, /*gen_crash_diag=*/true);
}

/// Ends the process as soon as more than \p Limit bytes were written, to detect
/// unbounded output before memory runs out.
class LimitedStream : public llvm::raw_ostream {
public:
  explicit LimitedStream(uint64_t Limit) : Limit(Limit) { SetUnbuffered(); }

  llvm::StringRef text() const { return Text; }

private:
  void write_impl(const char *Data, size_t Size) override {
    check(Text.size() + Size <= Limit, "too much output for this input");
    Text.append(Data, Size);
  }
  uint64_t current_pos() const override { return Text.size(); }

  const uint64_t Limit;
  std::string Text;
};

/// Takes values from the front of the input. After its end, all values are
/// zero.
class FuzzInput {
public:
  explicit FuzzInput(llvm::StringRef Rest) : Rest(Rest) {}

  bool empty() const { return Rest.empty(); }
  llvm::StringRef rest() const { return Rest; }

  uint8_t byte() {
    if (Rest.empty())
      return 0;
    uint8_t Byte = uint8_t(Rest.front());
    Rest = Rest.drop_front();
    return Byte;
  }
  /// A number of \p Bytes bytes, little-endian.
  uint64_t number(unsigned Bytes) {
    uint64_t Result = 0;
    for (unsigned I = 0; I != Bytes; ++I)
      Result |= uint64_t(byte()) << (I * 8);
    return Result;
  }
  /// One byte, or, after a byte from 0xfc on, the next 1, 2, 4 or 8 bytes.
  uint64_t variableNumber() {
    uint8_t First = byte();
    if (First < 0xfc)
      return First;
    return number(1u << (First & 3));
  }
  /// The next \p Size bytes, or the remaining ones.
  llvm::StringRef take(size_t Size) {
    llvm::StringRef Result = Rest.take_front(Size);
    Rest = Rest.drop_front(Result.size());
    return Result;
  }

private:
  llvm::StringRef Rest;
};

/// Removes the last byte of \p Input, for options. The rest is unchanged, so
/// that a file is a good input without changes.
inline uint8_t takeLastByte(llvm::StringRef &Input) {
  if (Input.empty())
    return 0;
  uint8_t Last = uint8_t(Input.back());
  Input = Input.drop_back();
  return Last;
}

} // namespace lidia

#endif // LIDIA_UTILS_FUZZ_FUZZINPUT_H
