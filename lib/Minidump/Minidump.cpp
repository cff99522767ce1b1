//===- Minidump.cpp - Crash dumps of Breakpad and Crashpad ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Minidump/Minidump.h"
#include "MinidumpReader.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia {

bool Minidump::is(const ByteReader &File) {
  support::ulittle32_t Magic;
  return File.readAll(0,
                      {reinterpret_cast<uint8_t *>(&Magic), sizeof(Magic)}) &&
         Magic == minidump::Header::MagicSignature;
}

Expected<Minidump> Minidump::read(const OpenedFile &File, StringRef Path,
                                  WarningFunction Warn) {
  MinidumpReader R(File, Path, Warn);
  Expected<minidump::Header> H = R.readDirectory();
  if (!H)
    return H.takeError();
  Minidump Dump;
  Dump.Time = H->TimeDateStamp;
  // The other parts depend on the system.
  readSystem(R, Dump);
  readThreads(R, Dump);
  readModules(R, Dump);
  readException(R, Dump);
  readMemory(R, Dump);
  readCrashpadInfo(R, Dump);
  return Dump;
}

std::optional<size_t> Minidump::crashingThread() const {
  std::optional<uint32_t> ID = RequestingThread;
  if (Exception)
    ID = Exception->ThreadID;
  if (!ID)
    return std::nullopt;
  auto Found =
      find_if(Threads, [&](const MinidumpThread &T) { return T.ID == *ID; });
  if (Found == Threads.end())
    return std::nullopt;
  return Found - Threads.begin();
}

} // namespace lidia
