#!/usr/bin/env python3
"""Makes ELF programs with gigabytes of DWARF, without compiling that much.

    make-large-program.py [--gigabytes=N,...] [--cxx=COMPILER] [--flags=FLAGS] FOLDER

A few C++ units with containers and lambdas are compiled with -g -O2. Copies of their
object files get names of their own: the bytes of the namespace and the file name are
replaced in place, so that functions, types, COMDAT groups and mangled names differ. LLD
links them to one program. Rows and ranges of copies are alike, so that an archive, which
shares equal runs of rows, is smaller than that of other programs of this size. Needs
four times as much room as the largest program takes. Prints what was made: FOLDER/large-N
for each N."""

import argparse
import contextlib
import os
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

# In each name of a unit.
MARK = b"unit_0000000"

UNIT = """
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>
namespace unit_0000000 {
TABLES
}
"""

# "#" is a number.
TABLE = """
struct Entry# {
  int Key;
  std::string Name;
  std::vector<double> Values;
  long Count = 0;
};
class Table# {
public:
  bool add(const Entry# &E) {
    auto [It, IsNew] = ByKey.emplace(E.Key, E);
    if (!IsNew)
      return merge(It->second, E);
    ByName[E.Name].push_back(std::make_shared<Entry#>(E));
    return true;
  }
  double sum(const std::string &Name) const;
  std::vector<Entry#> sorted(int Least) const;
  void clean(const std::function<bool(const Entry# &)> &IsOld);
private:
  static bool merge(Entry# &To, const Entry# &From) {
    To.Values.insert(To.Values.end(), From.Values.begin(), From.Values.end());
    To.Count += From.Count;
    return From.Count > #;
  }
  std::map<int, Entry#> ByKey;
  std::unordered_map<std::string, std::vector<std::shared_ptr<Entry#>>> ByName;
};
double Table#::sum(const std::string &Name) const {
  auto It = ByName.find(Name);
  if (It == ByName.end())
    return #;
  return std::accumulate(
      It->second.begin(), It->second.end(), 0.0, [](double S, const auto &E) {
        return S + std::accumulate(E->Values.begin(), E->Values.end(), 0.0);
      });
}
std::vector<Entry#> Table#::sorted(int Least) const {
  std::vector<Entry#> All;
  for (const auto &[Key, E] : ByKey)
    if (Key >= Least + #)
      All.push_back(E);
  std::sort(All.begin(), All.end(), [](const Entry# &A, const Entry# &B) {
    return A.Name < B.Name || (A.Name == B.Name && A.Key < B.Key);
  });
  return All;
}
void Table#::clean(const std::function<bool(const Entry# &)> &IsOld) {
  for (auto It = ByKey.begin(); It != ByKey.end();)
    It = IsOld(It->second) ? ByKey.erase(It) : std::next(It);
  for (auto &[Name, All] : ByName)
    All.erase(std::remove_if(All.begin(), All.end(),
                             [&](const auto &E) { return IsOld(*E); }),
              All.end());
}
bool fill#(Table# &T, const std::vector<std::string> &Names) {
  bool All = true;
  for (size_t I = 0; I != Names.size(); ++I)
    All &= T.add({int(I) ^ #, Names[I], {double(I), #.5}});
  return All;
}
"""

# The tables of each unit that is compiled.
UNITS = [range(1, 3), range(3, 6), range(6, 11)]


def compile_units(options, folder):
    """The bytes of the object files."""
    objects = []
    for tables in UNITS:
        source = os.path.join(folder, MARK.decode() + ".cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write(UNIT.replace(
                "TABLES", "".join(TABLE.replace("#", str(i)) for i in tables)))
        subprocess.run([options.cxx, "-std=c++17", "-g", "-O2", *shlex.split(options.flags),
                        "-c", os.path.basename(source), "-o", "unit.o"], cwd=folder, check=True)
        with open(os.path.join(folder, "unit.o"), "rb") as file:
            objects.append(file.read())
    return objects


def debug_sections(path):
    """The names and sizes of the sections with DWARF."""
    with open(path, "rb") as file:
        header = struct.unpack("<16sHHIQQQIHHHHHH", file.read(64))
        if header[0][:6] != b"\x7fELF\x02\x01":
            sys.exit(f"{path}: expected an ELF file of 64 bits, little-endian")
        sections_at, count, names = header[6], header[12], header[13]
        file.seek(sections_at)
        sections = [struct.unpack("<IIQQQQIIQQ", file.read(64)) for _ in range(count)]
        file.seek(sections[names][4])
        text = file.read(sections[names][5])
    named = [(text[s[0]:text.index(b"\0", s[0])].decode(), s[5]) for s in sections]
    return {name: size for name, size in named if name.startswith(".debug_")}


@contextlib.contextmanager
def named_objects(objects, count, folder):
    """A response file with the paths of COUNT objects."""
    with tempfile.TemporaryDirectory(dir=folder) as copies:
        paths = [os.path.join(copies, f"{i}.o") for i in range(count)]
        for i, path in enumerate(paths):
            with open(path, "wb") as file:
                file.write(objects[i % len(objects)].replace(MARK, b"unit_%07d" % i))
        response = os.path.join(copies, "objects")
        with open(response, "w", encoding="utf-8") as file:
            file.write("\n".join(shlex.quote(path) for path in paths))
        yield response


def link(options, objects, count, folder, output):
    main = os.path.join(folder, "main.o")
    subprocess.run([options.cxx, "-xc++", "-c", "-", "-o", main], check=True,
                   input=b"int main() {}")
    with named_objects(objects, count, folder) as response:
        subprocess.run([options.cxx, "-B" + folder, "-fuse-ld=lld", "-Wl,--build-id=sha1",
                        "-o", output, main, "@" + response], check=True)


def make(options, folder):
    lld = shutil.which("ld.lld") or shutil.which("ld.lld-19")
    if not lld:
        sys.exit("expected ld.lld or ld.lld-19 on the PATH: install LLD")
    os.symlink(lld, os.path.join(folder, "ld.lld"))
    objects = compile_units(options, folder)
    # Strings are merged, so that only what further units add tells the size.
    sizes, trial = [], os.path.join(folder, "trial")
    for count in (len(objects), 3 * len(objects)):
        link(options, objects, count, folder, trial)
        sizes.append(sum(debug_sections(trial).values()))
    slope = (sizes[1] - sizes[0]) / (2 * len(objects))
    for gigabytes in options.gigabytes.split(","):
        count = round((float(gigabytes) * 1e9 - sizes[0]) / slope) + len(objects)
        program = os.path.join(options.folder, "large-" + gigabytes)
        link(options, objects, max(1, count), folder, program)
        sections = debug_sections(program)
        print(f"{program}: {count} units, {sum(sections.values())} bytes of DWARF: " +
              ", ".join(f"{name} {size}" for name, size in sections.items()), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--gigabytes", default="0.5,1,2,4", metavar="N,...",
                        help="the sizes of the DWARF, in 10^9 bytes")
    parser.add_argument("--cxx", default="g++", metavar="COMPILER")
    parser.add_argument("--flags", default="", help="more options of the compiler")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        make(options, folder)


main()
