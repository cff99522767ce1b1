//===- PutText.cpp - Objects that are made of text ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PutText.h"
#include "lidia/Error.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;

Error lidia::putText(SymbolStore &Store, StringRef Object, PutMode Mode,
                     function_ref<void(raw_ostream &)> Write,
                     StringRef Folder) {
  SmallString<128> Temporary(Folder);
  if (Folder.empty())
    sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Temporary);
  ErrorOr<UnfinishedFile> File = UnfinishedFile::create(
      Temporary, "lidia-text-", "", 0600, Store.options().Output);
  std::error_code EC = File.getError();
  if (File) {
    Write(File->os());
    EC = File->close();
  }
  if (EC)
    return make_error<SystemError>(
        EC, Temporary,
        "cannot make a temporary file: " + EC.message() + " (set TMPDIR?)");
  return Store.objects().put(Object, File->path(), Mode).takeError();
}
