//===- Minidump.h - Crash dumps of Breakpad and Crashpad --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The format is defined by Microsoft (minidumpapiset.h). Breakpad and Crashpad
/// write it on all systems, with additional streams and fields
/// (src/google_breakpad/common/minidump_format.h in Breakpad).
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_MINIDUMP_MINIDUMP_H
#define LIDIA_MINIDUMP_MINIDUMP_H

#include "lidia/Archive/DebugID.h"
#include "lidia/Modules/ByteReader.h"
#include "lidia/Modules/OpenedFile.h"
#include "lidia/Process/Mappings.h"
#include "lidia/Unwind/Registers.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lidia {

enum class MinidumpOS : uint8_t {
  Unknown,
  Windows,
  MacOS,
  IOS,
  Linux,
  Solaris,
  Android,
  PS3,
  NaCl,
};

enum class MinidumpCPU : uint8_t {
  Unknown,
  X86,
  X86_64,
  Arm,
  AArch64,
  PPC,
  PPC64,
  SPARC,
  MIPS,
  MIPS64,
};

/// The system that the process ran on.
struct MinidumpSystem {
  MinidumpOS OS = MinidumpOS::Unknown;
  MinidumpCPU CPU = MinidumpCPU::Unknown;
  /// The number in the file that OS was derived from.
  uint32_t Platform = 0;
  /// "6.1.0-18-amd64" or "10.0.19041".
  std::string Version;
  /// Further information about the version; may be empty.
  std::string Build;
  /// "family 6 model 85 stepping 7"; empty if nothing is known.
  std::string CPUInfo;
  unsigned CPUCount = 0;

  bool isApple() const {
    return OS == MinidumpOS::MacOS || OS == MinidumpOS::IOS;
  }
  bool isLinux() const {
    return OS == MinidumpOS::Linux || OS == MinidumpOS::Android;
  }
  /// The size of an address in bytes; zero if the CPU is not known.
  unsigned addressSize() const;
};

/// A module that is, or was, loaded.
struct MinidumpModule {
  /// Its first address and the one after its last.
  uint64_t Begin = 0;
  uint64_t End = 0;
  /// Untrusted text, like all strings below.
  std::string Path;
  /// The name of the file with the debug information; empty if it is not known.
  std::string DebugFile;
  /// Whether DebugFile and ID come from a PDB record, as PE files have.
  bool HasPDBRecord = false;
  /// The build ID in the form of archives and stores: an ELF file's build ID, a
  /// Mach-O file's UUID, or the GUID and the age of a PE file. Empty if it is
  /// not known, or if only the first bytes of an ELF file's build ID are known
  /// (ID).
  std::vector<uint8_t> BuildID;
  std::optional<DebugID> ID;
  /// The identifier of the module's own file in the form of crash tools; empty
  /// if it is not known.
  std::string CodeID;
  /// "10.0.19041.546"; empty if it is not known.
  std::string Version;

  /// The last component of Path, with the separators of any system.
  llvm::StringRef name() const;
};

struct MinidumpThread {
  uint32_t ID = 0;
  /// None if the dump does not have it.
  std::optional<std::string> Name;
  /// The part of the stack that the dump has.
  uint64_t StackBegin = 0;
  uint64_t StackEnd = 0;
  /// Windows' thread environment block.
  uint64_t EnvironmentBlock = 0;
  /// None if the dump has none, or if the CPU is not supported.
  std::optional<RegisterSet> Registers;
};

/// Why the dump was written.
struct MinidumpException {
  uint32_t ThreadID = 0;
  /// The meaning of Code and Flags depends on the system: a signal and its
  /// si_code, an exception of Mach and its code, or an exception of Windows and
  /// its flags.
  uint32_t Code = 0;
  uint32_t Flags = 0;
  /// The address that could not be accessed, if that was the reason of the
  /// crash, or else the address of the instruction.
  uint64_t Address = 0;
  std::vector<uint64_t> Parameters;
  /// The registers at the crash. The thread's own registers may be those of the
  /// handler.
  std::optional<RegisterSet> Registers;
  /// "SIGSEGV / SEGV_MAPERR", "EXCEPTION_ACCESS_VIOLATION_READ", in the words
  /// of minidump-stackwalk.
  std::string Reason;
};

/// Information that Crashpad's handler adds.
struct CrashpadInfo {
  /// In big-endian digits; empty if it is zero.
  std::string ReportID;
  std::string ClientID;
  std::vector<std::pair<std::string, std::string>> Annotations;
};

/// A part of the memory that the dump has.
struct DumpedMemory {
  uint64_t Begin = 0;
  uint64_t End = 0;
  /// The offset in the file of the byte at Begin.
  uint64_t Offset = 0;
};

/// A region of memory with its permissions.
struct MinidumpRegion {
  uint64_t Begin = 0;
  uint64_t End = 0;
  bool Readable = false;
  bool Writable = false;
  bool Executable = false;
};

/// The contents of a minidump. Lists are in the order of the file unless stated
/// otherwise; nothing in them is trusted.
///
/// The reader's memory and time are bounded by the size of the file, whatever
/// its counts, sizes and offsets say. Parts may share bytes.
struct Minidump {
  /// Reads \p File, a minidump of a little-endian system; \p Path is for
  /// messages. Fails if it is not a minidump, or if its directory of streams
  /// cannot be read. Other broken parts are left out with a warning.
  static llvm::Expected<Minidump>
  read(const OpenedFile &File, llvm::StringRef Path, WarningFunction Warn);

  /// Whether \p File begins with the signature of a minidump.
  static bool is(const ByteReader &File);

  MinidumpSystem System;
  /// When it was written, in seconds since 1970.
  uint32_t Time = 0;
  std::optional<uint32_t> ProcessID;
  /// When the process began, in seconds since 1970.
  std::optional<uint32_t> ProcessTime;
  std::vector<MinidumpThread> Threads;
  std::vector<MinidumpModule> Modules;
  std::vector<MinidumpModule> UnloadedModules;
  std::optional<MinidumpException> Exception;
  /// Breakpad's thread that wrote the dump, and the one that asked for it.
  std::optional<uint32_t> DumpingThread;
  std::optional<uint32_t> RequestingThread;
  /// A failed assertion: its expression, function, file and line.
  std::string Assertion;
  std::optional<CrashpadInfo> Crashpad;
  /// In order of address, without overlaps: if two parts overlap, the one that
  /// begins first keeps its addresses.
  std::vector<DumpedMemory> Memory;
  /// From Windows or from /proc/PID/maps; in order of address, without
  /// overlaps.
  std::vector<MinidumpRegion> Regions;
  /// Contents of files of /proc and /etc at the time of the dump; empty if the
  /// dump does not have them.
  std::string LinuxMaps;
  std::string LinuxStatus;
  std::string LinuxRelease;
  std::string LinuxCPUInfo;

  /// Index in Threads of the thread that crashed or asked for the dump.
  std::optional<size_t> crashingThread() const;
};

} // namespace lidia

#endif // LIDIA_MINIDUMP_MINIDUMP_H
