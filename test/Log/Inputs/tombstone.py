#!/usr/bin/env python3
"""Writes Android tombstones as protobuf messages.

    tombstone.py make OUTPUT [--arch=N] [--cut] FRAME...
    tombstone.py cut INPUT OUTPUT
    tombstone.py threads OUTPUT COUNT

make: writes one thread, whose frames are given as PC,FILE,MAPOFFSET,BUILDID in
hexadecimal digits; --cut omits the last byte. cut: keeps only the parts of INPUT that
led to the crash: the thread that crashed, without memory, and the mappings of its
frames. threads: writes COUNT empty threads of a program with a long name.

The fields are those of debuggerd/proto/tombstone.proto in Android's system/core.
"""

import sys

PID, TID, COMMAND, THREADS, MAPPINGS, LOGS, FDS = 5, 6, 9, 16, 17, 18, 19


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(tag, value):
    return varint(tag << 3) + varint(value) if value else b""


def data(tag, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(tag << 3 | 2) + varint(len(value)) + value


def fields(message):
    """(tag, value) of each field; values are numbers or bytes."""
    at = 0

    def read():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = read()
        if key & 7 == 0:
            yield key >> 3, read()
        else:
            size = read()
            yield key >> 3, message[at:at + size]
            at += size


def write(tag, value):
    return number(tag, value) if isinstance(value, int) else data(tag, value)


def head(arch, name="com.example.app"):
    signal = (number(1, 11) + data(2, "SIGSEGV") + number(3, 1) + data(4, "SEGV_MAPERR") +
              number(8, 1) + number(9, 0x48))
    return (number(1, arch) + data(2, "vendor/product:16/ID/1:user/release-keys") +
            data(4, "2026-01-01 00:00:00.000000000+0000") + number(PID, 7) + number(TID, 8) +
            number(7, 10001) + data(COMMAND, name) + number(20, 3) + data(10, signal))


def make(output, *rest):
    arch, is_cut, thread = 1, False, number(1, 8) + data(2, "RenderThread\n")
    thread += data(3, data(1, "x0") + number(2, 0x48)) + data(3, data(1, "pc") + number(2, 0x7000))
    for word in rest:
        if word.startswith("--arch="):
            arch = int(word[7:])
        elif word == "--cut":
            is_cut = True
        else:
            pc, file, offset, build_id = word.split(",")
            thread += data(4, number(1, int(pc, 16)) + data(6, file) +
                           number(7, int(offset, 16)) + data(8, build_id))
    message = head(arch) + data(THREADS, number(1, 8) + data(2, thread))
    with open(output, "wb") as out:
        out.write(message[:-1] if is_cut else message)


def cut(source, output):
    with open(source, "rb") as file:
        message = list(fields(file.read()))
    crashed = next(value for tag, value in message if tag == TID)
    message = [(tag, value) for tag, value in message if tag not in (LOGS, FDS) and
               (tag != THREADS or next(fields(value))[1] == crashed)]
    files, result = set(), []
    for tag, value in message:
        if tag == THREADS:
            entry = dict(fields(value))
            thread = [field for field in fields(entry[2]) if field[0] != 5]
            files = {dict(fields(frame)).get(6) for field, frame in thread if field == 4}
            thread = b"".join(write(*field) for field in thread)
            value = number(1, crashed) + data(2, thread)
        result.append((tag, value))
    with open(output, "wb") as out:
        out.write(b"".join(
            write(tag, value) for tag, value in result
            if tag != MAPPINGS or dict(fields(value)).get(7) in files))


def threads(output, count):
    thread = data(THREADS, number(1, 1) + data(2, number(1, 1)))
    with open(output, "wb") as out:
        out.write(head(1, "x" * 10000))
        for i in range(int(count)):
            out.write(thread.replace(b"\x08\x01", number(1, i + 1), 1) if i < 127 else
                      data(THREADS, number(1, i + 1) + data(2, number(1, i + 1))))


{"make": make, "cut": cut, "threads": threads}[sys.argv[1]](*sys.argv[2:])
