#!/usr/bin/env python3
"""Counts wrong names, and wrong reasons for missing ones, of damaged modules.

FOLDER is the work of build-corpus.sh. Each program is mutated: stripped in several
ways, symbols without sizes, truncated, replaced by another build, moved away, with the
debug link of another build. Random addresses of its code are looked up as those of a
process whose maps and build IDs are known, and compared with the symbols and the debug
information of the program as it was built. A stripped library of Debian is joined with
its debug file first. A name is right if it is one that its code has. For each mutation,
prints the addresses, the names, how many of them are marked as uncertain, the wrong
names, with a mark and without, the wrong names of lidia-symbolizer, which has no marks,
and of other tools, which know neither build IDs nor marks, and the misses that have the
right code.

The exit status is 1 if more than one name in 1,000 is wrong without a mark, or fewer
than 99 % of the misses have the right code.
"""

import argparse
import bisect
import collections
import json
import mmap
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

PIE_BASE = 0x555500000000
SHT_SYMTAB, SHT_DYNSYM = 2, 11
STT_FUNC, STT_IFUNC = 2, 10
SYMBOLIZER = shutil.which("llvm-symbolizer-19") or "llvm-symbolizer"
LLVM_STRIP = shutil.which("llvm-strip-19") or "llvm-strip"
PT_LOAD = 1


class ELF:
    """The headers and symbols of an ELF file, 64 bits, little endian."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
        d = self.data
        self.type, phoff, shoff = (
            struct.unpack_from("<H", d, 16)[0],
            *struct.unpack_from("<QQ", d, 32),
        )
        phnum, shentsize, shnum, shstrndx = struct.unpack_from("<HHHH", d, 56)
        self.segments = [
            struct.unpack_from("<IIQQQQQQ", d, phoff + 56 * i) for i in range(phnum)
        ]
        raw = [
            struct.unpack_from("<IIQQQQIIQQ", d, shoff + shentsize * i)
            for i in range(shnum)
        ]
        names = raw[shstrndx]
        self.sections = [(self.text(names[4] + s[0]), *s[1:]) for s in raw]

    def text(self, at):
        return self.data[at : self.data.find(b"\0", at)].decode()

    def loads(self):
        return [s for s in self.segments if s[0] == PT_LOAD]

    def code(self):
        """The sections of code, as name, address and size."""
        return [(s[0], s[3], s[5]) for s in self.sections if s[2] & 4 and s[5]]

    def symbol_places(self):
        """Where the entries of the symbol tables are, with that of their strings."""
        for s in self.sections:
            if s[1] in (SHT_SYMTAB, SHT_DYNSYM):
                strings = self.sections[s[6]][4]
                for at in range(s[4] + 24, s[4] + s[5], 24):
                    yield at, strings

    def functions(self):
        """Name, address and size of each function symbol."""
        for at, strings in self.symbol_places():
            name, info, _, index, value, size = struct.unpack_from(
                "<IBBHQQ", self.data, at
            )
            if info & 15 in (STT_FUNC, STT_IFUNC) and index:
                yield self.text(strings + name), value, size


def base_name(name):
    """GCC's parts of functions (f.cold, f.part.0) are named after the function, symbols
    may have a version (f@@V1), and DWARF's name of a constructor stands for all of its
    variants (C1, C2, C4)."""
    if name.startswith("."):
        return name
    name = name.split("@")[0].split(".")[0]
    return re.sub(r"(?<=[a-zA-Z_])([CD])[0-5](?=E|I)", r"\1", name)


class Truth:
    """The names that code has, of a program with debug information."""

    def __init__(self, binary, addresses):
        self.names = {a: set() for a in addresses}
        self.add_symbols(binary, addresses)
        answers = json.loads(
            run(
                [SYMBOLIZER, "--output-style=JSON", "--no-demangle"]
                + [f"--obj={binary}"],
                addresses,
                one_list=True,
            )
        )
        for answer in answers:
            for frame in answer["Symbol"][-1:]:
                if frame["FunctionName"]:
                    self.names[int(answer["Address"], 16)].add(
                        base_name(frame["FunctionName"])
                    )

    def add_symbols(self, path, addresses):
        elf = ELF(path)
        ends = [a + size for _, a, size in elf.code()]
        functions = sorted((v, s, n) for n, v, s in elf.functions())
        starts = sorted({v for v, _, _ in functions})
        ordered = sorted(addresses)
        for value, size, name in functions:
            if size:
                end = value + size
            else:
                after = bisect.bisect_right(starts, value)
                end = min(
                    [e for e in ends if e > value] + starts[after : after + 1],
                    default=value + 1,
                )
            for i in range(bisect.bisect_left(ordered, value), len(ordered)):
                if ordered[i] >= end:
                    break
                self.names[ordered[i]].add(base_name(name))

    def is_right(self, address, name):
        """A name in Rust or C++ that is not mangled has its scope."""
        name = base_name(name)
        return name in self.names[address] or name.split("::")[-1] in self.names[address]


def run(command, addresses=None, one_list=False):
    """The output of a command, with the addresses in its input."""
    text = "".join(f"{a:#x}\n" for a in addresses or [])
    result = subprocess.run(
        command, input=text, capture_output=True, text=True, errors="replace"
    )
    if one_list:
        return "[" + ",".join(l for l in result.stdout.splitlines() if l) + "]"
    return result.stdout


# Mutations. Each writes the file of the module, if any, to `to`, and returns the code
# that addresses without names have.


def strip_with(*options, tool="strip"):
    def mutate(program, to):
        subprocess.run([tool, *options, "-o", to, program.path], check=True)
        return "no_symbols"

    return mutate


def without_section_headers(program, to):
    """Stripped, and nothing but the segments to find anything by."""
    strip_with("--strip-all")(program, to)
    with open(to, "r+b") as f:
        f.seek(40)
        f.write(bytes(8))
        f.seek(60)
        f.write(bytes(4))
    return "no_symbols"


def with_mini_debug_info(program, to):
    """Stripped, with the symbols of functions in .gnu_debugdata, as Fedora does it."""
    strip_with("--strip-all")(program, to)
    functions, mini = to + ".functions", to + ".mini"
    with open(functions, "w") as f:
        f.writelines(n + "\n" for n, _, _ in ELF(program.path).functions())
    for command in (
        ["objcopy", "--only-keep-debug", program.path, mini],
        ["objcopy", "-S", f"--keep-symbols={functions}", mini],
        ["xz", "-q", mini],
        ["objcopy", f"--add-section=.gnu_debugdata={mini}.xz", to],
    ):
        subprocess.run(command, check=True)
    os.remove(mini + ".xz")
    return "no_symbols"


def remove_sizes(path):
    """Removes the sizes of all symbols."""
    elf = ELF(path)
    data = bytearray(elf.data)
    for at, _ in elf.symbol_places():
        data[at + 16 : at + 24] = bytes(8)
    with open(path, "wb") as f:
        f.write(data)


def without_sizes(program, to):
    """Debug information removed, and all symbols without sizes."""
    subprocess.run(["strip", "--strip-debug", "-o", to, program.path], check=True)
    remove_sizes(to)
    return "no_symbols"


def exports_without_sizes(program, to):
    """Stripped, and the exported symbols without sizes."""
    strip_with("--strip-all")(program, to)
    remove_sizes(to)
    return "no_symbols"


def truncated(share):
    def mutate(program, to):
        with open(program.path, "rb") as f, open(to, "wb") as out:
            out.write(f.read(int(os.path.getsize(program.path) * share)))
        return "damaged"

    return mutate


def other_build(program, to):
    shutil.copy(program.other, to)
    return "other_build"


def moved(program, to):
    return "no_file"


def wrong_debug_link(program, to):
    """Stripped, with a debug link to the debug file of another build, beside it."""
    debug = to + ".debug"
    subprocess.run(
        ["objcopy", "--only-keep-debug", program.other, debug], check=True
    )
    subprocess.run(["strip", "-o", to, program.path], check=True)
    subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", to], check=True)
    return "no_symbols"


MUTATIONS = {
    "as built": lambda program, to: shutil.copy(program.path, to) and "no_symbols",
    "strip --strip-debug": strip_with("--strip-debug"),
    "strip --strip-unneeded": strip_with("--strip-unneeded"),
    "strip --strip-all": strip_with("--strip-all"),
    "strip --discard-all": strip_with("--discard-all"),
    "llvm-strip": strip_with(tool=LLVM_STRIP),
    "eu-strip": strip_with(tool="eu-strip"),
    "no section headers": without_section_headers,
    "mini debug info": with_mini_debug_info,
    "symbols without sizes": without_sizes,
    "exports without sizes": exports_without_sizes,
    "truncated to 95 %": truncated(0.95),
    "truncated to 60 %": truncated(0.6),
    "truncated to 20 %": truncated(0.2),
    "another build": other_build,
    "moved away": moved,
    "debug link to another build": wrong_debug_link,
}


class Program:
    def __init__(self, entry, folder, count, generator, work):
        self.name = entry["name"]
        self.path = os.path.join(folder, entry["binary"])
        if "debug" in entry:
            stripped, debug = self.path, os.path.join(folder, entry["debug"])
            self.path = os.path.join(work, os.path.basename(stripped))
            subprocess.run(["eu-unstrip", "-o", self.path, stripped, debug], check=True)
        elf = ELF(self.path)
        self.base = PIE_BASE if elf.type == 3 else 0
        self.segments = elf.loads()
        code = elf.code()
        self.addresses = sorted(
            {
                address + generator.randrange(size)
                for _, address, size in generator.choices(
                    code, [size for _, _, size in code], k=count
                )
            }
        )
        self.stubs = [
            range(a, a + size) for name, a, size in code if name.startswith(".plt")
        ]
        self.truth = Truth(self.path, self.addresses)
        self.build_id = next(
            line.split()[-1]
            for line in run(["readelf", "-n", self.path]).splitlines()
            if "Build ID" in line
        )

    def maps(self, path):
        """The maps of a process, and the build ID of the program in it."""
        lines = []
        for _, flags, offset, address, _, size, memory, _ in self.segments:
            start = (address + self.base) & ~0xFFF
            end = (address + self.base + memory + 0xFFF) & ~0xFFF
            lines.append(
                f"{start:x}-{end:x} r-{'x' if flags & 1 else '-'}p "
                f"{offset & ~0xFFF:08x} fe:00 1 {path}"
            )
        return "\n".join(lines) + f"\n{self.build_id} {path}\n"

    def is_right(self, address, name):
        if name.endswith("@plt"):
            return any(address in stubs for stubs in self.stubs)
        return self.truth.is_right(address, name)


class Counts(collections.Counter):
    """Of one mutation: addresses, names, marked, wrong, wrong_marked, misses,
    wrong_codes, and TOOL names and TOOL wrong."""


def judge(program, mutation, lidia, folder, counts, verbose):
    path = "/opt/program/" + os.path.basename(program.path)
    file = folder + path
    os.makedirs(os.path.dirname(file), exist_ok=True)
    code = MUTATIONS[mutation](program, file)
    maps = os.path.join(folder, "maps")
    with open(maps, "w") as f:
        f.write(program.maps(path))
    answers = json.loads(
        run(
            [lidia, "symbolize", f"--maps={maps}", f"--sysroot={folder}"]
            + [f"--debug-file-directory={folder}/none"]
            + ["--format=json", "--no-demangle", "--no-cache", "--quiet"],
            [a + program.base for a in program.addresses],
            one_list=True,
        )
    )
    assert len(answers) == len(program.addresses), (program.name, mutation)
    for address, answer in zip(program.addresses, answers):
        counts["addresses"] += 1
        frame = (answer["frames"] or [{}])[-1]
        name = frame.get("function")
        if name is None:
            counts["misses"] += 1
            if answer.get("miss") != code:
                counts["wrong_codes"] += 1
                if verbose:
                    print(program.name, mutation, hex(address), answer.get("miss"))
            continue
        counts["names"] += 1
        marked = frame.get("uncertain", False)
        counts["marked"] += marked
        if not program.is_right(address, name):
            counts["wrong_marked" if marked else "wrong"] += 1
            if verbose and not marked:
                print(
                    program.name, mutation, hex(address), name, frame.get("origin"),
                    program.truth.names[address],
                )
    if os.path.exists(file):
        ask_others(program, file, counts)


def ask_symbolizer(tool):
    def ask(file, addresses):
        text = run(
            [tool, "--no-demangle", "--no-inlines", "--functions=linkage"]
            + [f"--obj={file}", "--output-style=JSON"],
            addresses,
            one_list=True,
        )
        for answer in json.loads(text):
            symbols = answer.get("Symbol") or [{}]
            yield symbols[-1].get("FunctionName", "")

    return ask


def ask_addr2line(tool):
    """The outermost function of each address."""

    def ask(file, addresses):
        name = None
        # Each address, then two lines for each function.
        for line in run([tool, "-a", "-f", "-i", "-e", file], addresses).splitlines():
            if line.startswith("0x"):
                if name is not None:
                    yield name
                name, is_name = "", True
            else:
                if is_name and not line.startswith("?"):
                    name = line.removesuffix(" inlined at")
                is_name = not is_name
        yield name or ""

    return ask


def ask_gdb(file, addresses):
    with tempfile.NamedTemporaryFile("w", suffix=".gdb") as script:
        script.write("set print demangle off\n")
        script.write("".join(f"info symbol {a:#x}\n" for a in addresses))
        script.flush()
        lines = run(
            ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off"]
            + ["-x", script.name, file]
        ).splitlines()
    for line in lines:
        if " in section " in line:
            yield line.split(" in section ")[0].split(" + ")[0]
        elif line.startswith("No symbol"):
            yield ""


def ask_blazesym(reader):
    def ask(file, addresses):
        name = ""
        # An empty line ends an answer; the outermost function is its last line.
        for line in run([reader, file], addresses).splitlines():
            if not line:
                yield name
            name = line.split("\t")[0]

    return ask


TOOLS = {
    "llvm-symbolizer": ask_symbolizer(SYMBOLIZER),
    "addr2line": ask_addr2line("addr2line"),
    "eu-addr2line": ask_addr2line("eu-addr2line"),
    "gdb": ask_gdb,
}


def ask_others(program, file, counts):
    for tool, ask in TOOLS.items():
        for address, name in zip(program.addresses, ask(file, program.addresses)):
            if name:
                counts[tool + " names"] += 1
                counts[tool + " wrong"] += not program.is_right(address, name)


def partners(entries):
    """Another build of each program that has one."""
    by_program = collections.defaultdict(list)
    for entry in entries:
        by_program[os.path.basename(entry["binary"])].append(entry)
    for entry in entries:
        builds = by_program[os.path.basename(entry["binary"])]
        yield entry, builds[(builds.index(entry) + 1) % len(builds)]


def print_table(all_counts):
    tools = list(TOOLS)
    print("| mutation | addresses | names | marked | wrong, marked | **wrong** | misses "
          "| wrong code | " + " | ".join(tools) + " |")
    print("| --- " * (8 + len(tools)) + "|")
    total = Counts()
    for mutation, c in [*all_counts.items(), ("all", total)]:
        cells = [c[k] for k in ("addresses", "names", "marked", "wrong_marked", "wrong",
                                "misses", "wrong_codes")]
        cells += [f"{c[t + ' wrong']} of {c[t + ' names']}" for t in tools]
        print(f"| {mutation} | " + " | ".join(str(c) for c in cells) + " |")
        total.update(c)
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", help="what build-corpus.sh made")
    parser.add_argument("--build", default="build", help="the build folder of lidia")
    parser.add_argument("--addresses", type=int, default=500, metavar="N",
                        help="addresses of each program and mutation")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", action="append", help="only these")
    parser.add_argument("--mutation", action="append", choices=list(MUTATIONS),
                        help="only these")
    parser.add_argument("--no-others", action="store_true", help="ask no other tools")
    parser.add_argument("--verbose", action="store_true",
                        help="print each wrong answer")
    o = parser.parse_args()
    lidia = os.path.join(o.build, "bin", "llvm-lidia")
    blazesym = os.path.join(o.build, "bin", "blazesym-reader")
    if os.path.exists(blazesym):
        TOOLS["blazesym"] = ask_blazesym(blazesym)
    if o.no_others:
        TOOLS.clear()
    symbolizer = os.path.join(o.build, "bin", "lidia-symbolizer")
    if os.path.exists(symbolizer):
        TOOLS["lidia-symbolizer"] = ask_symbolizer(symbolizer)
    with open(os.path.join(o.folder, "corpus.json")) as f:
        entries = json.load(f)
    generator = random.Random(o.seed)
    all_counts = {m: Counts() for m in o.mutation or MUTATIONS}
    for entry, other in partners(entries):
        if o.program and entry["name"] not in o.program:
            continue
        with tempfile.TemporaryDirectory() as work:
            program = Program(entry, o.folder, o.addresses, generator, work)
            program.other = os.path.join(o.folder, other["binary"])
            for mutation, counts in all_counts.items():
                if other is entry and "another build" in mutation:
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    judge(program, mutation, lidia, folder, counts, o.verbose)
    total = print_table(all_counts)
    return (total["wrong"] * 1000 > total["names"] or
            total["wrong_codes"] * 100 > total["misses"])


if __name__ == "__main__":
    sys.exit(main())
