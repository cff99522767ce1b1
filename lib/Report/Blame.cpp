//===- Blame.cpp - Which frame a reader wants to see first ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blame.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lidia {

static bool isRuntimeModule(StringRef Module) {
  // A path of Windows, too.
  StringRef Name = Module.substr(Module.find_last_of("/\\") + 1);
  static constexpr StringLiteral Starts[] = {
      "libc.so",     "libc-2.",      "libc.musl",   "ld-linux",
      "ld-2.",       "ld-musl",      "ld64.so",     "libpthread",
      "libstdc++.",  "libgcc_s",     "libc++.",     "libc++abi",
      "libm.so",     "libm-2.",      "librt.so",    "libdl.so",
      "libasan",     "libubsan",     "libtsan",     "liblsan",
      "libclang_rt", "libtcmalloc",  "libjemalloc", "libSystem",
      "libsystem_",  "[vdso]",       "linux-vdso",  "[vsyscall]",
      "ntdll.",      "KERNELBASE.",  "ucrtbase",    "kernel32.",
      "KERNEL32.",   "vcruntime140", "msvcrt.",     "MSVCP140"};
  return any_of(Starts, [&](StringRef S) { return Name.starts_with(S); });
}

/// The beginning of a function's name up to its arguments, without a return
/// type: "std::sort" of "void std::sort<int*>(int*, int*)".
static StringRef headOf(StringRef Name) {
  // Rust's "<alloc::vec::Vec<T> as core::ops::index::Index<I>>::index".
  Name.consume_front("<");
  StringRef Head = Name.take_front(Name.find_first_of("<("));
  if (Head.starts_with("operator "))
    return Head;
  return Head.substr(Head.rfind(' ') + 1);
}

bool isMachinery(StringRef Name, StringRef Module) {
  if (Name == "main")
    return false;
  if (isRuntimeModule(Module))
    return true;
  static constexpr StringLiteral Starts[] = {
      // C++, Rust and Go.
      "std::", "__gnu_cxx::", "__cxxabiv1::", "__cxa_", "operator new",
      "operator delete", "core::", "alloc::", "rust_", "__rust", "_rust",
      "panic_unwind::", "runtime.", "_cgo_",
      // Sanitizers.
      "__asan", "__interceptor", "___interceptor", "__sanitizer", "__ubsan",
      "__tsan", "__msan", "__lsan", "__hwasan",
      // The C library, linked statically.
      "__GI_", "__libc_", "__pthread_", "___pthread_", "pthread_", "__assert",
      "__lll_lock", "__futex", "futex_", "__stack_chk_fail", "__fortify_fail",
      "__chk_fail", "__malloc", "malloc_", "_int_", "__memcpy", "__memmove",
      "__memset", "__strlen", "__strcpy", "__clone"};
  static constexpr StringLiteral Names[] = {
      "_start",    "abort",        "assert_fail",
      "calloc",    "cfree",        "clone",
      "clone3",    "exit",         "free",
      "gsignal",   "kill",         "malloc",
      "memcmp",    "memcpy",       "memmove",
      "memset",    "nanosleep",    "poll",
      "raise",     "realloc",      "start_thread",
      "strcmp",    "strcpy",       "strlen",
      "syscall",   "tgkill",       "_exit",
      "__poll",    "__restore_rt", "clock_nanosleep",
      "epoll_wait"};
  StringRef Head = headOf(Name);
  return any_of(Starts, [&](StringRef S) { return Head.starts_with(S); }) ||
         is_contained(Names, Head);
}

} // namespace lidia
