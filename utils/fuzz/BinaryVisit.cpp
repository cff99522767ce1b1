//===- BinaryVisit.cpp - Reads everything in a binary ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BinaryVisit.h"
#include "FuzzInput.h"
#include "Object/BinaryIdentity.h"

using namespace llvm;

namespace lidia {

static void visitSections(Binary &File) {
  for (const Section &S : File.sections()) {
    Expected<StringRef> Contents = File.contents(S);
    if (!Contents) {
      consumeError(Contents.takeError());
      continue;
    }
    check(File.isCompressed(S) || Contents->size() <= File.size(),
          "a section is larger than its file");
    if (File.isRelocated(S))
      File.relocationReport(S);
    File.forgetContents(S);
  }
}

static void visitSymbols(Binary &File, SymbolTable Table) {
  uint64_t Count = 0;
  consumeError(File.forEachFunctionSymbol(Table, [&](const FunctionSymbol &S) {
    ++Count;
    check(!S.Name.empty(), "a symbol without a name");
    // Reads the whole name, which may be out of bounds.
    check(!S.Name.contains('\0'), "a name with a NUL byte");
  }));
  check(Count <= File.size(), "more symbols than bytes");
  consumeError(File.symbolEntries(Table).takeError());
  consumeError(File.codeMarks(Table).takeError());
}

static void visitLoadedBytes(Binary &File) {
  uint64_t Loaded = 0, End = 0;
  for (const LoadedBytes &Part : File.loadedBytes())
    Loaded += Part.Bytes.size();
  check(Loaded <= 2 * File.size(), "more loaded bytes than twice the file");
  for (const LoadedBytes &Part : File.codeBytes()) {
    check(Part.Address >= End, "code overlaps");
    End = Part.Address + Part.Bytes.size();
  }
}

void visitBinary(Binary &File) {
  visitSections(File);
  for (SymbolTable Table : {SymbolTable::Symtab, SymbolTable::Dynsym})
    visitSymbols(File, Table);
  visitLoadedBytes(File);
  uint64_t Words = 0;
  consumeError(
      File.forEachRelocatedWord([&](const RelocatedWord &) { ++Words; }));
  check(Words <= File.size(), "more relocated words than bytes");
  File.segments();
  File.relativePointers();
  File.whereDebugInformationIs();
  identifyBinary(File);
}

} // namespace lidia
