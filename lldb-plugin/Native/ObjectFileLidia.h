//===- ObjectFileLidia.h - A Lidia archive as an object file ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLDB_PLUGIN_NATIVE_OBJECTFILELIDIA_H
#define LLDB_PLUGIN_NATIVE_OBJECTFILELIDIA_H

#include "lidia/Archive/Archive.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Utility/ArchSpec.h"
#include "lldb/Utility/UUID.h"

namespace lidia {

/// The container: an archive and its binary. It has neither sections nor
/// symbols of its own; SymbolFileLidia interprets the contents.
///
/// An archive is recognised by its first bytes. An archive with wrong
/// checksums, or that belongs to another binary than the module's, is refused
/// with a message to the debugger's user.
class ObjectFileLidia : public lldb_private::ObjectFile {
public:
  static void Initialize();
  static void Terminate();
  static llvm::StringRef GetPluginNameStatic() { return "lidia"; }
  static llvm::StringRef GetPluginDescriptionStatic() {
    return "Lidia archive reader.";
  }

  static lldb_private::ObjectFile *
  CreateInstance(const lldb::ModuleSP &Module, lldb::DataBufferSP Data,
                 lldb::offset_t DataOffset, const lldb_private::FileSpec *File,
                 lldb::offset_t FileOffset, lldb::offset_t Length);
  static lldb_private::ObjectFile *
  CreateMemoryInstance(const lldb::ModuleSP &Module,
                       lldb::WritableDataBufferSP Data,
                       const lldb::ProcessSP &Process, lldb::addr_t Header);
  static size_t GetModuleSpecifications(const lldb_private::FileSpec &File,
                                        lldb::DataBufferSP &Data,
                                        lldb::offset_t DataOffset,
                                        lldb::offset_t FileOffset,
                                        lldb::offset_t Length,
                                        lldb_private::ModuleSpecList &Specs);

  /// Valid as long as this object exists.
  const Archive &archive() const { return TheArchive; }

  llvm::StringRef GetPluginName() override { return GetPluginNameStatic(); }

  static char ID;
  bool isA(const void *ClassID) const override {
    return ClassID == &ID || ObjectFile::isA(ClassID);
  }
  static bool classof(const ObjectFile *O) { return O->isA(&ID); }

  bool ParseHeader() override { return true; }
  lldb::ByteOrder GetByteOrder() const override { return Arch.GetByteOrder(); }
  bool IsExecutable() const override { return false; }
  uint32_t GetAddressByteSize() const override {
    return Arch.GetAddressByteSize();
  }
  lldb_private::AddressClass GetAddressClass(lldb::addr_t) override {
    return lldb_private::AddressClass::eInvalid;
  }
  void ParseSymtab(lldb_private::Symtab &) override {}
  bool IsStripped() override { return false; }
  void CreateSections(lldb_private::SectionList &) override;
  void Dump(lldb_private::Stream *) override {}
  lldb_private::ArchSpec GetArchitecture() override { return Arch; }
  lldb_private::UUID GetUUID() override { return UUID; }
  uint32_t GetDependentModules(lldb_private::FileSpecList &) override {
    return 0;
  }
  Type CalculateType() override { return eTypeDebugInfo; }
  Strata CalculateStrata() override { return eStrataUser; }

private:
  ObjectFileLidia(const lldb::ModuleSP &Module, lldb::DataBufferSP &Data,
                  const lldb_private::FileSpec &File, lldb::offset_t Length,
                  Archive A);

  Archive TheArchive;
  lldb_private::ArchSpec Arch;
  lldb_private::UUID UUID;
};

} // namespace lidia

#endif // LLDB_PLUGIN_NATIVE_OBJECTFILELIDIA_H
