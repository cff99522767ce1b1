#!/usr/bin/env python3
"""Measures the time for symbolizing a pprof profile with pprof and with llvm-lidia.

    measure-profile.py --build BUILD-FOLDER [--runs N] [--locations N[,N...]]
                       [--modules N] [--pprof PROGRAM] [--keep FOLDER]

Makes shared libraries with debug information (one source, compiled once and linked with
different build IDs, so that each has its own archive), and a profile with distinct
locations spread evenly over their functions. Then runs, alternately,

    pprof -symbolize=demangle=full:local -proto     (with llvm-symbolizer)
    llvm-lidia profile --sysroot=/                  (archives are in the cache)

and compares their results: function, file, line and column of each frame of each
location.

PROGRAM is pprof as "go install github.com/google/pprof" builds it; by default it is
built from Go's own source. Prints Markdown: a row for each number of locations, with
medians of seconds, the ratio and the peaks of resident memory (for pprof without
llvm-symbolizer). With --keep, the files are kept and reused.
"""

import argparse
import gzip
import os
import statistics
import subprocess
import sys
import tempfile
import time

FUNCTIONS = 1500
BASE = 0x7f0000000000
HERE = os.path.dirname(os.path.abspath(__file__))


def source():
    """C++ source in which some functions are inlined into each function."""
    parts = ["typedef unsigned long W;\n"
             "template <int N> static inline W mix(W A) { return (A ^ (A >> (N % 31 + 1)))"
             " * (2 * N + 1); }\n"
             "template <int N> static inline W twice(W A, W B) {\n"
             "  W C = mix<N>(A + B);\n  if (C & N)\n    C += mix<N + 1>(B);\n"
             "  return C ^ A;\n}\n"]
    for i in range(FUNCTIONS):
        parts.append(
            f"extern \"C++\" __attribute__((visibility(\"default\"), noinline))\n"
            f"W work_{i}(W *P, W N) {{\n  W S = {i};\n"
            f"  for (W I = 0; I < N; ++I) {{\n    S += twice<{i % 97}>(P[I], S);\n"
            f"    P[I] = mix<{i % 89}>(S);\n  }}\n  return S;\n}}\n")
    return "".join(parts)


def make_modules(folder, count):
    names = [os.path.join(folder, f"module{i}.so") for i in range(count)]
    object_file = os.path.join(folder, "module.o")
    if not os.path.exists(object_file):
        text = os.path.join(folder, "module.cpp")
        with open(text, "w", encoding="ascii") as file:
            file.write(source())
        subprocess.run(["g++", "-g", "-O2", "-fPIC", "-c", text, "-o", object_file],
                       check=True)
    for i, name in enumerate(names):
        if not os.path.exists(name):
            subprocess.run(["g++", "-shared", f"-Wl,--build-id=0x{i + 1:040x}",
                            object_file, "-o", name], check=True)
    return names


def code_of(module):
    """The addresses of the bytes of functions (not of the padding between them, for
    which pprof returns the line before it), and the offset, address and size of the
    segment."""
    def lines(*command):
        return subprocess.run(command, check=True, text=True,
                              stdout=subprocess.PIPE).stdout.splitlines()

    code = []
    for line in sorted(lines("nm", "--print-size", "--defined-only", module)):
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tTwW":
            start = int(fields[0], 16)
            code += range(start, start + int(fields[1], 16))
    for line in lines("readelf", "-lW", module):
        fields = line.split()
        if fields[:1] == ["LOAD"] and "E" in fields[6:-1]:
            return code, [int(field, 16) for field in (fields[1], fields[2], fields[4])]
    raise AssertionError("no code in " + module)


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(tag, value):
    return varint(tag << 3) + varint(value)


def message(tag, content):
    return varint(tag << 3 | 2) + varint(len(content)) + content


def write_profile(path, modules, count):
    """Writes a profile. The fields are those of profile.proto."""
    code, (offset, address, size) = code_of(modules[0])
    each = count // len(modules)
    assert each <= len(code), "a module has less code than locations: use more modules"
    strings = ["", "samples", "count"]
    out = [message(1, number(1, 1) + number(2, 2))]
    for i in range(0, count, 20):
        ids = b"".join(varint(i + j + 1) for j in range(min(20, count - i)))
        out.append(message(2, message(1, ids) + message(2, varint(1))))
    identity = 0
    locations = []
    for m, module in enumerate(modules):
        start = BASE + m * 0x10000000
        strings += [module, f"{m + 1:040x}"]
        out.append(message(3, number(1, m + 1) + number(2, start) +
                           number(3, start + (size + 0xfff & ~0xfff)) +
                           number(4, offset) + number(5, len(strings) - 2) +
                           number(6, len(strings) - 1)))
        for i in range(each):
            identity += 1
            at = start - address + code[i * len(code) // each]
            locations.append(message(4, number(1, identity) + number(2, m + 1) +
                                     number(3, at)))
    out += locations
    out += [message(6, s.encode()) for s in strings]
    with open(path, "wb") as file:
        file.write(gzip.compress(b"".join(out), 6, mtime=0))


def run(command, env):
    """The time in seconds and the peak of resident memory in bytes."""
    start = time.perf_counter()
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as process:
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[0]} failed: {errors.decode()}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024


def frames(pprof, profile, env):
    """The lines of each location, from pprof's reader."""
    text = subprocess.run([pprof, "-symbolize=none", "-raw", profile], check=True, text=True,
                          env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout
    locations = []
    for line in text.split("\nLocations\n")[1].split("\nMappings\n")[0].splitlines():
        head, _, rest = line.partition(" M=")
        if rest:
            locations.append((head.split()[1], [rest.partition(" ")[2].strip()]))
        else:
            locations[-1][1].append(line.strip())
    return locations


def differences(theirs, ours):
    assert len(theirs) == len(ours), (len(theirs), len(ours))
    return sum(a != b for a, b in zip(theirs, ours))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, metavar="FOLDER")
    parser.add_argument("--runs", type=int, default=3, metavar="N")
    parser.add_argument("--locations", default="10000,1000000", metavar="N,...")
    parser.add_argument("--modules", type=int, default=50, metavar="N")
    parser.add_argument("--pprof", metavar="PROGRAM")
    parser.add_argument("--keep", metavar="FOLDER")
    args = parser.parse_args()
    lidia = os.path.join(os.path.abspath(args.build), "bin", "llvm-lidia")
    with tempfile.TemporaryDirectory() as temporary:
        folder = os.path.abspath(args.keep or temporary)
        os.makedirs(folder, exist_ok=True)
        env = dict(os.environ, LIDIA_CACHE_DIR=os.path.join(folder, "cache"),
                   PPROF_TMPDIR=folder)
        pprof = args.pprof
        if not pprof:
            pprof = os.path.join(folder, "go", "pprof")
            if not os.path.exists(pprof):
                subprocess.run([sys.executable, os.path.join(
                    HERE, "..", "..", "test", "Symbolize", "Inputs", "build-pprof.py"),
                    os.path.dirname(pprof)], check=True)
        modules = make_modules(folder, args.modules)
        print("| locations | modules | pprof | ours | ratio | memory of pprof | of ours "
              "| differing locations |\n| ---: " + "| ---: " * 7 + "|")
        for count in map(int, args.locations.split(",")):
            profile = os.path.join(folder, f"profile-{count}.pb.gz")
            write_profile(profile, modules, count)
            their, our = (os.path.join(folder, name) for name in ("their.pb.gz",
                                                                  "our.pb.gz"))
            theirs = [pprof, "-symbolize=demangle=full:local", "-proto", "-output", their,
                      profile]
            ours = [lidia, "profile", "--sysroot=/", "-q", profile, "-o", our]
            run(ours, env)
            times = {"their": [], "our": []}
            peaks = {"their": 0, "our": 0}
            for _ in range(args.runs):
                for name, command in (("their", theirs), ("our", ours)):
                    seconds, peak = run(command, env)
                    times[name].append(seconds)
                    peaks[name] = max(peaks[name], peak)
            a, b = (statistics.median(times[name]) for name in ("their", "our"))
            print(f"| {count:,} | {args.modules} | {a:.2f} s | {b:.2f} s | {a / b:.1f} "
                  f"| {peaks['their'] >> 20} MB | {peaks['our'] >> 20} MB "
                  f"| {differences(frames(pprof, their, env), frames(pprof, our, env)):,} |",
                  flush=True)


main()
