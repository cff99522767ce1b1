//===- ObjectFileLidia.cpp - A Lidia archive as an object file ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectFileLidia.h"
#include "lidia/Archive/ArchiveOrigin.h"
#include "lidia/Cache/StableArchive.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/ModuleSpec.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Core/Section.h"
#include "lldb/Utility/DataBuffer.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>
#include <mutex>

using namespace lldb;
using namespace lldb_private;
using llvm::StringRef;
using llvm::Twine;

namespace lidia {

char ObjectFileLidia::ID;

void ObjectFileLidia::Initialize() {
  // The result is false even on success (LLDB 19).
  PluginManager::RegisterPlugin(GetPluginNameStatic(),
                                GetPluginDescriptionStatic(), CreateInstance,
                                CreateMemoryInstance, GetModuleSpecifications);
}

void ObjectFileLidia::Terminate() {
  PluginManager::UnregisterPlugin(CreateInstance);
}

static bool isArchive(const DataBufferSP &Data, offset_t DataOffset,
                      offset_t FileOffset) {
  return Data && DataOffset == 0 && FileOffset == 0 &&
         Archive::hasMagic(
             StringRef(reinterpret_cast<const char *>(Data->GetBytes()),
                       Data->GetByteSize()));
}

/// The architecture of the binary described by \p Info, an ArchiveInfo or
/// ArchiveOrigin.
template <typename T> static ArchSpec architecture(const T &Info) {
  ArchSpec Arch;
  Arch.SetArchitecture(eArchTypeELF, Info.Machine, LLDB_INVALID_CPUTYPE,
                       Info.OSABI);
  return Arch;
}

/// The architecture of the binary that \p A was made from; invalid if the
/// archive does not record it.
static ArchSpec architectureOf(const Archive &A) {
  return A.info() ? architecture(*A.info()) : ArchSpec();
}

static lldb_private::UUID uuidOf(const Archive &A) {
  const ArchiveInfo *Info = A.info();
  return Info ? lldb_private::UUID(Info->BuildID) : lldb_private::UUID();
}

static std::string text(const lldb_private::UUID &ID) {
  return llvm::toHex(ID.GetBytes(), /*LowerCase=*/true);
}

/// Success if \p A matches \p Module, otherwise the reason why not.
static llvm::Error check(const Archive &A, lldb_private::Module &Module) {
  auto Refuse = [&](const Twine &Why) {
    return llvm::createStringError(A.name() + ": " + Why);
  };
  lldb_private::UUID Ours = uuidOf(A), Theirs = Module.GetUUID();
  if (Ours.IsValid() && Theirs.IsValid() && Ours != Theirs)
    return Refuse("made from the binary with build ID " + text(Ours) +
                  ", but the module's is " + text(Theirs));
  ArchSpec Arch = architectureOf(A);
  if (Arch.IsValid() && Module.GetArchitecture().IsValid() &&
      !Arch.IsCompatibleMatch(Module.GetArchitecture()))
    return Refuse(Twine("made from a binary for ") +
                  Arch.GetArchitectureName() + ", but the module is for " +
                  Module.GetArchitecture().GetArchitectureName());
  return llvm::Error::success();
}

/// Reports why an archive is refused, but not twice: LLDB tries a symbol file
/// twice in a row (the ELF symbol vendor, then the generic one).
static void report(llvm::Error E) {
  using Clock = std::chrono::steady_clock;
  static std::mutex Mutex;
  static std::string LastMessage;
  static Clock::time_point LastTime;
  std::string Message = llvm::toString(std::move(E));
  std::lock_guard<std::mutex> Guard(Mutex);
  bool Again = Message == LastMessage &&
               Clock::now() - LastTime < std::chrono::seconds(1);
  LastTime = Clock::now();
  LastMessage = Message;
  if (!Again)
    Debugger::ReportError(std::move(Message));
}

ObjectFile *
ObjectFileLidia::CreateInstance(const ModuleSP &Module, DataBufferSP Data,
                                offset_t DataOffset, const FileSpec *File,
                                offset_t FileOffset, offset_t Length) {
  if (!Module || !File || !isArchive(Data, DataOffset, FileOffset))
    return nullptr;
  // An archive has no code, so it can only be the symbol file of a binary.
  if (Module->GetFileSpec() == *File)
    return nullptr;
  llvm::Expected<Archive> A = openVerifiedArchive(File->GetPath());
  if (!A) {
    report(A.takeError());
    return nullptr;
  }
  if (llvm::Error E = check(*A, *Module)) {
    report(std::move(E));
    return nullptr;
  }
  return new ObjectFileLidia(Module, Data, *File, Length, std::move(*A));
}

ObjectFile *ObjectFileLidia::CreateMemoryInstance(const ModuleSP &,
                                                  WritableDataBufferSP,
                                                  const ProcessSP &, addr_t) {
  return nullptr;
}

size_t ObjectFileLidia::GetModuleSpecifications(const FileSpec &File,
                                                DataBufferSP &Data,
                                                offset_t DataOffset,
                                                offset_t FileOffset, offset_t,
                                                ModuleSpecList &Specs) {
  if (!isArchive(Data, DataOffset, FileOffset))
    return 0;
  llvm::Expected<std::optional<ArchiveOrigin>> Origin =
      readArchiveOrigin(File.GetPath());
  if (!Origin) {
    report(Origin.takeError());
    return 0;
  }
  ModuleSpec Spec(File);
  if (*Origin) {
    Spec.GetArchitecture() = architecture(**Origin);
    Spec.GetUUID() = lldb_private::UUID((*Origin)->BuildID);
  }
  Specs.Append(Spec);
  return 1;
}

ObjectFileLidia::ObjectFileLidia(const ModuleSP &Module, DataBufferSP &Data,
                                 const FileSpec &File, offset_t Length,
                                 Archive A)
    : ObjectFile(Module, &File, /*file_offset=*/0, Length, Data,
                 /*data_offset=*/0),
      TheArchive(std::move(A)), Arch(architectureOf(TheArchive)),
      UUID(uuidOf(TheArchive)) {
  if (!Arch.IsValid())
    Arch = Module->GetArchitecture();
}

void ObjectFileLidia::CreateSections(SectionList &) {
  if (!m_sections_up)
    m_sections_up = std::make_unique<SectionList>();
}

} // namespace lidia
