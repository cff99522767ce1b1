//===- KernelImage.cpp - Where the kernel's image is loaded ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelImage.h"
#include "Object/Binary.h"
#include "lidia/Error.h"
#include "lidia/Modules/OpenedFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include <fcntl.h>
#include <optional>

using namespace llvm;

namespace lidia {

/// Where \p Symbol is in \p Image; else the first code that is loaded.
static std::optional<uint64_t> imageBeginOf(Binary &Image, StringRef Symbol) {
  std::optional<uint64_t> Begin;
  consumeError(Image.forEachFunctionSymbol(SymbolTable::Symtab,
                                           [&](const FunctionSymbol &S) {
                                             if (!Begin && S.Name == Symbol)
                                               Begin = S.Address;
                                           }));
  for (const Segment &S : Image.segments())
    if (!Begin && S.Type == ELF::PT_LOAD && (S.Flags & ELF::PF_X))
      Begin = S.Address;
  return Begin;
}

Expected<uint64_t> kernelOffset(StringRef VMLinux, ArrayRef<uint8_t> BuildID,
                                StringRef Symbol, uint64_t Loaded) {
  // Opening a pipe would wait for a writer.
  if (Error E = openRegularFile(AT_FDCWD, VMLinux).takeError())
    return E;
  Expected<std::unique_ptr<Binary>> Image = Binary::open(VMLinux);
  if (!Image)
    return Image.takeError();
  if (!BuildID.empty() && (*Image)->buildID() != BuildID)
    return make_error<ArgumentError>(
        "", VMLinux + " is another kernel: its build ID is " +
                toHex((*Image)->buildID(), true) + " instead of " +
                toHex(BuildID, true));
  std::optional<uint64_t> Begin = imageBeginOf(**Image, Symbol);
  if (!Begin || Loaded == 0)
    return make_error<ArgumentError>(
        VMLinux, "the load address of the kernel is not known");
  return Loaded - *Begin;
}

} // namespace lidia
