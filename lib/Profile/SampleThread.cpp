//===- SampleThread.cpp - The threads of a profile ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Profilers have no common names of labels. These are those of perf's readers
// (here), OpenTelemetry, py-spy, async-profiler and pprof-rs.
//
//===----------------------------------------------------------------------===//

#include "SampleThread.h"

using namespace llvm;

namespace lidia {

SampleThread threadOf(const Profile &P, const Profile::Sample &S) {
  SampleThread T;
  for (const Profile::Label &L : P.labels(S)) {
    StringRef Key = P.Strings[L.Key];
    StringRef Text = P.Strings[L.Text];
    int64_t Number = L.Number;
    if (L.Text != 0)
      (void)Text.getAsInteger(10, Number);
    if (Key == "pid" || Key == "process.pid")
      T.PID = Number;
    else if (Key == "tid" || Key == "thread.id" || Key == "thread_id")
      T.TID = Number;
    else if (Key == "comm" || Key == "thread.name" || Key == "thread_name" ||
             Key == "thread")
      T.Name = Text;
    else if (Key == "process.executable.name")
      T.Process = Text;
    else if (Key == "cgroup")
      T.CGroup = Text;
  }
  return T;
}

SampleThread threadOf(const Profile &P, const Profile::Event &E) {
  SampleThread T = threadOf(P, P.Samples[E.Sample]);
  if (E.TID != 0)
    T.TID = E.TID;
  return T;
}

} // namespace lidia
