//===- ArchiveYAML.h - Archives from a readable description -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_ARCHIVEYAML_H
#define LIDIA_LIB_ARCHIVE_ARCHIVEYAML_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <string>

namespace lidia {

/// The keys of a description, for `yaml2lidia --help`.
extern const char ArchiveYAMLHelp[];

/// Makes the bytes of an archive from a description in YAML, for tests: the
/// contents, which ArchiveWriter lays out, followed by intentional damage.
///
/// Errors in the YAML itself name the line and are passed to \p Diagnose; the
/// returned error then only says that there were some.
llvm::Expected<std::string>
archiveFromYAML(llvm::MemoryBufferRef YAML,
                llvm::function_ref<void(llvm::StringRef)> Diagnose);

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_ARCHIVEYAML_H
