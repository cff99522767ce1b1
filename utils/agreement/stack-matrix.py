#!/usr/bin/env python3
"""Shows which stacks can be read, in one table.

stack-matrix.py [options]

Builds a small program in each language that is installed, for glibc and for musl. Each
program calls a chain of functions, through a callback of its library, and waits; then it
crashes. The stacks that `llvm-lidia` shows of the process, of its core, of the core from a
pipe, of a minidump (made of the process, with what writers of minidumps keep) and of a
recording by perf must have the functions of the chain in this order.

Prints a table in Markdown. The exit status is 1 if a cell that has no known reason fails.
"""

import argparse
import collections
import contextlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import minidump_of_core

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stack-programs")
INPUTS = ("process", "core", "piped core", "minidump", "recording")
C_CHAIN = ["inner", "compare", "middle", "outer", "main"]
RUST_CHAIN = ["::inner", "::middle::.*closure", "::middle", "outer", "::main"]
PYTHON_CHAIN = ["py::inner", "py::key", "py::middle", "py::outer", "py::<module>", "main"]
NODE_CHAIN = ["JS:.inner ", "JS:.compare ", "JS:.middle ", "JS:.outer ", "main"]
JAVA_CHAIN = [r"Chain(\.|::)inner", r"Chain(\.|::)compare", r"Chain(\.|::)middle", r"Chain(\.|::)outer", r"Chain(\.|::)main"]
GO_CHAIN = ["waitAndCrash", "goInner", "middle", r"main\.outer", r"main\.main"]
GO_SPIN = [r"main\.spin", r"main\.outer\.func", r"main\.outer", r"main\.main"]

# A language for one C library. BUILD is a list of commands; CHAIN has a regular expression
# for each function that waits, innermost first, SPIN for each that is busy.
Case = collections.namedtuple("Case", "language libc tools build run chain spin perf_map reasons environment")


def case(language, libc, tools, build, run, chain, spin=None, perf_map=False, reasons=None, **environment):
    return Case(language, libc, tools, build, run, chain, spin or chain, perf_map, reasons or {}, environment)


ONE_STACK = {
    "minidump": "a minidump has one stack of each thread, and this chain is on three",
}
NO_CODE = {
    "minidump": "a minidump has no code of just-in-time compilers",
    "recording": "a recording has no code of just-in-time compilers",
}
NO_MUSL = "the distribution has no build for musl"


def cases(zig):
    c = ["-g", "-O2", "-o", "p"]
    node = ["node", "--perf-basic-prof", "--interpreted-frames-native-stack", f"{PROGRAMS}/chain.js"]
    java = ["java", "-Xmx32m", "-XX:+UseSerialGC", "-Xcomp", "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=compileonly,Chain::*", "-XX:CompileCommand=dontinline,Chain::*",
            "-XX:+PreserveFramePointer", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit", "-cp", ".", "Chain"]
    python = ["python3.12", "-X", "perf", f"{PROGRAMS}/chain.py"]
    go = ["go", "build", "-o", "p", "chain.go"]
    static = ["go", "build", "-o", "p", "-ldflags", "-linkmode external -extldflags -static", "chain.go"]
    sources = {"C": "chain.c", "C++": "chain.cpp", "Rust": "chain.rs", "Zig": "chain.zig"}
    path = {language: f"{PROGRAMS}/{name}" for language, name in sources.items()}
    rust = ["rustc", "-g", "-O", "-o", "p", path["Rust"]]
    return [
        case("C", "glibc", ["gcc"], [["gcc", *c, path["C"]]], ["./p"], C_CHAIN),
        case("C", "musl", ["musl-gcc"], [["musl-gcc", "-static", *c, path["C"]]], ["./p"], C_CHAIN),
        case("C++", "glibc", ["g++"], [["g++", *c, path["C++"]]], ["./p"],
             ["inner", "lambda", "middle", "outer", "main"]),
        case("C++", "musl", [zig], [[zig, "c++", "-target", "x86_64-linux-musl", *c, path["C++"]]], ["./p"],
             ["inner", r"lambda|\$_0", "middle", "outer", "main"]),
        case("Rust", "glibc", ["rustc"], [rust], ["./p"], RUST_CHAIN),
        case("Rust", "musl", ["rustc"], [rust + ["--target", "x86_64-unknown-linux-musl"]], ["./p"], RUST_CHAIN),
        case("Go", "glibc", ["go", "gcc"], [["cp", f"{PROGRAMS}/chain.go", "."], go], ["./p"], GO_CHAIN, GO_SPIN,
             reasons=ONE_STACK, CGO_ENABLED="1", GOTRACEBACK="crash"),
        case("Go", "musl", ["go", "musl-gcc"], [["cp", f"{PROGRAMS}/chain.go", "."], static], ["./p"], GO_CHAIN, GO_SPIN,
             reasons=ONE_STACK, CGO_ENABLED="1", CC="musl-gcc", GOTRACEBACK="crash"),
        *(case("Zig", libc, [zig], [[zig, "build-exe", "-lc", "-ODebug", "-target",
                                     f"x86_64-linux-{target}", "-femit-bin=p", path["Zig"]]], ["./p"],
               [f"chain.{n}|^{n}$" for n in C_CHAIN])
          for libc, target in (("glibc", "gnu"), ("musl", "musl"))),
        case("Python", "glibc", ["python3.12"], [], python, PYTHON_CHAIN, perf_map=True,
             reasons=NO_CODE),
        case("Python", "musl", NO_MUSL, [], [], []),
        case("Node", "glibc", ["node"], [], node, NODE_CHAIN, perf_map=True),
        case("Node", "musl", NO_MUSL, [], [], []),
        case("Java", "glibc", ["java", "javac", "jcmd"], [["javac", "-nowarn", "-d", ".", f"{PROGRAMS}/Chain.java"]],
             java, JAVA_CHAIN, perf_map=True),
        case("Java", "musl", NO_MUSL, [], [], []),
    ]


def find_chain(names, chain):
    """The number of the functions of CHAIN that NAMES have in this order."""
    found = 0
    for name in names:
        if found != len(chain) and re.search(chain[found], name):
            found += 1
    return found


class Trial:
    """One program, in the current folder."""

    def __init__(self, args, which):
        self.args, self.case = args, which
        self.environment = dict(os.environ, **which.environment)
        self.cells = {}

    def fail(self, reason):
        for name in INPUTS:
            self.cells.setdefault(name, "no: " + reason)

    def run(self):
        if isinstance(self.case.tools, str):
            return self.fail(self.case.tools)
        for tool in self.case.tools:
            if not shutil.which(tool):
                return self.fail(f"`{os.path.basename(tool)}` is not installed")
        for command in self.case.build:
            result = subprocess.run(command, capture_output=True, text=True, check=False, env=self.environment)
            if result.returncode:
                if "can't find crate for `std`" in result.stderr:
                    return self.fail("the target is not installed")
                reason = next((l for l in result.stderr.splitlines() if "error" in l), result.stderr[:200])
                return self.fail(f"`{os.path.basename(command[0])}`: {reason.strip()}")
        self.wait_and_crash()
        self.record()
        return None

    def wait_and_crash(self):
        infinity = resource.RLIM_INFINITY
        process = subprocess.Popen(self.case.run, env=self.environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (infinity, infinity)))
        deadline = time.time() + 60
        while not os.path.exists("ready") and time.time() < deadline and process.poll() is None:
            time.sleep(0.05)
        time.sleep(0.2)
        options = self.perf_map(process.pid)
        self.check("process", ["--pid", str(process.pid), *options])
        self.check_minidump(process.pid, options)
        open("go", "w").close()
        process.wait()
        cores = [name for name in os.listdir(".") if name.startswith("core")]
        if not cores:
            self.cells.update({name: "no: no core is written here (core_pattern)" for name in INPUTS[1:3]})
            return
        self.check("core", ["--core", cores[0], *options])
        with open(cores[0], "rb") as core:
            self.check("piped core", ["--core=-", *options], core)
        os.remove(cores[0])
        if self.case.perf_map:
            with contextlib.suppress(OSError):
                os.remove(f"/tmp/perf-{process.pid}.map")

    def check_minidump(self, pid, options):
        """A minidump of the waiting process: writers give the registers of the crash, and the
        kernel those of the signal's handler if the program has one."""
        if not shutil.which("gcore"):
            self.cells["minidump"] = "no: `gcore` is not installed"
            return
        subprocess.run(["gcore", "-o", "snapshot", str(pid)], capture_output=True, check=False)
        minidump_of_core.write_minidump(f"snapshot.{pid}", "p.dmp")
        os.remove(f"snapshot.{pid}")
        self.check("minidump", ["--minidump=p.dmp", "--sysroot=/", *options])

    def perf_map(self, pid):
        """The options for the names of compiled code, of which more may follow."""
        if not self.case.perf_map:
            return []
        if self.case.language == "Java":
            subprocess.run(["jcmd", str(pid), "Compiler.perfmap"], capture_output=True, check=False)
        return [f"--perf-map=/tmp/perf-{pid}.map"]

    def lidia(self, arguments, source=None):
        result = subprocess.run([self.args.llvm_lidia, *arguments], stdin=source, capture_output=True, check=False,
                                env=self.environment)
        if self.args.verbose:
            print(arguments, result.stderr.decode(errors="replace")[:2000], file=sys.stderr)
        return result.stdout.decode(errors="replace")

    def check(self, name, target, source=None):
        text = self.lidia(["stack", "--no-cache", "--format=llvm-json", *target], source)
        stacks = json.loads(text or "[]")
        names = [[s["FunctionName"] for f in stack["Frames"] for s in f["Symbol"]] for stack in stacks]
        ends = [stack["End"] for stack in stacks]
        self.judge(name, list(zip(names, ends)), self.case.chain)

    def judge(self, name, stacks, chain):
        best = max(stacks, key=lambda s: find_chain(s[0], chain), default=([], "no stack"))
        count = find_chain(best[0], chain)
        if count == len(chain):
            self.cells[name] = "yes"
            return
        reason = self.case.reasons.get(name, "FAILS")
        self.cells[name] = f"{count} of {len(chain)}: {reason}"
        if self.args.verbose:
            print(f"{self.case.language}, {self.case.libc}, {name}: {best[1]}\n  " + "\n  ".join(best[0]),
                  file=sys.stderr)

    def record(self):
        if not self.args.perf:
            self.cells["recording"] = "no: perf cannot record here"
            return
        environment = dict(self.environment, SPIN="1")
        subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "99", "--call-graph", "dwarf,16384",
                        "-o", "perf.data", "--", *self.case.run], env=environment, capture_output=True, check=False)
        text = self.lidia(["profile", "--no-cache", "--sysroot=/", "--format=folded", "perf.data"])
        os.remove("perf.data")
        stacks = [(line.rpartition(" ")[0].split(";")[::-1], "folded") for line in text.splitlines()]
        self.judge("recording", stacks, self.case.spin)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--llvm-lidia", default="llvm-lidia")
    parser.add_argument("--zig", default="zig", help="the program zig, which also compiles C++ for musl")
    parser.add_argument("--only", help="a language")
    parser.add_argument("--verbose", action="store_true", help="print stacks that lack a function")
    args = parser.parse_args()
    args.llvm_lidia = os.path.abspath(shutil.which(args.llvm_lidia) or args.llvm_lidia)
    args.perf = shutil.which("perf") and subprocess.run(
        ["perf", "record", "-q", "-e", "cpu-clock:u", "-o", "/dev/null", "true"],
        capture_output=True, check=False).returncode == 0
    print("| language | C library | " + " | ".join(INPUTS) + " |\n|" + " --- |" * (2 + len(INPUTS)))
    good, start = True, os.getcwd()
    for which in cases(args.zig):
        if args.only and which.language != args.only:
            continue
        with tempfile.TemporaryDirectory(prefix="stack-matrix-") as folder:
            os.chdir(folder)
            trial = Trial(args, which)
            trial.run()
            os.chdir(start)
        cells = [trial.cells[name] for name in INPUTS]
        if len(set(cells)) == 1 and cells[0] != "yes":
            cells[1:] = ["no"] * (len(cells) - 1)
        good &= not any("FAILS" in cell for cell in cells)
        print(f"| {which.language} | {which.libc} | {' | '.join(cells)} |", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
