//===- ModuleBinary.h - A missing binary with known facts -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_MODULEBINARY_H
#define LIDIA_LIB_OBJECT_MODULEBINARY_H

#include "Binary.h"

namespace lidia {

/// Stands for a binary that is missing: its machine and perhaps its build ID
/// are known, but it has no sections, segments or symbols. Any address may be
/// code.
class ModuleBinary : public Binary {
public:
  ModuleBinary(std::unique_ptr<llvm::MemoryBuffer> Buffer, llvm::StringRef Path)
      : Binary(std::move(Buffer), Path) {
    Code = CodeMap({{0, UINT64_MAX}});
  }

  void setIdentity(const ELFIdentity &New) { Identity = New; }
  void setBuildID(llvm::ArrayRef<uint8_t> New) { BuildID = New.vec(); }

  llvm::Error forEachFunctionSymbol(
      SymbolTable, llvm::function_ref<void(const FunctionSymbol &)>) override {
    return llvm::Error::success();
  }
  bool hasSymbolTable(SymbolTable) const override { return false; }
  std::vector<LoadedBytes> loadedBytes() const override { return {}; }
  std::vector<Segment> segments() const override { return {}; }

protected:
  llvm::Expected<llvm::StringRef> rawContents(const Section &) override {
    return llvm::StringRef();
  }
};

/// Creates the module \p Name, which has no file.
inline std::unique_ptr<Binary> createModule(llvm::StringRef Name,
                                            const ELFIdentity &Identity,
                                            llvm::ArrayRef<uint8_t> BuildID) {
  auto Module = std::make_unique<ModuleBinary>(
      llvm::MemoryBuffer::getMemBuffer(""), Name);
  Module->setIdentity(Identity);
  Module->setBuildID(BuildID);
  return Module;
}

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_MODULEBINARY_H
