#!/usr/bin/env python3
"""Writes a perf recording: write-perf-data.py OUTPUT [OPTION]...

The recorded program is a shell that runs test/Inputs/inline-clang-O2-dwarf5.elf as
/a.out, as in perf.txt, with more kinds of records. perf script reads the result, too.

  --big-endian       the other byte order
  --piped            as perf record -o - writes it
  --packed           as perf record -z does
  --cut=BYTES        without the last bytes
  --size=N           the size of the records in the header
  --set=OFFSET:HEX   other bytes at an offset, after everything else
  --record=TYPE:HEX  one more record, at the end
  --only=NAME        only this kind of samples; see the functions below
  --with=NAME,...    these kinds, too: OPTIONAL below
  --early            with a sample of the second event before all others
  --clock            with the relation of perf's clock to the time of day
  --monotonic        times are those of CLOCK_MONOTONIC
  --s390x            of this machine, in its byte order
"""

import struct
import sys

BUILD_ID = bytes.fromhex("324553affe6364f7347d3807579ba10fe664ac68")
IP, TID, TIME, ID, PERIOD, CHAIN, BRANCHES, READ = (
    1, 2, 4, 64, 256, 32, 2048, 16)
IDENTIFIER = 1 << 16
KERNEL, USER, GUEST = -128 % 2**64, -512 % 2**64, -2560 % 2**64
DEFERRED = -640 % 2**64
IN_KERNEL, IN_USER, IN_GUEST = 1, 2, 5


class Writer:
    def __init__(self, arguments):
        self.options = dict(a[2:].partition("=")[::2] for a in arguments)
        self.arch = "s390x" if "s390x" in self.options else "x86_64"
        self.order = ">" if {"big-endian", "s390x"} & set(self.options) else "<"
        self.records = b""

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def record(self, kind, body, misc=0):
        body += bytes(-len(body) % 8)
        self.records += self.pack("IHH", kind, misc, 8 + len(body)) + body

    def text(self, text):
        return text.encode() + bytes(8 - len(text) % 8)

    def string(self, text):
        return self.pack("I", 64) + text.encode().ljust(64, b"\0")

    def attribute(self, kind, config, fields, read_format=0, branches=0,
                  registers=0, interrupt_registers=0):
        # The bits sample_id_all, comm, mmap, task and freq.
        flags = 1 << 8 | 1 << 9 | 1 << 13 | 1 << 18
        if "monotonic" in self.options:
            flags |= 1 << 25
        if self.order == ">":
            flags = sum(1 << (63 - i) for i in range(64) if flags >> i & 1)
        return self.pack("IIQQQQQIIQQQQIiQ", kind, 112, config, 1, fields, read_format,
                         flags, 0, 0, 0, 0, branches, registers, 64,
                         "monotonic" in self.options,
                         interrupt_registers).ljust(112, b"\0")

    # The fields at the end of all records.
    def who(self, pid, time, event):
        return self.pack("IIQQQ", pid, pid, time, event, event)

    def mmap2(self, pid, time, start, size, offset, path, prot=5, build_id=None):
        misc = 2
        identity = self.pack("IIQQ", 0xfe, 0, 3, 0)
        if build_id:
            misc |= 1 << 14
            identity = bytes([len(build_id), 0, 0, 0]) + build_id
        self.record(10, self.pack("IIQQQ", pid, pid, start, size, offset) + identity +
                    self.pack("II", prot, 2) + self.text(path) + self.who(pid, time, 1),
                    misc)

    def kernel_mmap(self, start, size, path):
        self.record(1, self.pack("iIQQQ", -1, 0, start, size, start) + self.text(path) +
                    self.who(0, 0, 1), IN_KERNEL)

    def comm(self, pid, time, name, is_exec=True):
        self.record(3, self.pack("II", pid, pid) + name.encode().ljust(16, b"\0") +
                    self.who(pid, time, 1), 1 << 13 if is_exec else 0)

    def fork(self, pid, parent, time):
        self.record(7, self.pack("IIIIQ", pid, parent, pid, parent, time) +
                    self.who(parent, time, 1))

    def sample(self, pid, time, chain, event=1, period=10101010, branches=None,
               counters=None, mode=IN_USER):
        first = next((a for a in chain if a < KERNEL - 4096), 0)
        body = self.pack("QQIIQ", event, first, pid, pid, time)
        body += self.pack("QQ", event, period)
        if counters is not None:
            body += self.pack("Q", len(counters))
            for event_id, value in counters:
                body += self.pack("QQ", value, event_id)
        body += self.pack("Q", len(chain)) + b"".join(self.pack("Q", a) for a in chain)
        if branches is not None:
            body += self.pack("Q", len(branches))
            for start, to in branches:
                body += self.pack("QQQ", start, to, 0)
        self.record(9, body, mode)

    def round(self):
        self.record(68, b"")


def processes(w):
    w.kernel_mmap(0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text")
    w.comm(10, 1000, "sh")
    w.mmap2(10, 1001, 0x200000, 0x2000, 0, "/bin/sh")
    w.fork(12, 10, 1002)


def stacks(w):
    """Not ordered by time, because each processor writes its own records."""
    w.sample(12, 3000, [USER, 0x200180, 0x2001a1, 0x200231])
    w.sample(12, 1500, [USER, 0x200100])
    w.comm(12, 2000, "a.out")
    w.mmap2(12, 2001, 0x200000, 0x1000, 0, "/a.out", build_id=BUILD_ID)
    w.mmap2(12, 2002, 0x201000, 0x1000, 0x1000, "/a.out", prot=3)
    w.mmap2(12, 2003, 0x7f0000, 0x1000, 0, "//anon")
    w.round()
    # A program that the kernel created while perf recorded.
    w.record(17, w.pack("QIHH", 0xffffffffc0000000, 64, 1, 0) +
             w.text("bpf_prog_6deef7357e7b4530_x") + w.who(12, 2500, 1))
    w.sample(12, 3100, [USER, 0x200180, 0x2001a1, 0x200231])
    w.sample(12, 3200, [KERNEL, 0xffffffffc0000008, 0xffffffff81000020, USER, 0x20018c,
                        0x7f0010], mode=IN_KERNEL)
    w.round()


def deferred(w):
    """The user part of a stack comes when the kernel returns to user code; one is
    missing."""
    chain = [KERNEL, 0xffffffff81000020, DEFERRED]
    w.sample(12, 4000, chain + [77], mode=IN_KERNEL)
    w.sample(12, 4001, chain + [77], mode=IN_KERNEL)
    w.record(22, w.pack("QQQQ", 77, 2, USER, 0x20018c) + w.who(12, 4002, 1), IN_USER)
    w.sample(12, 4003, chain + [78], mode=IN_KERNEL)


def branches(w):
    """The processor records the calls: --call-graph lbr."""
    calls = [(0x2001a0, 0x200184), (0x200230, 0x200190)]
    w.sample(12, 5000, [KERNEL, 0xffffffff81000020, USER, 0x200184], 2, 3, calls,
             mode=IN_KERNEL)


def guest(w):
    w.sample(12, 6000, [GUEST, 0x1234], mode=IN_GUEST)


def group(w):
    """A group of two events, sampled twice."""
    w.sample(12, 7000, [USER, 0x20018c], 3, 1, counters=[(3, 100), (4, 7)])
    w.sample(12, 7001, [USER, 0x20018c], 3, 1, counters=[(3, 150), (4, 7)])


def lost(w):
    w.record(2, w.pack("QQ", 1, 5) + w.who(0, 8000, 1))
    w.sample(13, 8001, [USER, 0x200180], 99)


def unwound(w, words=(0x2001a1, 0x200231, 0x200210, 0, 0), sp=0x7ffd0000, pc=0x200184,
            times=(9000, 9001)):
    """The registers and the bytes of the stack: --call-graph dwarf. Only if an option
    requests it."""
    count, place_of_sp, place_of_pc = (34, 15, 33) if w.arch == "s390x" else (20, 7, 8)
    registers = [0] * count
    registers[place_of_sp], registers[place_of_pc] = sp, pc
    stack = b"".join(w.pack("Q", word) for word in words).ljust(64, b"\0")
    for time in times:
        body = w.pack("QQIIQ", 5, pc, 12, 12, time) + w.pack("QQ", 5, 10) + w.pack("Q", 0)
        body += w.pack("Q", 2) + b"".join(w.pack("Q", value) for value in registers)
        body += w.pack("Q", len(stack)) + stack + w.pack("Q", 8 * len(words))
        w.record(9, body, IN_USER)


def cut_stack(w):
    unwound(w, (0x2001a1, 0x200231))


def broken_stack(w):
    unwound(w, (0x2001a1, 0x200231, 0x123456789, 0))


def elsewhere(w):
    w.mmap2(12, 8999, 0x7f0000000000, 0x1000, 0, "/lib/none.so")
    unwound(w, pc=0x7f0000000010)


def bomb(w):
    """zstd blocks that repeat a byte 128 KiB times."""
    block = struct.pack("<I", (128 << 10) << 3 | 1 << 1)[:3] + b"\1"
    w.record(81, bytes.fromhex("28b52ffd0050") + 5000 * block)


def jit(w):
    """Code that a compiler has written to a dump, which it maps."""
    w.mmap2(12, 9100, 0x7e0000, 0x1000, 0, "/app/jit-12.dump")
    w.mmap2(12, 9101, 0x7d0000, 0x2000, 0, "//anon")
    for time, address in enumerate((0x7d0010, 0x7d0110, 0x7d0210, 0x7d1010, 0x7f0010), 9102):
        w.sample(12, time, [USER, address])


def jit_unwound(w):
    """Stacks with such code: a function with four words on the stack, later one with one
    in its place, and their caller with two."""
    w.mmap2(12, 9100, 0x7e0000, 0x1000, 0, "/app/jit-12.dump")
    w.mmap2(12, 9101, 0x7d0000, 0x2000, 0, "//anon")
    if w.arch == "s390x":
        # Calls save r14 112 bytes above the stack pointer.
        unwound(w, (0,) * 18 + (0x7d0110, 0, 0), pc=0x7d0010, times=(9200,))
        return
    callers = (0x7d0110, 0, 0x2001a1, 0x200231, 0x200210, 0, 0)
    unwound(w, (0, 0, 0) + callers, pc=0x7d0010, times=(9200,))
    unwound(w, callers, pc=0x7d0010, times=(9600,))


def cgroups(w):
    """Control groups, after all other fields: --all-cgroups, -W -d, --intr-regs and
    --phys-data."""
    paths = ("/", "/system.slice/nginx.service/worker", "/system.slice/nginx.service2")
    for number, path in enumerate(paths, 50):
        w.record(19, w.pack("Q", number) + w.text(path) + w.who(0, 0, 1))
    for time, number in enumerate((50, 51, 51, 52, 99), 9300):
        body = w.pack("QQIIQ", 6, 0x200180, 12, 12, time) + w.pack("QQ", 6, 10)
        body += w.pack("Q", 0) + w.pack("QQ", 7, 8) + w.pack("QQQ", 2, 1, 2)
        w.record(9, body + w.pack("QQ", 0x1000, number), IN_USER)


OPTIONAL = [unwound, cut_stack, broken_stack, elsewhere, bomb, jit, jit_unwound,
            cgroups]
SAMPLES = [stacks, deferred, branches, guest, group, lost]


def early(w):
    w.sample(12, 1400, [USER, 0x200100], 2, 3, [])


def build_ids(w):
    body = w.pack("i", -1) + bytes(range(1, 21)) + b"\x14\0\0\0"
    return body + w.text("[kernel.kallsyms]")


def features(w, attributes, names):
    kernel = build_ids(w)
    ids = w.pack("IHH", 67, 1 << 15, 8 + len(kernel)) + kernel
    description = w.pack("II", len(attributes), 112)
    for number, (attribute, name) in enumerate(zip(attributes, names)):
        description += attribute + w.pack("I", 1) + w.string(name)
        description += w.pack("Q", number + 1)
    found = {2: ids, 3: w.string("host"), 6: w.string(w.arch), 12: description}
    if "clock" in w.options:
        found[29] = w.pack("IIQQ", 1, 1, 1700000000000000000, 1000)
    return found


def whole_file(w, attributes, found):
    """The header, the attributes with their IDs, the records, and the features."""
    start = 104
    data = start + len(attributes) * (112 + 16 + 8)
    table = b""
    for number, attribute in enumerate(attributes):
        place = start + len(attributes) * (112 + 16) + 8 * number
        table += attribute + w.pack("QQ", place, 8)
    table += b"".join(w.pack("Q", i + 1) for i in range(len(attributes)))
    flags = sum(1 << number for number in found)
    size = int(w.options.get("size", len(w.records)))
    out = b"PERFILE2" if w.order == "<" else b"2ELIFREP"
    out += w.pack("QQQQQQQQ4Q", start, 128, start, len(attributes) * 128, data, size,
                  0, 0, flags, 0, 0, 0)
    place = data + len(w.records) + 16 * len(found)
    places = bodies = b""
    for _, body in sorted(found.items()):
        places += w.pack("QQ", place + len(bodies), len(body))
        bodies += body
    return out + table + w.records + places + bodies


def piped_file(w, attributes, found):
    records = w.records
    w.records = b""
    for number, attribute in enumerate(attributes):
        w.record(64, attribute + w.pack("Q", number + 1))
    for number, body in found.items():
        if number != 2:
            w.record(80, w.pack("Q", number) + body)
    w.records += records
    w.record(67, build_ids(w), 1 << 15)
    return (b"PERFILE2" if w.order == "<" else b"2ELIFREP") + w.pack("Q", 16) + w.records


def packed(w, records):
    """A stream in two pieces, divided within a record. The second piece has the form of
    newer perf versions."""
    # A zstd frame with a window of 1 MiB and one block, which is not compressed.
    stream = bytes.fromhex("28b52ffd0050") + struct.pack("<I", len(records) << 3 | 1)[:3]
    stream += records
    half = len(stream) // 2 // 8 * 8
    w.records = b""
    w.record(81, stream[:half])
    w.record(83, w.pack("Q", len(stream) - half) + stream[half:])
    w.round()


def main():
    w = Writer(sys.argv[2:])
    processes(w)
    if "early" in w.options:
        early(w)
    for kind in SAMPLES:
        if w.options.get("only", kind.__name__) == kind.__name__:
            kind(w)
    for kind in OPTIONAL:
        if kind.__name__ in w.options.get("with", "").split(","):
            kind(w)
    if "packed" in w.options:
        packed(w, w.records)
    if "record" in w.options:
        kind, body = w.options["record"].split(":")
        w.record(int(kind), bytes.fromhex(body))
    common = IDENTIFIER | IP | TID | TIME | ID | PERIOD | CHAIN
    attributes = [w.attribute(1, 0, common),
                  w.attribute(0, 0, common | BRANCHES, branches=1 << 11),
                  w.attribute(0, 1, common | READ, read_format=4 | 8),
                  w.attribute(0, 5, common | READ, read_format=4 | 8)]
    if "with" in w.options:
        attributes.append(w.attribute(1, 1, common | 1 << 12 | 1 << 13,
                                      registers=(1 << 34) - 1 if w.arch == "s390x" else 0xff0fff))
    if "cgroups" in w.options.get("with", ""):
        fields = 1 << 14 | 1 << 15 | 1 << 18 | 1 << 19 | 1 << 21
        attributes.append(w.attribute(1, 9, common | fields, interrupt_registers=3))
    names = ["cpu-clock", "cycles:u", "instructions:S", "branch-misses:S",
             "task-clock", "bpf-output"]
    found = features(w, attributes, names)
    out = (piped_file if "piped" in w.options else whole_file)(w, attributes, found)
    out = out[:len(out) - int(w.options.get("cut", 0))]
    if "set" in w.options:
        at, data = w.options["set"].split(":")
        data = bytes.fromhex(data)
        out = out[:int(at)] + data + out[int(at) + len(data):]
    with open(sys.argv[1], "wb") as file:
        file.write(out)


main()
