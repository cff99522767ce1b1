#!/usr/bin/env python3
"""Measures speed, memory and size against other tools, in one run, and writes the tables
of README.md and docs/Performance.md.

    run-benchmarks.py --build BUILD-FOLDER [--runs N] [--save FILE] BINARY...
    run-benchmarks.py --write FILE [--pages FOLDER] [--check]

BINARY is an ELF file with DWARF; docs/Performance.md tells where to get large ones. The
peers are LLVM's llvm-gsymutil and llvm-symbolizer (Debian's llvm-19) and, if available,
go-reader (Lidia's Go library; a target of the build), elfutils' eu-addr2line and
rust-readers (SymCache, blazesym and gimli's addr2line; --rust-readers). Archives have
what `llvm-lidia` writes by default. The runs of two tools alternate, so that both see the
same machine state, and the median of each is used. Ratios can be compared between
machines, times cannot.

Prints Markdown: a row for each measurement, with the ratio, the target and whether it was
met. --save also writes the results as JSON, and --write puts the tables made of such a
file between the lines "<!-- benchmarks -->" and "<!-- end -->" of README.md (a summary of
the first binary) and docs/Performance.md (everything). With --check nothing is written,
and the exit status is 1 if the pages differ from the file.

The exit status of a run is 0 unless something failed to run; a missed target is not a
failure.
"""

import argparse
import array
import bisect
import itertools
import json
import mmap
import os
import random
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ADDRESSES = 100_000
# Slow peers get only the first of these addresses.
FEW_ADDRESSES = 1_000
PART = re.compile(r"(<!-- benchmarks -->\n).*?(<!-- end -->)", re.S)


class Failed(Exception):
    pass


def find_peer(name):
    """The path of LLVM's tool in Debian's package, or on the PATH."""
    folder = os.environ.get("LLVM_TOOLS_DIR", "/usr/lib/llvm-19/bin")
    return shutil.which(name, path=folder) or shutil.which(name)


def run(command, stdin=os.devnull, stdout=os.devnull):
    """Runs COMMAND to its end; returns the time in seconds and its peak memory in
    bytes.

    Uses posix_spawn, because Python's subprocess takes as long as the shortest runs.
    The kernel counts this program's own peak as the child's until the child calls exec,
    so peaks below about 15 MB cannot be measured."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, stdout,
         os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    start = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - start
    if status:
        raise Failed(f"{' '.join(command)}: exit status "
                     f"{os.waitstatus_to_exitcode(status)}")
    return seconds, usage.ru_maxrss * 1024


def alternate(runs, *commands):
    """Medians of (seconds, peak) of each (command, stdin)."""
    results = [[] for _ in commands]
    # The first run of each only fills the page cache.
    for turn in range(runs + 1):
        for (command, stdin), result in zip(commands, results):
            measured = run(command, stdin)
            if turn:
                result.append(measured)
    return [tuple(statistics.median(values) for values in zip(*result))
            for result in results]


def write_addresses(archive, folder, gsym):
    """Writes files of random addresses of functions in ARCHIVE, one on each line, the
    same ones each time: "functions", in which each function has the same probability,
    and "bytes", in which each byte of code has. GSYM takes much longer for large
    functions, which are frequent in the second. The files "-gsym" have the same
    addresses in llvm-gsymutil's format."""
    with open(archive, "rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    va_size, count, vas = struct.unpack_from("<QQQ", data, 8)
    field_size, _, ranges = struct.unpack_from("<QQQ", data, 40)

    def table(offset, size, fields):
        values = array.array("I" if size == 4 else "Q")
        values.frombytes(data[offset:offset + count * fields * size])
        if sys.byteorder == "big":
            values.byteswap()
        return values

    starts = table(vas, va_size, 1)
    fields = table(ranges, field_size, 8)
    functions = [(start, length) for start, length, depth
                 in zip(starts, fields[0::8], fields[1::8])
                 if depth == 0 and length]
    ends = list(itertools.accumulate(length for _, length in functions))
    rng = random.Random(1)
    by_function = (rng.choice(functions) for _ in range(ADDRESSES))
    by_byte = (functions[bisect.bisect_right(ends, rng.randrange(ends[-1]))]
               for _ in range(ADDRESSES))
    for name, picks in (("functions", by_function), ("bytes", by_byte)):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="ascii") as plain, \
                open(path + "-gsym", "w", encoding="ascii") as with_gsym:
            for start, length in picks:
                address = f"{start + rng.randrange(length):#x}"
                plain.write(f"{address}\n")
                with_gsym.write(f"{address} {gsym}\n")


def in_child(function, *args):
    """Calls FUNCTION in a child process, because the peak memory of this process is the
    minimum that run() can measure."""
    pid = os.fork()
    if not pid:
        try:
            function(*args)
            os._exit(0)
        except BaseException as error:  # Whatever it is, the child ends here.
            print(error, file=sys.stderr)
            os._exit(1)
    if os.waitpid(pid, 0)[1]:
        raise Failed(function.__name__)


def seconds(value):
    return f"{value:.2f} s" if value >= 0.1 else f"{value * 1e3:.1f} ms"


def nanoseconds(value):
    return f"{value:.0f} ns" if value >= 20 else f"{value:.1f} ns"


def megabytes(value):
    return f"{value / 1e6:,.1f} MB"


SHOW = {"s": seconds, "ns": nanoseconds, "bytes": megabytes}


class Table:
    """The rows of one table, in the form in which they are saved."""

    def __init__(self, title, size=0):
        self.result = {"title": title, "bytes": size, "rows": [], "readers": []}
        print(title, file=sys.stderr, flush=True)

    def row(self, work, ours=None, theirs=None, unit="s", **more):
        """Adds a row. A value is a number or, as it is shown, a text. MORE are "id", for
        rows of the summary, "ratio", "target" and "met"."""
        self.result["rows"].append(
            {"work": work, "ours": ours, "theirs": theirs, "unit": unit, **more})
        print(f"  {work}", file=sys.stderr, flush=True)

    def faster(self, work, ours, theirs, at_least, unit="s", **more):
        """A row with the factor by which we are faster."""
        ratio = theirs / ours
        if at_least:
            more.update(target=f"at least {at_least}", met=ratio >= at_least)
        self.row(work, ours, theirs, unit, ratio=f"{ratio:.1f} × faster", **more)

    def smaller(self, work, ours, theirs, at_most, unit="bytes", **more):
        ratio = ours / theirs
        self.row(work, ours, theirs, unit, ratio=f"{ratio:.2f}",
                 target=f"at most {at_most:.2f}", met=ratio <= at_most, **more)


def shown(row, who):
    value = row[who]
    if value is None or isinstance(value, str):
        return value or ""
    return SHOW[row["unit"]](value)


def markdown(table):
    """A saved table as Markdown."""
    size = f", {megabytes(table['bytes'])}" if table["bytes"] else ""
    text = (f"\n### {table['title']}{size}\n\n"
            "| work | ours | theirs | ratio | target | met |\n"
            "| --- | --- | --- | --- | --- | --- |\n")
    for row in table["rows"]:
        met = {None: "", True: "yes", False: "**no**"}[row.get("met")]
        text += (f"| {row['work']} | {shown(row, 'ours')} | {shown(row, 'theirs')} "
                 f"| {row.get('ratio', '')} | {row.get('target', '')} | {met} |\n")
    if table["readers"]:
        text += (f"\n| reader | of | an address, of {ADDRESSES:,} | of {FEW_ADDRESSES:,} "
                 "|\n| --- | --- | --- | --- |\n")
    for name, source, *times in table["readers"]:
        values = [f"{time * 1e6:.2f} µs" if time else "" for time in times]
        text += f"| {name} | {source} | {' | '.join(values)} |\n"
    return text


def header(results):
    text = f"{results['date']}, {results['machine']}. {results['tools']}\n"
    return text + (results["note"] + "\n" if results.get("note") else "")


def full_tables(results):
    """All results, for docs/Performance.md: the binaries side by side."""
    binaries = [table for table in results["tables"] if table["bytes"]]
    text = "\n" + header(results) + "\nRatios in bold type miss the goal.\n"
    names = [f"{t['title']}, {megabytes(t['bytes'])}" for t in binaries]
    text += "\n| work | goal | " + " | ".join(f"{n} | theirs | ratio" for n in names) + " |\n"
    text += "| --- | --- |" + " ---: | ---: | --- |" * len(names) + "\n"
    rows = {}
    for index, table in enumerate(binaries):
        works = set()
        for row in table["rows"]:
            # Two rows may say "its peak memory".
            key = row["work"], row["work"] in works
            works.add(row["work"])
            rows.setdefault(key, {})[index] = row
    for (work, _), found in rows.items():
        text += f"| {work} | {next(iter(found.values())).get('target', '')} |"
        for index in range(len(binaries)):
            row = found.get(index)
            ratio = row.get("ratio", "") if row else ""
            if row and row.get("met") is False:
                ratio = f"**{ratio}**"
            text += f" {shown(row, 'ours')} | {shown(row, 'theirs')} | {ratio} |" if row \
                else " | | |"
        text += "\n"
    for index, table in enumerate(binaries):
        text += f"\n{table['contents']}\n" if table.get("contents") else ""
    readers = {}
    for index, table in enumerate(binaries):
        for name, source, *times in table["readers"]:
            readers.setdefault((name, source), {})[index] = times
    if readers:
        text += "\n| reader | of | " + " | ".join(
            f"{t['title']}, an address of {ADDRESSES:,} | of {FEW_ADDRESSES:,}"
            for t in binaries) + " |\n| --- | --- |" + " ---: | ---: |" * len(binaries) + "\n"
    for (name, source), found in readers.items():
        text += f"| {name} | {source} |"
        for index in range(len(binaries)):
            text += "".join(f" {time * 1e6:.2f} µs |" if time else " |"
                            for time in found.get(index, (None, None)))
        text += "\n"
    return text + "".join(markdown(t) for t in results["tables"] if not t["bytes"]) + "\n"


def summary(results):
    """The first binary, for README.md."""
    table = results["tables"][0]
    rows = {row["id"]: row for row in table["rows"] if "id" in row}

    def value(row, who):
        return shown(rows[row], who) if row in rows else "not measured"

    name = table["title"].strip("`").split(".")[0]
    text = f"\n| {name}, {megabytes(table['bytes'])} of debug information "
    text += "| lidia | llvm-gsymutil | llvm-symbolizer |\n| --- | --- | --- | --- |\n"
    for work, ours, gsym, dwarf in [
            ("make the file: time", value("time", "ours"), value("time", "theirs"), ""),
            ("peak memory", value("memory", "ours"), value("memory", "theirs"), ""),
            ("size of the file", value("size", "ours"), value("size", "theirs"), ""),
            ("compressed, searched in place", value("packed", "ours"), "", ""),
            ("100,000 addresses, mangled names", value("linkage", "ours"),
             value("linkage", "theirs"), ""),
            ("the same, demangled", value("dwarf", "ours"), "", value("dwarf", "theirs")),
            ("one address, a new process", value("one", "ours"), value("one", "theirs"), "")]:
        text += f"| {work} | {ours} | {gsym} | {dwarf} |\n"
    return text + "\n" + header(results) + "\n"


def write_pages(path, folder, check):
    """Puts the tables of a file of results into the pages; returns how many differ."""
    with open(path, encoding="utf-8") as file:
        results = json.load(file)
    different = 0
    for name, make in (("README.md", summary), ("docs/Performance.md", full_tables)):
        page = os.path.join(folder, name)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        if not PART.search(text):
            raise Failed(f"{page} has no line <!-- benchmarks --> with an end")
        new = PART.sub(lambda match: match.group(1) + make(results) + match.group(2), text)
        if new == text:
            continue
        different += 1
        if check:
            print(f"{page} differs from {path}")
        else:
            with open(page, "w", encoding="utf-8") as file:
                file.write(new)
    return different


class Benchmarks:
    def __init__(self, args, folder):
        self.runs = args.runs
        self.folder = folder
        self.failures = 0
        self.tables = []
        programs = os.path.join(args.build, "bin")

        def ours(name):
            path = os.path.join(programs, name)
            return path if os.access(path, os.X_OK) else None

        self.lidia = ours("llvm-lidia")
        self.micro = ours("lidia-lookup-benchmark")
        self.go = ours("go-reader")
        self.gsymutil = find_peer("llvm-gsymutil")
        self.symbolizer = find_peer("llvm-symbolizer")
        self.elfutils = shutil.which("eu-addr2line")
        self.rust = args.rust_readers

    def attempt(self, table, what, function, *args):
        """Calls FUNCTION. A failure must not affect later measurements."""
        try:
            function(table, *args)
        except (Failed, OSError, ValueError, KeyError,
                subprocess.CalledProcessError) as error:
            self.failures += 1
            table.row(what, f"failed to run: {error}")

    def table(self, title, size=0):
        table = Table(title, size)
        self.tables.append(table.result)
        return table

    def measure(self, binary):
        name = os.path.basename(binary)
        archive = os.path.join(self.folder, name + ".lidia")
        gsym = os.path.join(self.folder, name + ".gsym")
        table = self.table(f"`{name}`", os.path.getsize(binary))
        self.attempt(table, "creating", self.create, binary, archive, gsym)
        if not os.path.exists(archive) or not os.path.exists(gsym):
            return
        self.attempt(table, "sizes", self.sizes, binary, archive, gsym)
        self.attempt(table, "from standard input", self.standard_input, binary, archive,
                     gsym)
        self.attempt(table, "compressed", self.compressed, archive, gsym)
        self.attempt(table, "one address", self.one_address, archive, gsym)
        self.attempt(table, "in memory", self.in_memory, archive,
                     "with inlined calls and lines")
        self.attempt(table, "side by side", self.side_by_side, binary, archive, gsym)
        other = os.path.join(self.folder, name + ".other.lidia")
        self.attempt(table, "without debugger rows", self.without_debugger_rows, binary,
                     other, gsym)
        self.attempt(table, "in memory, symbols only", self.symbols_only, binary, other)
        for path in (archive, gsym, other):
            if os.path.exists(path):
                os.remove(path)

    def both_files(self, binary, archive, gsym, options):
        """(seconds, peak) of creating an archive, and of GSYM."""
        return alternate(
            self.runs,
            ([self.lidia, *options, "--num-threads=2", "--quiet", binary, "-o", archive],
             os.devnull),
            ([self.gsymutil, "--quiet", "--num-threads=2",
              f"--convert={binary}", f"--out-file={gsym}"], os.devnull))

    def create(self, table, binary, archive, gsym):
        ours, theirs = self.both_files(binary, archive, gsym, [])
        table.faster("creating, 2 threads; `llvm-gsymutil --convert`", ours[0], theirs[0],
                     4, id="time")
        table.smaller("its peak memory", ours[1], theirs[1], 0.15, id="memory")

    def without_debugger_rows(self, table, binary, archive, gsym):
        """What GSYM has, too."""
        ours, theirs = self.both_files(binary, archive, gsym,
                                       ["--no-statements"])
        table.faster("creating with `--no-statements`, which is what GSYM has, too",
                     ours[0], theirs[0], 5)
        table.smaller("its peak memory", ours[1], theirs[1], 0.15)
        table.smaller("its archive; GSYM", os.path.getsize(archive), os.path.getsize(gsym),
                      1.6)

    def sizes(self, table, binary, archive, gsym):
        table.smaller("archive; GSYM", os.path.getsize(archive), os.path.getsize(gsym), 1.6,
                      id="size")
        copy = archive + ".again"
        text = subprocess.run(
            [self.lidia, "--quiet", "--statistics=json", binary, "-o", copy],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        os.remove(copy)
        said = json.loads(text)
        sizes = said["sizes"]
        total = sizes.pop("total")
        parts = sorted(sizes.items(), key=lambda part: -part[1])
        table.result["contents"] = (
            f"The archive of {table.result['title']} has {said['ranges']:,} ranges, "
            f"{said['rows']:,} rows ({said['rowsGiven']:,} before equal runs were shared) "
            f"and {said['strings']:,} strings: "
            + ", ".join(f"{part} {size / total:.1%}"
                        for part, size in parts if size / total >= 0.01) + ".")

    def standard_input(self, table, binary, archive, gsym):
        in_child(write_addresses, archive, self.folder, gsym)
        functions = os.path.join(self.folder, "functions")
        by_byte = os.path.join(self.folder, "bytes")
        lookup = [self.lidia, "lookup", archive]
        gsym_lookup = [self.gsymutil, "--addresses-from-stdin"]
        work = f"{ADDRESSES:,} addresses from standard input"

        # llvm-gsymutil prints mangled names.
        linkage, demangled, theirs = alternate(
            max(self.runs, 5), (lookup + ["--no-demangle"], functions),
            (lookup, functions), (gsym_lookup, functions + "-gsym"))
        table.faster(f"{work}, `--no-demangle`; `llvm-gsymutil`", linkage[0],
                     theirs[0], 3, id="linkage")
        table.faster("the same, demangled, which `llvm-gsymutil` does not do",
                     demangled[0], theirs[0], 3)
        if self.symbolizer:
            dwarf = run([self.symbolizer, f"--obj={binary}"], functions)
            table.faster("the same, demangled; `llvm-symbolizer`, from DWARF, "
                         "once", demangled[0], dwarf[0], 0, id="dwarf")

        demangled, theirs = alternate(self.runs, (lookup, by_byte),
                                      (gsym_lookup, by_byte + "-gsym"))
        table.faster("more of them in large functions, demangled; "
                     "`llvm-gsymutil`", demangled[0], theirs[0], 3)

    def compressed(self, table, archive, gsym):
        packed = archive + ".zst"
        functions = os.path.join(self.folder, "functions")
        run([self.lidia, "compress", archive, "-o", packed])
        table.smaller("the archive, compressed; GSYM", os.path.getsize(packed),
                      os.path.getsize(gsym), 0.25, id="packed")
        for options in ([], ["--no-demangle"]):
            packed_run, plain_run = alternate(
                max(self.runs, 9), ([self.lidia, "lookup", *options, packed], functions),
                ([self.lidia, "lookup", *options, archive], functions))
            table.smaller(
                f"{ADDRESSES:,} addresses{', `--no-demangle`' if options else ''}, "
                "compressed; not compressed", packed_run[0], plain_run[0], 1.3, "s")
        os.remove(packed)

    def rust_reader(self, *args):
        """The time in seconds that a reader of rust-readers takes for an address."""
        text = subprocess.run([self.rust, *args], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        return float(text.split()[0]) * 1e-9

    def make_symcache(self, binary, *lists):
        """A SymCache, and a copy of each list of addresses in its format."""
        symcache = os.path.join(self.folder, "symcache")
        base = int(subprocess.run(
            [self.rust, "symcache-create", binary, symcache], check=True,
            stdout=subprocess.PIPE, text=True).stdout, 16)
        for addresses in lists:
            with open(addresses, encoding="ascii") as file, \
                    open(addresses + "-relative", "w",
                         encoding="ascii") as out:
                for line in file:
                    out.write(f"{int(line, 16) - base:#x}\n")
        return symcache, *(addresses + "-relative" for addresses in lists)

    def side_by_side(self, table, binary, archive, gsym):
        """Compares all readers with the same addresses, including names and lines.
        Readers of DWARF get fewer addresses, and their time for an address includes
        their one-time preparation."""
        many = os.path.join(self.folder, "functions")
        few = os.path.join(self.folder, "few")
        for path in ("functions", "functions-gsym"):
            with open(os.path.join(self.folder, path),
                      encoding="ascii") as file, \
                    open(os.path.join(self.folder, path.replace(
                        "functions", "few")), "w", encoding="ascii") as out:
                out.writelines(itertools.islice(file, FEW_ADDRESSES))

        def row(name, source, *times):
            table.result["readers"].append([name, source, *times])

        def program(name, source, command, suffix="", only_few=False):
            def measure(_):
                times = [
                    None if only_few else statistics.median(
                        run(command, many + suffix)[0]
                        for _ in range(self.runs)) / ADDRESSES,
                    statistics.median(run(command, few + suffix)[0] for _ in
                                      range(1 if only_few else self.runs))
                    / FEW_ADDRESSES]
                row(name, source, *times)
            self.attempt(table, name, measure)

        program("`llvm-lidia lookup`", "archive", [self.lidia, "lookup", archive])
        program("`llvm-lidia lookup --no-demangle`", "archive",
                [self.lidia, "lookup", "--no-demangle", archive])
        program("`llvm-gsymutil`", "GSYM",
                [self.gsymutil, "--addresses-from-stdin"], "-gsym")
        if self.symbolizer:
            program("`llvm-symbolizer`", "DWARF",
                    [self.symbolizer, f"--obj={binary}"], only_few=True)
        if self.elfutils:
            program("`eu-addr2line -f -i`", "DWARF",
                    [self.elfutils, "-f", "-i", "-e", binary], only_few=True)
        if not self.rust:
            return

        def symcache(_):
            path, *lists = self.make_symcache(binary, many, few)
            row("symbolic's SymCache, in memory", "SymCache",
                *(self.rust_reader("symcache", path, addresses)
                  for addresses in lists))
        self.attempt(table, "SymCache", symcache)
        for name, what in (("blazesym, in memory", "blazesym"),
                           ("gimli's addr2line, in memory", "addr2line")):
            self.attempt(table, what, lambda _, name=name, what=what: row(
                name, "DWARF", None, self.rust_reader(what, binary, few)))

    def one_address(self, table, archive, gsym):
        with open(os.path.join(self.folder, "functions"),
                  encoding="ascii") as file:
            address = file.readline().strip()
        ours, theirs, nothing = alternate(
            20 * self.runs,
            ([self.lidia, "lookup", archive, address], os.devnull),
            ([self.gsymutil, f"--address={address}", gsym], os.devnull),
            ([shutil.which("true")], os.devnull))
        table.faster("one address, a process each; `llvm-gsymutil`", ours[0],
                     theirs[0], 3, id="one")
        table.smaller("the same; `true`, which does nothing", ours[0], nothing[0], 1.3, "s")

    def run_micro(self, pattern, archive=None):
        """Google Benchmark's results: maps a name to (ns, item)."""
        if not self.micro:
            raise Failed("lidia-lookup-benchmark was not built")
        environment = dict(os.environ)
        if archive:
            environment["LIDIA_BENCH_ARCHIVE"] = archive
        # One repetition has no median.
        repetitions = max(self.runs, 2)
        text = subprocess.run(
            [self.micro, "--benchmark_format=json",
             f"--benchmark_filter={pattern}", f"--benchmark_repetitions={repetitions}",
             "--benchmark_report_aggregates_only=true"],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=environment).stdout
        unit = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
        return {b["run_name"]: (b["real_time"] * unit[b["time_unit"]], b)
                for b in json.loads(text)["benchmarks"]
                if b["aggregate_name"] == "median"}

    def in_memory(self, table, archive, what):
        """Compares lookups in the same archive, with addresses chosen in the same way.
        The Go library finds functions and files, ours also finds lines."""
        ours = self.run_micro("^givenArchive/", archive)
        random_ns = ours["givenArchive/random"][0]
        sorted_ns = ours["givenArchive/sorted/100000"][0] / 100_000
        work = f"one lookup in memory, {what}"
        if not self.go:
            table.row(f"{work}, random", random_ns, unit="ns")
            table.row(f"{work}, sorted", sorted_ns, unit="ns")
            return
        results = {"random": [], "sorted": []}
        for _ in range(self.runs):
            text = subprocess.run([self.go, "bench", archive], check=True,
                                  stdout=subprocess.PIPE, text=True).stdout
            for line in text.splitlines():
                order, value = line.split()
                results[order].append(float(value))
        table.faster(f"{work}, random; Go library", random_ns,
                     statistics.median(results["random"]), 5, "ns")
        table.faster(f"{work}, sorted; Go library", sorted_ns,
                     statistics.median(results["sorted"]), 5, "ns")

    def symbols_only(self, table, binary, archive):
        run([self.lidia, "--symbols-only", "--crc", "--no-dwarf", "--quiet", binary, "-o",
             archive])
        self.in_memory(table, archive, "symbols only")

    def synthetic(self):
        """Measurements that do not depend on the binary."""
        table = self.table("Made-up archives")
        self.attempt(table, "in memory", self.measure_synthetic)

    def measure_synthetic(self, table):
        million = self.run_micro("^randomLookups$|^sortedBatch/1000000$")
        random_ns = million["randomLookups"][0]
        sorted_ns = million["sortedBatch/1000000"][0] / 1_000_000
        table.row("one lookup among a million ranges, random", random_ns, unit="ns")
        table.faster("the same in a sorted batch; random", sorted_ns, random_ns, 1, "ns")
        functions = self.run_micro("^oneFunction/")
        times = {}
        for count in (10, 1_000, 100_000):
            times[count], result = functions[f"oneFunction/{count}"]
            ratio = times[count] / times[10]
            # With a scan of the function's ranges, the largest function would take
            # 10,000 times as long as the smallest. The remaining growth is due to
            # longer chains and cache misses.
            table.row(f"one lookup in a function of {count:,} inlined ranges, "
                      f"{result['frames']:.1f} frames each",
                      times[count], unit="ns", ratio=f"{ratio:.1f} × that of 10",
                      **({"target": "at most 10", "met": ratio <= 10}
                         if count == 100_000 else {}))


def machine():
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    return f"{model}, {os.cpu_count()} processors, load average at the start {load}"


def version(path):
    text = subprocess.run([path, "--version"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout
    lines = [line.strip() for line in text.splitlines() if "version" in line.lower()]
    return lines[0] if lines else "version unknown"


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", metavar="FOLDER",
                        help="the build folder, with its bin")
    parser.add_argument("--runs", type=int, default=5, metavar="N",
                        help="runs of each tool (default: 5)")
    parser.add_argument("--rust-readers", metavar="PROGRAM",
                        help="what `cargo build --release` in utils/benchmark/"
                        "rust-readers made")
    parser.add_argument("--save", metavar="FILE", help="also write the results as JSON")
    parser.add_argument("--write", metavar="FILE",
                        help="put the results of FILE into the pages, and measure nothing")
    parser.add_argument("--pages", metavar="FOLDER", default=root,
                        help="the folder with README.md and docs/Performance.md")
    parser.add_argument("--check", action="store_true",
                        help="with --write: only compare")
    parser.add_argument("binaries", nargs="*", metavar="BINARY")
    args = parser.parse_args()
    if args.write:
        try:
            different = write_pages(args.write, args.pages, args.check)
        except (Failed, OSError, ValueError, KeyError) as error:
            print(f"{args.write}: {error}", file=sys.stderr)
            return 1
        return 1 if args.check and different else 0
    if not args.build or not args.binaries:
        parser.error("name the build folder and a binary, or results to --write")

    with tempfile.TemporaryDirectory() as folder:
        benchmarks = Benchmarks(args, folder)
        if not benchmarks.lidia or not benchmarks.gsymutil:
            parser.error("needs llvm-lidia in the build's bin folder and "
                         "llvm-gsymutil (Debian's llvm-19)")
        results = {"date": time.strftime("%Y-%m-%d"), "machine": machine(),
                   "tools": f"`llvm-gsymutil`: {version(benchmarks.gsymutil)}.",
                   "tables": benchmarks.tables}
        for binary in args.binaries:
            benchmarks.measure(binary)
        benchmarks.synthetic()
    if args.save:
        with open(args.save, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1, ensure_ascii=False)
            file.write("\n")
    print(full_tables(results))
    return 1 if benchmarks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
