#!/usr/bin/env python3
"""Writes a small minidump for a test.

    make-minidump.py [OPTION...] KIND FILE

KIND is linux, linux-rsds, linux-arm64, linux-arm, linux-x86, windows, windows-full
(with all memory), macos or an invalid kind: shared-names, shared-stacks, many-streams,
cut. All numbers are hexadecimal.

The layouts are those of minidumpapiset.h and of Breakpad's minidump_format.h.
"""

import argparse
import struct

BASE = 0x555500000000
STACK = 0x7FFE00001000


class Dump:
    """The bytes of a minidump, with its streams."""

    def __init__(self):
        self.data = bytearray(32)
        self.streams = []

    def add(self, data):
        """Adds aligned bytes. Returns their offset."""
        self.data += bytes(-len(self.data) % 8)
        place = len(self.data)
        self.data += data
        return place

    def located(self, data):
        """Adds bytes. Returns their location descriptor."""
        return struct.pack("<II", len(data), self.add(data))

    def text(self, text):
        data = text.encode("utf-16-le")
        return self.add(struct.pack("<I", len(data)) + data + b"\0\0")

    def stream(self, kind, data):
        self.streams.append((kind, self.located(data)))

    def finish(self, time=0x5F000000):
        directory = b"".join(struct.pack("<I", k) + where for k, where in self.streams)
        place = self.add(directory)
        self.data[:32] = struct.pack("<4sIIIIIQ", b"MDMP", 0xA793, len(self.streams), place,
                                     0, time, 0)
        return bytes(self.data)


def words(size, count, begin):
    return b"".join((begin + i).to_bytes(size, "little") for i in range(count))


def context(cpu, pc, sp, fp):
    """A CPU context: registers have ascending values from 0x1000, except for the given
    ones."""
    if cpu == "x86-64":
        data = bytearray(1232)
        data[0x30:0x34] = struct.pack("<I", 0x10000F)
        data[0x78:0xF8] = words(8, 16, 0x1000)
        data[0x98:0xA0] = struct.pack("<Q", sp)
        data[0xA0:0xA8] = struct.pack("<Q", fp)
        data[0xF8:0x100] = struct.pack("<Q", pc)
    elif cpu == "x86":
        data = bytearray(716)
        data[0:4] = struct.pack("<I", 0x1000F)
        data[0x9C:0xB4] = words(4, 6, 0x1000)
        data[0xB4:0xBC] = struct.pack("<II", fp, pc)
        data[0xC4:0xC8] = struct.pack("<I", sp)
    elif cpu == "arm64":
        data = bytearray(796)
        data[0:8] = struct.pack("<Q", 0x80000003)
        data[8:256] = words(8, 31, 0x1000)
        data[8 + 29 * 8:8 + 30 * 8] = struct.pack("<Q", fp)
        data[256:272] = struct.pack("<QQ", sp, pc)
    elif cpu == "arm":
        data = bytearray(368)
        data[0:4] = struct.pack("<I", 0x40000003)
        data[4:68] = words(4, 16, 0x1000)
        data[4 + 11 * 4:4 + 12 * 4] = struct.pack("<I", fp)
        data[4 + 13 * 4:4 + 14 * 4] = struct.pack("<I", sp)
        data[4 + 15 * 4:4 + 16 * 4] = struct.pack("<I", pc)
    return bytes(data)


ARCHITECTURES = {"x86-64": 9, "x86": 0, "arm64": 0x8003, "arm": 5}
PLATFORMS = {"linux": 0x8201, "windows": 2, "macos": 0x8101}
VERSIONS = {
    "linux": (0, 0, 0, "Linux 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian x86_64"),
    "windows": (10, 0, 19041, ""),
    "macos": (11, 6, 7, "20G630"),
}


def system_info(dump, cpu, system):
    major, minor, build, text = VERSIONS[system]
    return struct.pack("<HHHBBIIIIIHH24s", ARCHITECTURES[cpu], 6, 0x5507, 4, 1, major, minor,
                       build, PLATFORMS[system], dump.text(text), 0, 0, b"GenuineIntel")


def module(dump, base, size, path, record, version=(0, 0), time=0x5E000000):
    fixed = struct.pack("<II", 0xFEEF04BD, 0x10000) if any(version) else bytes(8)
    fixed += struct.pack("<II", *version) + bytes(36)
    return (struct.pack("<QIIII", base, size, 0, time, dump.text(path)) + fixed +
            dump.located(record) + bytes(8 + 16))


def elf_record(build_id):
    return b"LEpB" + build_id


def pdb_record(build_id, age, name):
    return b"RSDS" + build_id[:16].ljust(16, b"\0") + struct.pack("<I", age) + name + b"\0"


def listed(entries):
    return struct.pack("<I", len(entries)) + b"".join(entries)


def thread(number, stack_begin, stack, registers):
    return (struct.pack("<IIIIQQ", number, 0, 0, 0, 0x7FF000, stack_begin) + stack + registers)


def exception(dump, number, code, flags, address, parameters, registers):
    parameters = list(parameters) + [0] * (15 - len(parameters))
    return (struct.pack("<IIIIQQII", number, 0, code, flags, 0, address, 2, 0) +
            struct.pack("<15Q", *parameters) + dump.located(registers))


def make(cpu, system, options, as_pdb=False, is_full=False):
    dump = Dump()
    build_id = options.build_id
    word = 8 if cpu in ("x86-64", "arm64") else 4
    base, stack = (BASE, STACK) if word == 8 else (0x8000000, 0x7E001000)
    base = options.base or base
    dump.stream(7, system_info(dump, cpu, system))
    # Two frames found by the frame pointer, after the first one's.
    frames = [stack + 4 * word, base + 0x2010, 0, 0, 0, base + 0x2020]
    if options.stack:
        frames = [base + int(w[1:], 16) if w[0] == "+" else int(w, 16)
                  for w in options.stack.split(",")]
    memory = dump.located(b"".join(f.to_bytes(word, "little") for f in frames))
    pc = base + options.pc
    registers = context(cpu, pc, stack, stack)
    handler = context(cpu, pc + 0x100, stack, stack)
    # The threads' own registers are those of the handler.
    own = bytes(8) if is_full else memory
    dump.stream(3, listed([thread(101, stack, own, dump.located(handler)),
                           thread(102, stack, own, dump.located(registers))]))
    dump.stream(24, listed([struct.pack("<IQ", 101, dump.text("main")),
                            struct.pack("<IQ", 102, dump.text("worker \u00e9\u20ac"))]))
    code = {"linux": (11, 1), "windows": (0xC0000005, 0), "macos": (1, 1)}[system]
    dump.stream(6, exception(dump, 101, *code, pc if system == "windows" else 0x45,
                             (1, 0x45), registers))
    record = elf_record(build_id) if system == "linux" and not as_pdb else pdb_record(
        build_id, options.age if system == "windows" else 0, b"program.pdb")
    path = "C:\\bin\\program.exe" if system == "windows" else "/usr/bin/program"
    more = [module(dump, base + i * 0x10000, 0x10000, path, pdb_record(
        i.to_bytes(16, "big"), 1, b"program.pdb")) for i in range(1, options.more + 1)]
    dump.stream(4, listed([
        module(dump, base, 0x10000, path, record, (0x10002, 0x30004), options.time), *more,
        module(dump, base + 0x100000, 0x1000, "/lib/nothing.so", b"")]))
    dump.stream(15, struct.pack("<IIII", 24, 3, 1000, 0x5EFFFFF0) + bytes(8))
    if is_full:
        size, place = struct.unpack("<II", memory)
        # The bytes of the ranges are contiguous. The bytes of the first one are
        # arbitrary.
        dump.stream(9, struct.pack("<QQQQQQ", 2, place - 8, 0x1000, 8, stack, size))
    else:
        ranges = [struct.pack("<Q", stack) + memory, struct.pack("<Q", stack + word) + memory]
        if options.code:
            ranges.append(struct.pack("<Q", pc - 8) + dump.located(options.code))
        dump.stream(5, listed(ranges))
    if system == "linux":
        dump.stream(0x47670009, f"{base:x}-{base + 0x10000:x} r-xp 00000000 08:01 7 {path}\n"
                                f"{stack:x}-{stack + 0x1000:x} rw-p 00000000 00:00 0 [stack]\n"
                    .encode())
        dump.stream(0x47670005, b'DISTRIB_ID="Debian"\nDISTRIB_RELEASE=12\n')
    else:
        dump.stream(16, struct.pack("<IIQ", 16, 48, 1) +
                    struct.pack("<QQIIQIIII", stack, stack, 4, 0, 0x1000, 0x1000, 4, 0x20000, 0))
        dump.stream(14, struct.pack("<III", 12, 24, 1) +
                    struct.pack("<QIIII", base + 0x200000, 0x1000, 0, 0x5E000001,
                                dump.text("C:\\gone.dll")))
    dump.stream(0x43500001, struct.pack("<I", 1) + bytes(range(16)) + bytes(16) + dump.located(
        listed([struct.pack("<II", dump.add(b"\x04\0\0\0prod\0"),
                            dump.add(b"\x04\0\0\0test\0"))])) + bytes(8))
    return dump.finish()


def shared_names():
    """Modules that all have the file's longest text as their name."""
    dump = Dump()
    name = dump.text("n" * 30000)
    dump.stream(4, listed([struct.pack("<QIIII", 0x1000 * i, 0x1000, 0, 0, name) + bytes(84)
                           for i in range(2000)]))
    return dump.finish()


def shared_stacks():
    """Threads that all have the same stack, a chain of frame pointers."""
    dump = Dump()
    dump.stream(7, system_info(dump, "x86-64", "linux"))
    memory = dump.located(b"".join(struct.pack("<QQ", STACK + 16 * (i + 1), BASE + 0x2010)
                                   for i in range(1000)))
    registers = dump.located(context("x86-64", BASE + 0x2000, STACK - 8, STACK))
    dump.stream(3, listed([thread(i, STACK, memory, registers) for i in range(2000)]))
    dump.stream(4, listed([module(dump, BASE, 0x10000, "/usr/bin/program", b"")]))
    return dump.finish()


def many_streams():
    """More streams, threads and bytes of memory than fit into the file."""
    dump = Dump()
    dump.stream(3, struct.pack("<I", 0xFFFFFFFF) + bytes(100))
    dump.stream(9, struct.pack("<QQ", 2**64 - 1, 0) + struct.pack("<QQ", 2**64 - 8, 2**64 - 1))
    dump.stream(4, struct.pack("<I", 3) + bytes(2))
    data = bytearray(dump.finish())
    data[8:12] = b"\xff\xff\xff\xff"
    return bytes(data)


KINDS = {
    "linux": lambda o: make("x86-64", "linux", o),
    "linux-rsds": lambda o: make("x86-64", "linux", o, as_pdb=True),
    "linux-arm64": lambda o: make("arm64", "linux", o),
    "linux-arm": lambda o: make("arm", "linux", o),
    "linux-x86": lambda o: make("x86", "linux", o),
    "windows": lambda o: make("x86-64", "windows", o),
    "windows-full": lambda o: make("x86-64", "windows", o, is_full=True),
    "macos": lambda o: make("arm64", "macos", o),
    "shared-names": lambda o: shared_names(),
    "shared-stacks": lambda o: shared_stacks(),
    "many-streams": lambda o: many_streams(),
    "cut": lambda o: make("x86-64", "linux", o)[:1500],
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build-id", type=bytes.fromhex, default=bytes(range(1, 21)),
                        help="of the first module, as its record has it")
    parser.add_argument("--age", type=int, default=3, help="of its PDB")
    parser.add_argument("--time", type=lambda t: int(t, 16), default=0x5E000000,
                        help="that the first module was linked at")
    parser.add_argument("--more", type=int, default=0,
                        help="modules with its name and other build IDs, each 0x10000 after "
                             "the one before")
    parser.add_argument("--base", type=lambda t: int(t, 16), help="where that is")
    parser.add_argument("--pc", type=lambda t: int(t, 16), default=0x2000,
                        help="the program counter, from there on")
    parser.add_argument("--stack", help="its words, with commas; +N counts from there on, too")
    parser.add_argument("--code", type=bytes.fromhex,
                        help="the bytes of code from 8 before the program counter on")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("file")
    options = parser.parse_args()
    with open(options.file, "wb") as file:
        file.write(KINDS[options.kind](options))


if __name__ == "__main__":
    main()
