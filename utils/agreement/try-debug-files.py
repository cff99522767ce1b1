#!/usr/bin/env python3
# Part of the lidia project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE.txt for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Try exported debug files with programs that read debug files.

    utils/agreement/try-debug-files.py [--llvm-lidia PROGRAM] [--binary]

Builds a program in each form (position-independent or not, with a shared object, with a
library that dlopen() loads, a relocatable object), and strips it. Each consumer must
name the function and the line of a crash or of an address, with the exported file as
its debug file: in a folder by build ID, by debug link, and in the cache of debuginfod's
client. Prints a table: "yes", "no", or "-" if a consumer does not search for debug
files in this way, or is not installed. The same is done with the debug file of `objcopy
--only-keep-debug`; if that also fails, the word is in brackets. The exit status is 1 if
an exported file fails where that one works.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

LIBRARY = """
volatile int sink;
__attribute__((noinline)) static void deepest(int *p) { *p = sink; }
__attribute__((noinline)) void outer(int *p) {
  for (int i = 0; i < 100000000; ++i)
    deepest(p);
}
"""
MAIN = """
extern void outer(int *);
int main(int argc, char **argv) {
  int n;
  outer(argc > 1 ? &n : (int *)0);
  return 0;
}
"""
DLOPEN = """
#include <dlfcn.h>
int main(int argc, char **argv) {
  int n;
  void (*f)(int *) = (void (*)(int *))dlsym(dlopen("./liba.so", RTLD_NOW), "outer");
  f(argc > 1 ? &n : (int *)0);
  return 0;
}
"""
# The line in deepest().
LINE = 3
FORMS = ["PIE", "non-PIE", "shared object", "dlopen", "relocatable"]
WAYS = ["build ID", "debug link", "debuginfod"]


def run(command, **options):
    options.setdefault("timeout", 120)
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", **options)
    except subprocess.TimeoutExpired:
        return "timeout"
    return done.stdout


def check(command, folder):
    subprocess.run(command, cwd=folder, check=True)


class Case:
    """A stripped program, and the debug file of the module that crashes."""

    def __init__(self, folder, form):
        self.folder, self.form = folder, form
        self.module = "a" if form in ("PIE", "non-PIE") else "liba.so"
        if form == "relocatable":
            self.module = "a.o"
        self.build()
        self.full = os.path.join(folder, "full")
        output = run(["readelf", "-n", self.full])
        found = re.search(r"Build ID: ([0-9a-f]+)", output)
        self.build_id = found and found[1]

    def path(self, name):
        return os.path.join(self.folder, name)

    def build(self):
        for name, text in (("lib.c", LIBRARY), ("main.c", MAIN), ("dl.c", DLOPEN)):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text)
        gcc = ["gcc", "-g", "-O2", "-fno-inline", "-fno-optimize-sibling-calls",
               "-Wl,--build-id"]
        if self.form in ("PIE", "non-PIE"):
            pie = ["-fPIE", "-pie"] if self.form == "PIE" else ["-fno-pie", "-no-pie"]
            check(gcc + pie + ["lib.c", "main.c", "-o", "a"], self.folder)
        elif self.form == "relocatable":
            check(gcc + ["-ffunction-sections", "-c", "lib.c", "-o", "one.o"],
                  self.folder)
            check(["ld", "-r", "--build-id", "one.o", "-o", "a.o"], self.folder)
        else:
            check(gcc + ["-fPIC", "-shared", "lib.c", "-o", "liba.so"], self.folder)
            main = "main.c" if self.form == "shared object" else "dl.c"
            link = ["./liba.so"] if self.form == "shared object" else []
            check(gcc + [main] + link + ["-ldl", "-o", "a"], self.folder)
        check(["cp", self.module, "full"], self.folder)
        flag = "--strip-debug" if self.form == "relocatable" else "--strip-all"
        check(["strip", flag, self.module], self.folder)

    def address(self, function):
        """The function's address in the module, and its section in a relocatable
        object."""
        for line in run(["nm", self.full]).splitlines():
            words = line.split()
            if words[-1] == function:
                return int(words[0], 16)
        raise ValueError(function)


def good(text):
    """Whether the text names the function and its line."""
    return "deepest" in text and re.search(rf"lib\.c:{LINE}\b", text)


class Tries:
    """One debug file, found in one of the ways."""

    def __init__(self, case, debug, way, core):
        self.case, self.way, self.core = case, way, core
        self.environment = dict(os.environ)
        for name in list(self.environment):
            if name.startswith("DEBUGINFOD"):
                del self.environment[name]
        self.root = tempfile.mkdtemp(dir=case.folder)
        module = case.path(case.module)
        check(["cp", case.path("stripped"), module], case.folder)
        if way == "build ID":
            place = os.path.join(self.root, ".build-id", case.build_id[:2])
            os.makedirs(place)
            shutil.copy(debug, os.path.join(place, case.build_id[2:] + ".debug"))
        elif way == "debug link":
            link = case.path("a.debug")
            shutil.copy(debug, link)
            check(["objcopy", "--remove-section=.gnu_debuglink",
                   "--add-gnu-debuglink=" + link, module], case.folder)
        else:
            place = os.path.join(self.root, case.build_id)
            os.makedirs(place)
            shutil.copy(debug, os.path.join(place, "debuginfo"))
            self.environment["DEBUGINFOD_CACHE_PATH"] = self.root
            self.environment["DEBUGINFOD_URLS"] = "http://127.0.0.1:1"

    def run(self, command, environment=None):
        return run(command, cwd=self.case.folder,
                   env=dict(self.environment, **(environment or {})))

    def in_system(self, command):
        """Runs COMMAND with the folder of build IDs at the place where programs search
        that have no option for it."""
        if self.way != "build ID":
            return self.run(command)
        script = ('mount -t overlay -o "lowerdir=$0:/usr/lib/debug" none '
                  '/usr/lib/debug && exec "$@"')
        return self.run(["unshare", "-rm", "sh", "-c", script, self.root] + command)

    def gdb(self):
        commands = ["set debug-file-directory " + self.root]
        if self.way == "debuginfod":
            commands.append("set debuginfod enabled on")
        if self.case.form == "relocatable":
            commands += ["file " + self.case.module, "info line deepest"]
            text = self.gdb_output(commands)
            return re.search(r'Line 3 of ".*lib\.c"', text)
        commands += ["file a", "core-file " + self.core, "bt"]
        return good(self.gdb_output(commands))

    def gdb_output(self, commands):
        arguments = ["gdb", "-nx", "-batch"]
        for command in commands:
            arguments += ["-ex", command]
        return self.run(arguments)

    def lldb(self):
        if self.way == "debuginfod" or self.case.form == "relocatable":
            return None
        commands = ["settings set symbols.enable-external-lookup true",
                    f"settings set target.debug-file-search-paths {self.root}"
                    f" {self.case.folder}",
                    f"target create -c {self.core} a", "bt"]
        arguments = ["lldb-19", "-x", "-b"]
        for command in commands:
            arguments += ["-o", command]
        return good(self.run(arguments))

    def eu_addr2line(self):
        address = self.case.address("deepest")
        arguments = ["eu-addr2line", "-f", "-e", self.case.module]
        if self.case.form == "relocatable":
            arguments += ["-j", ".text.deepest", hex(0)]
        else:
            arguments.append(hex(address))
        return good(self.in_system(arguments))

    def eu_stack(self):
        if self.case.form == "relocatable":
            return None
        text = self.in_system(["eu-stack", "-s", "-e", "a", "--core", self.core])
        return good(text)

    def valgrind(self):
        if self.case.form == "relocatable":
            return None
        return good(self.in_system(["valgrind", "./a"]))

    def llvm_symbolizer(self):
        address = self.case.address("deepest")
        arguments = ["llvm-symbolizer-19", "--obj=" + self.case.module]
        if self.way == "build ID":
            arguments.append("--debug-file-directory=" + self.root)
        if self.way == "debuginfod" or self.case.form == "relocatable":
            return None
        return good(self.run(arguments + [hex(address)]))

    def addr2line(self):
        # It supports only debug links, and build IDs in the system's folder.
        if self.way == "debuginfod":
            return None
        arguments = ["addr2line", "-f", "-e", self.case.module]
        if self.case.form == "relocatable":
            arguments += ["-j", ".text.deepest", "0"]
        else:
            arguments.append(hex(self.case.address("deepest")))
        return good(self.in_system(arguments))

    def perf(self):
        """Checks the names of functions. For lines, perf runs addr2line."""
        if self.case.form == "relocatable" or self.way == "debuginfod":
            return None
        data = os.path.join(self.root, "perf.data")
        perf = ["perf", "--buildid-dir", os.path.join(self.root, "perf")]
        self.run(perf + ["record", "-q", "-e", "cpu-clock:u", "-o", data, "./a", "loop"])
        text = self.in_system(perf + ["script", "-i", data, "-F", "ip,sym"])
        return "deepest" in text


CONSUMERS = [
    ("gdb", "gdb", Tries.gdb),
    ("lldb-19", "lldb-19", Tries.lldb),
    ("eu-addr2line", "eu-addr2line", Tries.eu_addr2line),
    ("eu-stack", "eu-stack", Tries.eu_stack),
    ("valgrind", "valgrind", Tries.valgrind),
    ("llvm-symbolizer", "llvm-symbolizer-19", Tries.llvm_symbolizer),
    ("addr2line", "addr2line", Tries.addr2line),
    ("perf", "perf", Tries.perf),
]


def make_core(case):
    """The core of the crash, written by gdb, which needs no system setting."""
    core = case.path("core.a")
    run(["gdb", "-nx", "-batch", "-ex", "run", "-ex", "generate-core-file " + core,
         "./a"], cwd=case.folder)
    return core


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llvm-lidia", default="llvm-lidia")
    parser.add_argument("--binary", action="store_true",
                        help="export with --binary, from an archive without a layout")
    parser.add_argument("--form", action="append", choices=FORMS)
    parser.add_argument("--way", action="append", choices=WAYS)
    parser.add_argument("--consumer", action="append",
                        choices=[name for name, _, _ in CONSUMERS])
    options = parser.parse_args()
    consumers = [c for c in CONSUMERS if shutil.which(c[1]) and
                 (not options.consumer or c[0] in options.consumer)]
    print("| form | debug file by | " + " | ".join(c[0] for c in consumers) + " |")
    print("| --- " * (len(consumers) + 2) + "|")
    failed = False
    for form in options.form or FORMS:
        with tempfile.TemporaryDirectory() as folder:
            case = Case(folder, form)
            check(["cp", case.module, "stripped"], folder)
            core = None if form == "relocatable" else make_core(case)
            check([options.llvm_lidia, "create", "--quiet", "--crc", "--columns",
                   "full", "-o", "x.lidia"], folder)
            arguments = ["--binary=stripped"] if options.binary else []
            check([options.llvm_lidia, "export", *arguments, "x.lidia", "-o",
                   "exported"], folder)
            check(["objcopy", "--only-keep-debug", "full", "kept"], folder)
            for way in options.way or WAYS:
                words = []
                for name, _, function in consumers:
                    ours = function(Tries(case, case.path("exported"), way, core))
                    theirs = function(Tries(case, case.path("kept"), way, core))
                    if ours is None:
                        words.append("-")
                        continue
                    word = "yes" if ours else "no"
                    words.append(word if theirs else f"({word})")
                    failed |= not ours and bool(theirs)
                print(f"| {form} | {way} | " + " | ".join(words) + " |", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
