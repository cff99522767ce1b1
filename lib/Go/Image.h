//===- Image.h - The memory image of a program ------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_GO_IMAGE_H
#define LIDIA_LIB_GO_IMAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Endian.h"
#include <optional>
#include <vector>

namespace lidia::go {

/// The memory image of a program, as its loader creates it from the file. Go's
/// tables refer to each other by address, so they are read from the image.
class Image {
public:
  struct Part {
    uint64_t Address = 0;
    llvm::StringRef Bytes;
  };
  /// A pointer that the loader sets. Its value in the file is meaningless.
  struct Relocation {
    uint64_t Address = 0;
    uint64_t Value = 0;
  };

  /// \p PointerSize is 4 or 8. Where parts overlap, the later one wins.
  Image(std::vector<Part> Parts, std::vector<Relocation> Relocations,
        llvm::endianness Order, unsigned PointerSize);

  llvm::ArrayRef<Part> parts() const { return Parts; }
  llvm::endianness order() const { return Order; }
  unsigned pointerSize() const { return PointerSize; }

  /// The bytes from \p Address to the end of the part that contains it; empty
  /// if no part contains it.
  llvm::StringRef bytes(uint64_t Address) const;

  std::optional<uint8_t> byte(uint64_t Address) const;
  std::optional<uint32_t> word(uint64_t Address) const;
  /// A pointer, or a number of the same width.
  std::optional<uint64_t> pointer(uint64_t Address) const;
  /// The text up to the NUL byte; none if there is no such byte.
  std::optional<llvm::StringRef> text(uint64_t Address) const;

  /// Calls \p Visit with the address of each pointer to \p Target, until it
  /// returns true.
  void findPointers(uint64_t Target,
                    llvm::function_ref<bool(uint64_t Address)> Visit) const;

private:
  /// Sorted by address.
  std::vector<Part> Parts;
  std::vector<Relocation> Relocations;
  llvm::endianness Order;
  unsigned PointerSize;
};

} // namespace lidia::go

#endif // LIDIA_LIB_GO_IMAGE_H
