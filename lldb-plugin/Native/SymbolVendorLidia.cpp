//===- SymbolVendorLidia.cpp - Archives for programs with DWARF -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolVendorLidia.h"
#include "SymbolLocatorLidia.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/ModuleSpec.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Core/Section.h"
#include "lldb/Host/FileSystem.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Symbol/SymbolVendor.h"
#include "lldb/Target/Target.h"

using namespace lldb;
using namespace lldb_private;

namespace lidia {

namespace {
class SymbolVendorLidia : public SymbolVendor {
public:
  explicit SymbolVendorLidia(const ModuleSP &Module) : SymbolVendor(Module) {}
  llvm::StringRef GetPluginName() override { return "lidia"; }
};
} // namespace

static bool hasDWARF(ObjectFile &File) {
  SectionList *Sections = File.GetSectionList();
  return Sections && Sections->FindSectionByType(eSectionTypeDWARFDebugInfo,
                                                 /*check_children=*/true);
}

static SymbolVendor *createVendor(const ModuleSP &Module, Stream *) {
  ObjectFile *Own = Module ? Module->GetObjectFile() : nullptr;
  if (!Own || !hasDWARF(*Own))
    return nullptr;
  // The user has selected another symbol file.
  const FileSpec &Chosen = Module->GetSymbolFileFileSpec();
  if (Chosen && Chosen != Own->GetFileSpec())
    return nullptr;
  ModuleSpec Spec(Own->GetFileSpec(), Own->GetUUID());
  std::optional<FileSpec> Path =
      locateArchiveFile(Spec, Target::GetDefaultDebugFileSearchPaths());
  if (!Path)
    return nullptr;
  DataBufferSP Data;
  offset_t DataOffset = 0;
  ObjectFileSP File = ObjectFile::FindPlugin(
      Module, &*Path, /*file_offset=*/0,
      FileSystem::Instance().GetByteSize(*Path), Data, DataOffset);
  if (!File)
    return nullptr;
  auto Vendor = std::make_unique<SymbolVendorLidia>(Module);
  Vendor->AddSymbolFileRepresentation(File);
  return Vendor->GetSymbolFile() ? Vendor.release() : nullptr;
}

void registerSymbolVendor() {
  // The result is false even on success (LLDB 19).
  PluginManager::RegisterPlugin("lidia", "Archives of programs with DWARF.",
                                createVendor);
}

} // namespace lidia
