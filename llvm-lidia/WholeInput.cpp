//===- WholeInput.cpp - Reads a whole input -------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WholeInput.h"
#include "Support/InputFile.h"
#include <unistd.h>

using namespace llvm;

namespace lidia {

Expected<std::unique_ptr<MemoryBuffer>> readWholeInput(StringRef Path) {
  // A device may be endless.
  if (Path != "-" && isDevice(Path))
    return createStringError(Path + " is a device");
  bool IsStandardInput = Path == "-";
  if (IsStandardInput)
    Path = "standard input";
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer =
      IsStandardInput
          ? MemoryBuffer::getOpenFile(STDIN_FILENO, Path, /*FileSize=*/-1,
                                      /*RequiresNullTerminator=*/false)
          : MemoryBuffer::getFile(Path, /*IsText=*/false,
                                  /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return createStringError(Buffer.getError(),
                             Path + ": " + Buffer.getError().message());
  if ((*Buffer)->getBufferSize() == 0)
    return createStringError(Path + ": is empty");
  return std::move(*Buffer);
}

} // namespace lidia
