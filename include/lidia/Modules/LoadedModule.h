//===- LoadedModule.h - The file of a module --------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_MODULES_LOADEDMODULE_H
#define LIDIA_MODULES_LOADEDMODULE_H

#include "lidia/Miss.h"
#include "lidia/Modules/OpenedFile.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lidia {

struct ELFHeaders;

/// An ELF file, or an image in memory, that is loaded in an address space.
struct LoadedModule {
  LoadedModule();
  LoadedModule(LoadedModule &&);
  LoadedModule &operator=(LoadedModule &&);
  ~LoadedModule();

  /// The file, if it could be opened and has the build ID that is known from
  /// the address space. Otherwise null, and WhyNoFile is the reason.
  std::unique_ptr<OpenedFile> File;
  Miss WhyNoFile;
  /// The build ID from the list of mappings, memory or the file, in this order;
  /// empty if none of these has one.
  std::vector<uint8_t> BuildID;
  /// The headers from the file or else from memory; null if neither has them.
  std::unique_ptr<ELFHeaders> Headers;

  /// Reads from File what is loaded at the module's own address \p Address.
  /// Returns how many bytes it has put into \p To.
  size_t read(uint64_t Address, llvm::MutableArrayRef<uint8_t> To) const;

  /// Sets File and Headers if \p Opened is an ELF file with the build ID
  /// BuildID (any ELF file if that is empty), or one without a build ID whose
  /// code has that hash. Otherwise sets WhyNoFile. \p Path
  /// is for messages.
  void setFile(llvm::Expected<std::unique_ptr<OpenedFile>> Opened,
               llvm::StringRef Path);
};

} // namespace lidia

#endif // LIDIA_MODULES_LOADEDMODULE_H
