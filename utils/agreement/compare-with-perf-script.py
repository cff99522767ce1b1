#!/usr/bin/env python3
"""Compares a perf recording, as lidia reads it, with the output of perf script.

    compare-with-perf-script.py [options] PERF.DATA...

Each event's thread, time, period and name, and each frame's address, file and function
must be the same. perf reads the files of this machine, and lidia reads those below
--sysroot (by default the same), or only the archives of --store. The exit status is 0
if nothing is unexplained. Differences with a known reason are counted by reason:

  cut: perf script prints at most 127 frames of a stack.
  call: perf names the symbol at a return address, lidia that of the call before it.
  alias: the same address has several symbols, and lidia or the file has the other
    name; or one of the two has a symbol's name without its end (".cold").
  shorter: perf gives up unwinding, and lidia finds more callers after all of perf's.
  astray: perf omits callers, and so ends earlier, usually at an address without
    code: in functions without a frame pointer, which perf then trusts.
  zero: perf's last frame is the one before address 0.
  dropped: perf drops a stack that has an impossible address; lidia ends it there.
  no stack: perf prints none; lidia takes the address of the sample.
  no name: only one of the two knows a name for the address.
  data: an address in a mapping of data, or of a program before exec, which only
    perf tracks; no function is there.
"""

import argparse
import collections
import re
import shutil
import subprocess
import sys

FIELDS = "comm,pid,tid,time,event,period,ip,sym,symoff,dso"
HEADER = re.compile(r"^\s*(.*?)\s+(-?\d+)/(-?\d+)\s+(\d+)\.(\d{9}):\s+(\d+)\s+(\S+?):(?:\s+(.*))?$")
FRAME = re.compile(r"^\s*([0-9a-f]+) (.*?)(?:\+0x([0-9a-f]+))? \(([^()]*(?: \(deleted\))?)\)$")
MOST_FRAMES = 127


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode(errors="surrogateescape").split("\n")


def frame_of(text):
    match = FRAME.match(text)
    if not match:
        sys.exit(f"perf script printed '{text}'")
    address, symbol, offset, file = match.groups()
    known = symbol not in ("[unknown]", "")
    return (int(address, 16), symbol if known else "", offset == "0",
            "" if file == "[unknown]" else file.removesuffix(" (deleted)"))


def events_of_perf(path):
    lines = run(["perf", "script", "-f", "-i", path, "--no-inline", "--ns", "-F",
                 FIELDS])
    events = []
    for line in lines:
        if not line:
            continue
        if line.startswith("\t"):
            events[-1][1].append(frame_of(line))
            continue
        match = HEADER.match(line)
        if not match:
            sys.exit(f"perf script printed '{line}'")
        comm, pid, tid, seconds, nanoseconds, period, event, rest = match.groups()
        time = int(seconds) * 10**9 + int(nanoseconds)
        events.append(((comm, int(pid), int(tid), time, int(period), event), []))
        if rest and rest.strip():
            events[-1][1].append(frame_of(rest))
    return events


def events_of_lidia(program, path, options):
    events = []
    for line in run([program] + options + [path]):
        fields = line.split("\t")
        if fields[0] == "E":
            comm, pid, tid, time, period, event = fields[1:]
            # perf pads names with blanks, so names of only spaces look the same.
            events.append(((comm.strip(), int(pid), int(tid), int(time),
                            int(period), event.strip()), []))
        elif fields[0] == "F":
            events[-1][1].append((int(fields[1], 16), fields[2] == "1",
                                  int(fields[3], 16),
                                  fields[4].removesuffix(" (deleted)"), fields[5]))
    return events


DEMANGLED = {}


def demangle(names):
    missing = sorted({n for n in names if n not in DEMANGLED})
    if missing:
        tool = shutil.which("c++filt") or shutil.which("llvm-cxxfilt-19")
        text = subprocess.run([tool, "-p"], input="\n".join(missing) + "\n", text=True,
                              stdout=subprocess.PIPE, check=True).stdout
        DEMANGLED.update(zip(missing, text.split("\n")))


def stem(name):
    """The name without arguments and without suffixes from compilers."""
    name = DEMANGLED.get(name, name)
    name = re.sub(r"\[clone [^]]*\]", "", name)
    name = re.sub(r"\(.*", "", name).strip()
    name = re.sub(r"::h[0-9a-f]{16}$", "", name)
    return re.split(r"[.@]", name)[0] or name


def same_file(theirs, ours):
    if theirs.startswith("[kernel.kallsyms]"):
        return ours.startswith("[kernel.kallsyms]") or not ours
    if theirs.startswith("/tmp/perf-") or theirs.startswith("bpf_prog_"):
        return True
    if theirs.startswith("["):
        # A kernel module, by its name.
        base = ours.rsplit("/", 1)[-1].split(".")[0].replace("-", "_")
        return ours == theirs or theirs.strip("[]") == base
    return theirs == ours


class Comparison:
    def __init__(self, verbose, every):
        self.every = every
        self.counts = collections.Counter()
        self.shown = 0
        self.verbose = verbose
        self.symbols = 0

    def note(self, reason, *what):
        self.counts[reason] += 1
        is_bad = reason.startswith("UNEXPLAINED")
        if (is_bad or self.every) and self.shown < self.verbose:
            self.shown += 1
            print("  ", reason, *what)

    @staticmethod
    def is_at(their, our):
        """Whether the addresses agree. perf prints offsets or addresses; for stacks
        that it unwound itself, those of the calls."""
        runtime, is_return, offset = our[:3]
        return their[0] in (runtime, offset, runtime - is_return, offset - is_return)

    @staticmethod
    def is_among(their, our):
        """Whether all frames except the last are among ours, in order."""
        rest = iter(our)
        return all(any(Comparison.is_at(frame, f) for f in rest) for frame in their[:-1])

    def frame(self, event, their, our):
        address, name, at_begin, file = their
        runtime, is_return, offset, our_file, our_name = our
        self.counts["frames"] += 1
        if file and not our_file:
            self.note("data")
        elif not self.is_at(their, our):
            self.note("UNEXPLAINED address", event, their, our)
        elif file and not same_file(file, our_file):
            self.note("UNEXPLAINED file", event, their, our)
        elif bool(name) != bool(our_name):
            self.note("no name (perf's only)" if name else "no name (ours only)",
                      event, their, our)
        elif name and stem(name) != stem(our_name):
            if is_return and at_begin:
                self.note("call")
            else:
                self.note("alias", event, their, our)
        elif name:
            self.symbols += 1

    def event(self, theirs, ours):
        self.counts["events"] += 1
        if theirs[0] != ours[0]:
            return self.note("UNEXPLAINED event", theirs[0], ours[0])
        their, our = theirs[1], ours[1]
        if len(their) == MOST_FRAMES and len(our) > MOST_FRAMES:
            self.note("cut")
            our = our[:MOST_FRAMES]
        if not their and our:
            return self.note("dropped" if len(our) > 1 else "no stack")
        if their and their[-1][0] == 2**64 - 1:
            self.note("zero")
            their.pop()
        if len(their) < len(our):
            # Kernel frames come first, and never differ.
            same = 0
            while same < len(their) and self.is_at(their[same], our[same]):
                same += 1
            if same == len(their):
                self.note("shorter")
                our = our[:same]
            elif self.is_among(their, our):
                return self.note("astray")
        if len(their) != len(our):
            return self.note("UNEXPLAINED number of frames", theirs[0],
                             f"{len(their)} {len(our)}",
                             f"\n      perf: {their}\n      lidia: {our}")
        for pair in zip(their, our):
            self.frame(theirs[0], *pair)


def compare(args, path):
    options = [f"--sysroot={args.sysroot}"]
    if args.store:
        options = [f"--store={args.store}"]
    theirs = events_of_perf(path)
    ours = events_of_lidia(args.lidia_perf_events, path, options)
    demangle({f[4] for e in ours for f in e[1]} | {f[1] for e in theirs for f in e[1]})
    result = Comparison(args.show, args.every)
    if len(theirs) != len(ours):
        result.note("UNEXPLAINED number of events", len(theirs), len(ours))
    for pair in zip(theirs, ours):
        result.event(*pair)
    counts = result.counts
    bad = sum(n for what, n in counts.items() if what.startswith("UNEXPLAINED"))
    rest = ", ".join(f"{what}: {n}" for what, n in sorted(counts.items())
                     if what not in ("events", "frames"))
    print(f"{path}: {counts['events']} events, {counts['frames']} frames, "
          f"{result.symbols} with the same name" + (f"; {rest}" if rest else ""))
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--lidia-perf-events", default="build/bin/lidia-perf-events")
    parser.add_argument("--sysroot", default="/")
    parser.add_argument("--store")
    parser.add_argument("--show", type=int, default=10,
                        help="unexplained differences to print")
    parser.add_argument("--every", action="store_true",
                        help="print differences with a reason, too")
    parser.add_argument("recordings", nargs="+")
    args = parser.parse_args()
    return 1 if sum(compare(args, path) for path in args.recordings) else 0


if __name__ == "__main__":
    sys.exit(main())
