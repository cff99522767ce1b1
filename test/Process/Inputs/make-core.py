#!/usr/bin/env python3
"""Writes a core from a description.

usage: make-core.py DESCRIPTION OUTPUT

DESCRIPTION has lines of these forms. Numbers are as in Python, and '#' begins a
comment:

  machine x86-64|aarch64|i386|s390x|arm|riscv64|ppc64|ppc64le|sparc64
  process ID NAME                        an NT_PRPSINFO
  thread ID SIGNAL [pc=N] [sp=N] [fp=N] [lr=N] [pac=N] [code=N [address=N]]
                                         an NT_PRSTATUS (lr: for machines that have
                                         a link register), an NT_ARM_PAC_MASK with the
                                         mask PAC of code, and an NT_SIGINFO with
                                         si_code and the fields after it
  file BEGIN END OFFSET PATH             an entry of NT_FILE
  dump BEGIN END PERMISSIONS [FILE]      a segment, with the bytes of the host's
                                         FILE, truncated or padded with zeros
  absent BEGIN END PERMISSIONS           a segment that was not dumped
  words ADDRESS N...                     words of memory in a segment
  auxv TYPE N                            an entry of the auxiliary vector
  note OWNER TYPE HEXDIGITS              any other note
  notes-size N                           the size of PT_NOTE, instead of the correct one
  notes-last                             the notes are behind the memory, as gdb puts them
  load OFFSET ADDRESS FILESIZE MEMSIZE   a segment with exactly these numbers
"""

import shlex
import struct
import sys

# Word size, byte order, e_machine; in struct elf_prstatus, the offsets of the ID and of
# the registers, the indices of pc, sp and fp in the registers, and the number of
# registers.
MACHINES = {
    "x86-64": (8, "<", 62, 32, 112, {"pc": 16, "sp": 19, "fp": 4}, 27),
    "aarch64": (8, "<", 183, 32, 112, {"pc": 32, "sp": 31, "fp": 29, "lr": 30}, 34),
    "i386": (4, "<", 3, 24, 72, {"pc": 12, "sp": 15, "fp": 5}, 17),
    "s390x": (8, ">", 22, 32, 112, {"pc": 1, "sp": 17, "fp": 13}, 27),
    "sparc64": (8, ">", 43, 32, 112, {}, 27),
    "arm": (4, "<", 40, 24, 72, {"pc": 15, "sp": 13, "fp": 11}, 18),
    "riscv64": (8, "<", 243, 32, 112, {"pc": 0, "sp": 2, "fp": 8}, 32),
    "ppc64": (8, ">", 21, 32, 112, {"pc": 32, "sp": 1, "fp": 31, "lr": 36}, 48),
    "ppc64le": (8, "<", 21, 32, 112, {"pc": 32, "sp": 1, "fp": 31, "lr": 36}, 48),
}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = [shlex.split(line, comments=True) for line in file]
    machine = None
    threads, files, dumps, loads, auxv, notes = [], [], [], [], [], []
    notes_size = process = None
    notes_last = False
    for command, *args in filter(None, lines):
        if command == "machine":
            machine = MACHINES[args[0]]
        elif command == "process":
            process = args
        elif command == "thread":
            values = {k: int(v, 0) for k, v in (a.split("=") for a in args[2:])}
            threads.append((int(args[0]), int(args[1]), values))
        elif command == "file":
            files.append((*(int(a, 0) for a in args[:3]), args[3]))
        elif command in ("dump", "absent"):
            begin, end = int(args[0], 0), int(args[1], 0)
            data = b""
            if len(args) > 3:
                with open(args[3], "rb") as file:
                    data = file.read()[: end - begin]
            data = bytearray(data.ljust(end - begin, b"\0") if command == "dump" else b"")
            dumps.append((begin, end, args[2], data))
        elif command == "words":
            address, *words = (int(a, 0) for a in args)
            for begin, end, _, data in dumps:
                if begin <= address < end:
                    packed = struct.pack(f"{machine[1]}{len(words)}{'Q' if machine[0] == 8 else 'I'}", *words)
                    data[address - begin : address - begin + len(packed)] = packed
        elif command == "auxv":
            auxv += [int(a, 0) for a in args]
        elif command == "note":
            notes.append((args[0], int(args[1], 0), bytes.fromhex(args[2])))
        elif command == "notes-last":
            notes_last = True
        elif command == "notes-size":
            notes_size = int(args[0], 0)
        elif command == "load":
            loads.append(tuple(int(a, 0) for a in args))
        else:
            sys.exit("unknown: " + command)
    size, order, e_machine, id_at, registers_at, registers, count = machine
    word = "Q" if size == 8 else "I"

    def words(*values):
        return struct.pack(f"{order}{len(values)}{word}", *values)

    blob = b""

    def note(owner, kind, contents):
        name = owner.encode() + b"\0"
        return (struct.pack(order + "3I", len(name), len(contents), kind)
                + name.ljust(-len(name) % 4 + len(name), b"\0")
                + contents.ljust(-len(contents) % 4 + len(contents), b"\0"))

    for thread, signal, values in threads:
        mask = values.pop("pac", None)
        code, address = values.pop("code", None), values.pop("address", 0)
        status = bytearray(registers_at + count * size)
        struct.pack_into(order + "H", status, 12, signal)
        struct.pack_into(order + "I", status, id_at, thread)
        for name, value in values.items():
            if name == "lr" and name not in registers:
                continue
            struct.pack_into(order + word, status, registers_at + registers[name] * size, value)
        blob += note("CORE", 1, bytes(status))
        if mask is not None:
            blob += note("LINUX", 0x406, words(0, mask))
        if code is not None:
            info = struct.pack(order + "3i", signal, 0, code).ljust(16 if size == 8 else 12, b"\0")
            blob += note("CORE", 0x53494749, (info + words(address)).ljust(128, b"\0"))
    if process:
        numbers = struct.pack(order + "4I", int(process[0]), 0, 0, 0)
        blob += note("CORE", 3, bytes(24 if size == 8 else 12) + numbers
                     + process[1].encode().ljust(16, b"\0") + bytes(80))
    if auxv:
        blob += note("CORE", 6, words(*auxv, 0, 0))
    if files:
        table = words(len(files), 4096)
        for begin, end, offset, _ in files:
            table += words(begin, end, offset // 4096)
        blob += note("CORE", 0x46494C45, table + b"".join(f[3].encode() + b"\0" for f in files))
    for owner, kind, contents in notes:
        blob += note(owner, kind, contents)

    header_size, entry_size = (64, 56) if size == 8 else (52, 32)
    number = 1 + len(dumps) + len(loads)
    at = header_size + number * entry_size

    def entry(kind, flags, offset, address, filesz, memsz):
        if size == 8:
            return struct.pack(order + "2I6Q", kind, flags, offset, address, 0, filesz, memsz, 4)
        return struct.pack(order + "8I", kind, offset, address, 0, filesz, memsz, flags, 4)

    notes_size = len(blob) if notes_size is None else notes_size
    memory = b""
    before = 0 if notes_last else len(blob)
    segments = b""
    for begin, end, permissions, data in dumps:
        flags = sum(bit for bit, letter in ((4, "r"), (2, "w"), (1, "x")) if letter in permissions)
        segments += entry(1, flags, at + before + len(memory), begin, len(data), end - begin)
        memory += data
    table = entry(4, 0, at + (len(memory) if notes_last else 0), 0, notes_size, 0) + segments
    blob = memory + blob if notes_last else blob + memory
    for offset, address, filesz, memsz in loads:
        table += entry(1, 7, offset, address, filesz, memsz)
    ident = bytes([0x7F, 0x45, 0x4C, 0x46, 2 if size == 8 else 1, 1 if order == "<" else 2, 1] + [0] * 9)
    header = ident + struct.pack(f"{order}2HI3{word}I6H", 4, e_machine, 1, 0, header_size, 0, 0,
                                 header_size, entry_size, number, 0, 0, 0)
    with open(sys.argv[2], "wb") as file:
        file.write(header + table + blob)


main()
