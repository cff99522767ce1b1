"""Runs llvm-lidia with faults, many times a second, and checks its behaviour.

    faults.py flips|truncations|calls|allocations --library faults.so
        --inputs DIR --work DIR [--every N] [--only COMMAND]

flips, truncations: one bit of an input file is inverted, or the file is truncated.
calls: a system call fails, or transfers less than requested.
allocations: malloc, an anonymous mapping or a new thread fails.

In all cases, the tool must end by itself, with exit status 0 or 1. With 1 it must print
the reason. There must be no stack trace and no unfinished file, and an old file with
the output's name must be complete. If the input is valid, exit status 0 means the
correct and complete answer, or a warning about missing parts.

Every fault is tried or, with --every N, each Nth one, and all allocations around the
creation of a file. Prints failures and a line of figures for each command. Exit status
1 means that something failed.
"""

import argparse
import errno
import os
import shutil
import struct
import subprocess
import sys
import tempfile

NO_FAULT, ONE_CALL, FULL_DISK, SHORT_TRANSFER, ONE_ALLOCATION, ALL_ALLOCATIONS = range(6)


class Server:
    """A program that is started once and runs again for each order."""

    def __init__(self, library, command, folder, environment):
        self.outputs = [os.path.join(folder, name) for name in ("stdout", "stderr")]
        files = [open(path, "ab") for path in self.outputs]
        order_read, self.order = os.pipe()
        self.answer, answer_write = os.pipe()
        # In LD_PRELOAD, a space ends a path.
        self.links = tempfile.TemporaryDirectory()
        link = os.path.join(self.links.name, "faults.so")
        os.symlink(os.path.abspath(library), link)
        environment = dict(environment, LD_PRELOAD=link,
                           FAULTS_CONTROL="%d,%d" % (order_read, answer_write))
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=files[0], stderr=files[1],
            env=environment, pass_fds=(order_read, answer_write))
        for descriptor in (order_read, answer_write):
            os.close(descriptor)
        self.files = files

    def run(self, kind=NO_FAULT, nth=0, error=0):
        """Returns (wait status, system calls, allocations, allocations before the last
        file was created) for one run."""
        for file in self.files:
            os.ftruncate(file.fileno(), 0)
        os.write(self.order, struct.pack("3i", kind, nth, error))
        answer = os.read(self.answer, 16)
        if len(answer) != 16:
            sys.exit("the server died: is the library right for this program?")
        return struct.unpack("4i", answer)

    def output(self):
        contents = []
        for path in self.outputs:
            with open(path, "rb") as file:
                contents.append(file.read())
        return contents

    def close(self):
        os.close(self.order)
        os.close(self.answer)
        self.process.wait()
        for file in self.files:
            file.close()


class Command:
    """A command line for one input, in a separate folder."""

    def __init__(self, name, arguments, output=None, cache=False):
        self.name = name
        self.arguments = arguments
        # The file that it writes, in the folder "out".
        self.output = output
        self.cache = cache


OLD = b"the old file\n"


class Bench:
    """A command that is ready to run with faults."""

    def __init__(self, arguments, command, source):
        self.command = command
        self.folder = os.path.join(arguments.work, command.name)
        shutil.rmtree(self.folder, ignore_errors=True)
        for name in ("out", "tmp", "cache"):
            os.makedirs(self.path(name), mode=0o700)
        shutil.copy(source, self.path("input"))
        with open(source, "rb") as file:
            self.bytes = file.read()
        environment = dict(os.environ, TMPDIR=self.path("tmp"), LC_ALL="C",
                           LIDIA_CACHE_DIR=self.path("cache"))
        line = ["llvm-lidia"] + [a.replace("%", self.folder + "/") for a in command.arguments]
        line[0] = shutil.which(line[0])
        self.server = Server(arguments.library, line, self.folder, environment)
        self.broken = 0
        self.runs = 0
        self.warned = 0
        # The new file, if an error after its creation leaves it.
        self.whole = OLD

    def path(self, name):
        return os.path.join(self.folder, name)

    def prepare(self, old):
        """Sets the folder up for the command."""
        for name in ("out", "tmp", "cache"):
            for entry in os.listdir(self.path(name)):
                os.unlink(os.path.join(self.path(name), entry))
        if old and self.command.output:
            with open(os.path.join(self.path("out"), self.command.output), "wb") as file:
                file.write(OLD)

    def read(self, folder):
        contents = {}
        for entry in os.listdir(self.path(folder)):
            with open(os.path.join(self.path(folder), entry), "rb") as file:
                contents[entry] = file.read()
        return contents

    def complain(self, fault, what):
        self.broken += 1
        # Print only the first few failures.
        if self.broken <= 20:
            print("%s: %s: %s" % (self.command.name, fault, what))

    def check(self, fault, status, old):
        """Checks the conditions for every run. Returns (exit status, stdout, stderr,
        files in out)."""
        self.runs += 1
        stdout, stderr = self.server.output()
        files = self.read("out")
        if os.WIFSIGNALED(status):
            self.complain(fault, "ended by signal %d: %r" % (os.WTERMSIG(status), stderr[-300:]))
            return None
        code = os.WEXITSTATUS(status)
        if code not in (0, 1):
            self.complain(fault, "exit status %d: %r" % (code, stderr[-300:]))
            return None
        if b"Stack dump" in stderr or b"PLEASE submit" in stderr:
            self.complain(fault, "a stack trace")
        if code == 1 and b"error:" not in stderr:
            self.complain(fault, "no message: %r" % stderr[-300:])
        left = os.listdir(self.path("tmp"))
        if left:
            self.complain(fault, "left in TMPDIR: %s" % left)
        expected = {self.command.output} if self.command.output and (code == 0 or old) else set()
        if set(files) != expected:
            self.complain(fault, "files in out: %s instead of %s (exit status %d)" %
                          (sorted(files), sorted(expected), code))
        elif code == 1 and old and files and \
                files[self.command.output] not in (OLD, self.whole):
            self.complain(fault, "exit status 1, and the old file is lost")
        return code, stdout, stderr, files

    def close(self):
        self.server.close()
        print("%s: %d runs, %d broke, %d warned" %
              (self.command.name, self.runs, self.broken, self.warned), flush=True)


def damage(bench, arguments):
    """Tries every truncation, or every bit flip, of the input."""
    size = len(bench.bytes)
    with open(bench.path("input"), "r+b", buffering=0) as file:
        if arguments.what == "truncations":
            for length in range(0, size, arguments.every):
                os.ftruncate(file.fileno(), 0)
                os.pwrite(file.fileno(), bench.bytes[:length], 0)
                bench.prepare(old=False)
                bench.check("%d of %d bytes" % (length, size), bench.server.run()[0], False)
            return
        # Odd steps reach all bits of a byte.
        for place in range(0, size * 8, arguments.every):
            byte, bit = place // 8, place % 8
            os.pwrite(file.fileno(), bytes([bench.bytes[byte] ^ 1 << bit]), byte)
            bench.prepare(old=False)
            bench.check("byte %d, bit %d" % (byte, bit), bench.server.run()[0], False)
            os.pwrite(file.fileno(), bench.bytes[byte:byte + 1], byte)


class Reference:
    """The command's answer without a fault."""

    def __init__(self, bench):
        bench.prepare(old=False)
        status, self.calls, self.allocations, self.before_file = bench.server.run()
        answer = bench.check("without a fault", status, False)
        if not answer or answer[0] != 0:
            sys.exit("%s fails without a fault: %r" % (bench.command.name, bench.server.output()))
        self.stdout, self.files = answer[1], answer[3]

    def is_near_creation(self, nth):
        """Whether the nth allocation is near the creation of a file."""
        return self.before_file and abs(nth - self.before_file) <= 4

    def compare(self, bench, fault, answer):
        code, stdout, stderr, files = answer
        if code != 0 or (stdout == self.stdout and files == self.files):
            return
        if b"warning:" in stderr:
            bench.warned += 1
        else:
            bench.complain(fault, "exit status 0 and another answer: %r, %r" %
                           (stdout[:100], stderr[-200:]))


def inject(bench, reference, kind, nth, error, fault, old):
    bench.prepare(old)
    status = bench.server.run(kind, nth, error)[0]
    answer = bench.check(fault, status, old)
    if answer:
        reference.compare(bench, fault, answer)
    # Leftovers must not affect the next run, which has no fault.
    if bench.command.cache:
        for entry in os.listdir(bench.path("cache")):
            if entry.endswith(".tmp"):
                bench.complain(fault, "left in the cache: " + entry)
        status = bench.server.run()[0]
        answer = bench.check(fault + ", and the run after it", status, old)
        if answer and answer[:2] != (0, reference.stdout):
            bench.complain(fault, "the next run answers %r" % (answer[1][:100],))


def fail_calls(bench, arguments):
    reference = Reference(bench)
    faults = [(ONE_CALL, e) for e in (errno.EIO, errno.ENOSPC, errno.EINTR)]
    faults += [(FULL_DISK, errno.ENOSPC), (SHORT_TRANSFER, 0)]
    names = {ONE_CALL: "call %d: %s", FULL_DISK: "no space from call %d on: %s",
             SHORT_TRANSFER: "short transfer at call %d%.0s"}
    number = 0
    for kind, error in faults:
        for nth in range(1, reference.calls + 1):
            for old in (False, True) if bench.command.output else (False,):
                number += 1
                if number % arguments.every:
                    continue
                fault = names[kind] % (nth, errno.errorcode.get(error, "-"))
                inject(bench, reference, kind, nth, error, fault, old)


def fail_allocations(bench, arguments):
    reference = Reference(bench)
    # An allocation may fail after the file has its name.
    bench.whole = reference.files.get(bench.command.output)
    number = 0
    for kind, name in ((ONE_ALLOCATION, "allocation %d"), (ALL_ALLOCATIONS, "allocations from %d on")):
        for nth in range(1, reference.allocations + 1):
            number += 1
            if number % arguments.every == 0 or reference.is_near_creation(nth):
                inject(bench, reference, kind, nth, errno.ENOMEM, name % nth, old=True)


def commands(what):
    """(source, command) for everything that is tried."""
    elf, archive, plain = "input.elf", "full.lidia", "plain.lidia"
    damaged = what in ("flips", "truncations")
    chosen = []
    for source in (elf, archive, plain) if damaged else (elf, archive):
        kind = source.split(".")[0]
        is_elf = source == elf
        for name, arguments, output in (
                ("create", ["create", "--lines", "--columns", "--crc", "%input", "-o", "%out/x"], "x"),
                ("lookup", ["lookup", "-a", "-p", "%input", "0x1000", "0x201130", "0x400170", "0x40017c"], None),
                ("dump", ["dump", "%input"], None),
                ("verify", ["verify", "--crc", "%input"], None),
                ("export", ["export", "%input", "-o", "%out/x"], "x"),
                ("ranges", ["show", "ranges", "--rows", "%input"], None)):
            # For the wrong kind of file, there is only an error.
            if not damaged and is_elf != (name in ("create", "lookup", "ranges")) and \
                    not (name == "lookup" and not is_elf):
                continue
            cache = is_elf and name == "lookup"
            chosen.append((source, Command("%s-%s" % (name, kind), arguments, output, cache and not damaged)))
    return chosen


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("flips", "truncations", "calls", "allocations"))
    parser.add_argument("--library", required=True, help="faults.c, built")
    parser.add_argument("--inputs", required=True,
                        help="folder with input.elf, full.lidia and plain.lidia")
    parser.add_argument("--work", required=True, help="folder for everything else")
    parser.add_argument("--every", type=int, default=1, help="try each N-th fault only")
    parser.add_argument("--only", help="commands with this in their name")
    arguments = parser.parse_args()
    arguments.library = os.path.abspath(arguments.library)
    arguments.work = os.path.abspath(arguments.work)
    try_all = {"calls": fail_calls, "allocations": fail_allocations}.get(arguments.what, damage)
    broken = runs = 0
    for source, command in commands(arguments.what):
        if arguments.only and arguments.only not in command.name:
            continue
        bench = Bench(arguments, command, os.path.join(arguments.inputs, source))
        try_all(bench, arguments)
        bench.close()
        broken += bench.broken
        runs += bench.runs
    print("all: %d runs, %d broke" % (runs, broken))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
