#!/usr/bin/env python3
# Part of the lidia project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE.txt for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs LLVM's own tests of llvm-symbolizer and llvm-addr2line with our programs.

usage: run-llvm-tests.py [options] LIBEXEC SOURCE

LIBEXEC is the folder with our programs under those names (build/libexec/lidia). SOURCE
is LLVM's source: a folder with llvm/test, or the archive of a source package
(llvm-toolchain-19_*.orig.tar.xz). utils/fetch-llvm-tests.sh fetches it.

A test that also fails with LLVM's own programs is out of scope. Tests that fail with
ours run again with LLVM's programs on the PATH, to which ours may leave queries that an
archive cannot answer. Prints the tests that did not pass, with the reason in
docs/Symbolizers.md, and how many passed, failed and are out of scope. Exits with 1 if a
test failed that the document does not list, or if one passed that it lists.
"""

import argparse
import errno
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

DOCUMENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs",
                        "Symbolizers.md")
PROGRAMS = ("llvm-symbolizer", "llvm-addr2line")
USES = re.compile(rb"RUN:.*\bllvm-(symbolizer|addr2line)\b")
# The folders with tests of these programs.
FOLDERS = ("DebugInfo", "Support", "tools/llvm-symbolizer")

CONFIG = """
import lit.formats
config.name = "llvm"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test", ".s", ".ll", ".yaml", ".c"]
config.excludes = ["Inputs"]
config.environment["PATH"] = {path!r}
config.environment["LIDIA_CACHE_DIR"] = {cache!r}
config.environment["LC_ALL"] = "C"
config.environment.update({environment!r})
config.substitutions.extend({messages!r})
config.substitutions.append(("%python", {python!r}))
config.substitutions.append(("%llc_dwarf", "llc"))
config.available_features.update({features!r})
config.target_triple = {triple!r}
config.targets = {targets!r}
config.test_exec_root = {output!r}
config.have_dia_sdk = False
"""


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        usage=argparse.SUPPRESS)
    parser.add_argument("--llvm", default="/usr/lib/llvm-19", metavar="DIR",
                        help="LLVM, with lit and FileCheck (default: %(default)s)")
    parser.add_argument("--verbose", action="store_true",
                        help="print the output of each test that failed")
    parser.add_argument("libexec", help=argparse.SUPPRESS)
    parser.add_argument("source", help=argparse.SUPPRESS)
    return parser.parse_args()


def documented():
    """The tests that the document lists, each with the reason why it fails."""
    with open(DOCUMENT, encoding="utf-8") as file:
        text = file.read().split("\n## LLVM's own tests\n", 1)[1].split("\n## ", 1)[0]
    reasons = {}
    for names, reason in re.findall(r"^\| (`.*?) \| (.*?) \|$", text, re.MULTILINE):
        for name in re.findall(r"`([^`]+)`", names):
            reasons[name] = reason
    return reasons


def unpack(source, work):
    """The folder llvm/test of SOURCE."""
    if os.path.isdir(source):
        return os.path.join(source, "llvm", "test")
    folder = os.path.join(work, "source")
    os.mkdir(folder)
    subprocess.run(["tar", "xf", source, "-C", folder, "--strip-components=1",
                    "--wildcards", *("*/llvm/test/" + f for f in FOLDERS)], check=True)
    return unpack(folder, work)


def copy_tests(source, tests):
    """Copies the tests that run our programs, with their inputs."""
    for top in FOLDERS:
        for folder, _, names in os.walk(os.path.join(source, top)):
            target = os.path.join(tests, os.path.relpath(folder, source))
            if os.path.basename(folder) == "Inputs":
                shutil.copytree(folder, target)
                continue
            for name in names:
                path = os.path.join(folder, name)
                if name != "lit.local.cfg":
                    with open(path, "rb") as file:
                        if "Inputs" in folder or not USES.search(file.read()):
                            continue
                os.makedirs(target, exist_ok=True)
                shutil.copy(path, target)


class Suite:
    """The tests, with LLVM's own programs until OURS replace them."""

    def __init__(self, llvm, source, work):
        self.llvm, self.work = llvm, work
        self.tests, self.programs = (os.path.join(work, f) for f in ("tests", "programs"))
        copy_tests(unpack(source, work), self.tests)
        os.mkdir(self.programs)

    def take_place(self, libexec):
        for name in PROGRAMS:
            os.symlink(os.path.join(os.path.abspath(libexec), name),
                       os.path.join(self.programs, name))

    def ask_llvm(self, option):
        return subprocess.run([os.path.join(self.llvm, "bin", "llvm-config"), option],
                              capture_output=True, text=True, check=True).stdout.split()

    def write_config(self, environment):
        targets = self.ask_llvm("--targets-built")
        features = {t.lower() + "-registered-target" for t in targets}
        features |= {"object-emission", "zlib", "zstd", platform.machine() + "-linux"}
        path = [self.programs, os.path.join(self.llvm, "bin"), os.environ["PATH"]]
        messages = [("%errc_" + name, "'" + os.strerror(number) + "'")
                    for number, name in errno.errorcode.items()]
        with open(os.path.join(self.tests, "lit.cfg"), "w", encoding="utf-8") as file:
            file.write(CONFIG.format(
                path=os.pathsep.join(path), cache=os.path.join(self.work, "cache"),
                environment=environment, messages=messages, python=sys.executable,
                features=features, targets=targets,
                triple=self.ask_llvm("--host-target")[0],
                output=os.path.join(self.work, "output")))

    def run(self, names=None, **environment):
        """The results of the tests with these NAMES, or of all."""
        if names is not None and not names:
            return {}
        self.write_config(environment)
        results = os.path.join(self.work, "results.json")
        lit = os.path.join(self.llvm, "build", "utils", "lit", "lit.py")
        chosen = [self.tests] if names is None else [os.path.join(self.tests, n)
                                                     for n in names]
        subprocess.run([sys.executable, lit, "-q", "--output", results, *chosen],
                       check=False, stdout=subprocess.DEVNULL)
        with open(results, encoding="utf-8") as file:
            return {test["name"].split(" :: ", 1)[1]: test
                    for test in json.load(file)["tests"]}


def not_passed(results):
    return {name for name, test in results.items() if test["code"] != "PASS"}


def main():
    args = parse_arguments()
    with tempfile.TemporaryDirectory(prefix="lidia-llvm-tests") as work:
        suite = Suite(args.llvm, args.source, work)
        theirs = suite.run()
        outside = not_passed(theirs)
        suite.take_place(args.libexec)
        # LLVM's own programs are not on the PATH.
        alone = suite.run(theirs.keys() - outside, LIDIA_SYMBOLIZER_NESTED="1")
        beside = suite.run(not_passed(alone))
    failed = not_passed(beside)
    reasons = documented()
    for test in sorted(outside):
        print("OUT OF SCOPE: %s: %s with LLVM's own" % (test, theirs[test]["code"]))
    for test in sorted(failed):
        print("FAILED: %s: %s" % (test, reasons.get(test, "not listed")))
        if args.verbose:
            print(beside[test]["output"])
    unexpected = sorted(set(reasons) - failed)
    for test in unexpected:
        print("LISTED, BUT DID NOT FAIL: " + test)
    print("%d passed (%d of them beside LLVM's own), %d failed, %d out of scope" %
          (len(alone) - len(failed), len(beside) - len(failed), len(failed), len(outside)))
    sys.exit(bool(unexpected or failed - set(reasons)))


if __name__ == "__main__":
    main()
