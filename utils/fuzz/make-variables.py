#!/usr/bin/env python3
"""Makes inputs with variables for the fuzz targets "convert" and "variables".

    utils/fuzz/make-variables.py --lidia build/bin/llvm-lidia FOLDER

FOLDER gets small programs (variables-gcc.elf), and from the section VARS of each
program's archive what the target "variables" reads (variables-gcc; the target's source
file says what it is). Needs gcc, clang-19, binutils and libzstd.
"""

import argparse
import ctypes
import ctypes.util
import os
import struct
import subprocess
import tempfile

C = """
struct s { int a; char b[3]; struct s *next; };
enum e { one, two };
extern int out(int, int);
static inline __attribute__((always_inline)) int in(struct s *p, int k) {
  int local = p->a * k;
  return out(local, k) + local;
}
int f(struct s *p, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    enum e x = i & 1;
    sum += in(p, i) + x;
    p = p->next;
  }
  return out(sum, 7);
}
int out(int a, int b) { return f(0, a) * b; }
"""
CXX = """
namespace ns {
struct base { int z; };
template <int N> struct d : base {
  int m(int k) { return k * N + z; }
  enum class c { p, q } v;
  union { float f; long l; };
};
}
__attribute__((noinline)) static int g(double x, ns::d<3> &r) {
  return r.m(int(x)) + int(r.v);
}
int h(int a) {
  ns::d<3> r{};
  r.z = a;
  {
    int b = a * 2;
    a += g(b, r);
  }
  return a;
}
"""

# The name, the source and the compiler of each program.
PROGRAMS = [
    ("gcc", C, ["gcc", "-gdwarf-5", "-xc"]),
    ("gcc-dwarf4", C, ["gcc", "-gdwarf-4", "-xc"]),
    ("clang", C, ["clang-19", "-gdwarf-5", "-xc"]),
    ("gcc-cxx", CXX, ["gcc", "-gdwarf-5", "-xc++"]),
    ("clang-cxx", CXX, ["clang-19", "-gdwarf-5", "-xc++"]),
]
LINK = ["-O2", "-nostdlib", "-static", "-fno-asynchronous-unwind-tables", "-fcf-protection=none",
        "-Wl,--build-id=none,-z,noseparate-code,-e,0"]


def section_of(archive):
    # The first is the string that announces the extension.
    start = archive.index(b"LIDIAEXT", archive.index(b"LIDIAEXT") + 1)
    (count,) = struct.unpack_from("<I", archive, start + 12)
    for i in range(count):
        tag, _, offset, size = struct.unpack_from("<4sIQQ", archive, start + 32 + i * 24)
        if tag == b"VARS":
            return archive[start + offset:start + offset + size]
    raise SystemExit("the archive has no variables")


def unpack(packed, size):
    if len(packed) == size:
        return packed
    zstd = ctypes.CDLL(ctypes.util.find_library("zstd"))
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(size)
    got = zstd.ZSTD_decompress(out, ctypes.c_size_t(size), packed, ctypes.c_size_t(len(packed)))
    if got != size:
        raise SystemExit("a column cannot be unpacked")
    return out.raw


def number(value):
    """As FuzzInput::variableNumber() reads it."""
    return bytes([value]) if value < 0xfc else b"\xfd" + struct.pack("<H", value)


def input_of(section):
    *counts, columns, calls = struct.unpack_from("<8I", section)
    result = b"\0" + b"".join(map(number, counts + [calls, columns]))
    at = 32 + 8 * columns
    for i in range(columns):
        size, packed = struct.unpack_from("<2I", section, 32 + 8 * i)
        result += number(size) + unpack(section[at:at + packed], size)
        at += packed
    return result


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lidia", default="llvm-lidia", help="the program to use")
    parser.add_argument("folder")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    for name, source, compiler in PROGRAMS:
        to = os.path.join(arguments.folder, "variables-" + name)
        program = to + ".elf"
        subprocess.run(compiler + ["-", "-o", program] + LINK, input=source.encode(), check=True)
        subprocess.run(["strip", "--strip-unneeded", "--keep-section=.debug*",
                        "--remove-section=.comment", "--remove-section=.debug_aranges", program],
                       check=True)
        with tempfile.TemporaryDirectory() as work:
            archive = os.path.join(work, "archive")
            subprocess.run([arguments.lidia, "--variables", program, "-o", archive], check=True)
            with open(archive, "rb") as file:
                result = input_of(section_of(file.read()))
        with open(to, "wb") as file:
            file.write(result)


if __name__ == "__main__":
    main()
