//===- ForeignFile.h - Files of modules that are not ELF --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_MODULES_FOREIGNFILE_H
#define LIDIA_LIB_MODULES_FOREIGNFILE_H

#include "lidia/Miss.h"
#include "lidia/Modules/OpenedFile.h"
#include "lidia/Object/FileKind.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>

namespace lidia {

/// The identifier of a PE file, without its debug information: the time in its
/// header and the size of its image in memory, in lower-case digits. Symbol
/// servers have the file a.exe as a.exe/CODEID/a.exe.
std::string codeIDOfPE(uint32_t Time, uint64_t ImageSize);

/// What identifies a PE file, a Mach-O file or a PDB file.
struct ForeignFile {
  /// As in an archive; empty if the file has none.
  std::vector<uint8_t> BuildID;
  /// codeIDOfPE(); empty for other files, and for a packed one.
  std::string CodeID;
  bool IsPDB = false;
};

/// The kind of \p File by its first bytes.
FileKind fileKindOf(const ByteReader &File);

/// Whether \p File is a PE or Mach-O file, a PDB file or a cabinet file, in
/// which one may be packed.
bool isForeignFile(const ByteReader &File);

/// Identifies \p File, which may also be packed in a cabinet file. In a
/// universal file, the file with the build ID \p Wanted counts. \p Name is for
/// messages. Fails if it is another file.
llvm::Expected<ForeignFile> readForeignFile(const OpenedFile &File,
                                            llvm::StringRef Name,
                                            llvm::ArrayRef<uint8_t> Wanted);

struct LoadedModule;

/// The reason against the file \p Path with the build ID \p ItsID.
Miss isAnotherBuild(llvm::StringRef Path, llvm::ArrayRef<uint8_t> ItsID,
                    llvm::ArrayRef<uint8_t> Wanted);

/// Identifies files for modules. Any number of modules may have the name of a
/// file, so it remembers what is packed in a cabinet file. Thread-safe.
class ForeignFileReader {
public:
  /// Sets M.File if \p Opened is a PE or Mach-O file or a PDB file with the
  /// build ID M.BuildID or, if that is empty, a PE file with the code ID
  /// \p CodeID, or any of them if that is empty, too. Otherwise sets
  /// M.WhyNoFile.
  void setFile(LoadedModule &M, std::unique_ptr<OpenedFile> Opened,
               llvm::StringRef Path, llvm::StringRef CodeID = {});

private:
  /// What readForeignFile() returned.
  struct Result {
    ForeignFile File;
    Miss Failure;
  };

  static Result read(const OpenedFile &File, llvm::StringRef Name,
                     llvm::ArrayRef<uint8_t> Wanted);
  Result readOnce(const OpenedFile &File, llvm::StringRef Name,
                  llvm::ArrayRef<uint8_t> Wanted);

  std::mutex Mutex;
  /// What is in cabinet files, by OpenedFile::version().
  llvm::StringMap<Result> Unpacked;
};

} // namespace lidia

#endif // LIDIA_LIB_MODULES_FOREIGNFILE_H
