#!/usr/bin/env python3
"""Checks the statements about the structure in docs/Architecture.md and
CONTRIBUTING.md, and the paths in tests.

Usage: check-structure.py [SOURCE-FOLDER]

A library is a folder below lib/ whose CMakeLists.txt calls lidia_add_library. A public
header belongs to the library that has its name or the source file of its name, or else
to the library of its folder. The exit status is 0 if all of this holds; otherwise it is
1, after a line for each violation:

- installed headers name no header that is not installed;
- no library uses itself through others, by includes or by links;
- a library links, directly or through others, every library whose headers it includes;
- the table of libraries in docs/Architecture.md has a row for each, and its last column
  lists the libraries that the library includes and links directly; a library uses those
  above it;
- the picture above the table names each library, and lib/Support links no library but
  LLVM's Support;
- no library includes those that APART keeps away from it, and only what ONLY names uses
  what it keeps: modules are found in one place, and inputs and outputs do not know each
  other;
- every file and folder that the two pages name exists, and every test that a page or a
  source names;
- a folder of tests has the name of a library or is one of TESTS_OF_MORE, and each fuzz
  target has a test;
- no test has a path in the text of a program, where a space would end it.
"""

import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# All libraries use this one, which needs only LLVM's Support library.
BASE = "lib/Support"
PAGES = ["docs/Architecture.md", "CONTRIBUTING.md"]
INPUTS = {"lib/Process", "lib/Minidump", "lib/Log", "lib/Profile"}
# A library, and those that it may not know.
APART = {
    "lib/Modules": INPUTS | {"lib/Symbolize", "lib/Output", "lib/Stack"},
    "lib/Output": INPUTS | {"lib/Modules", "lib/Stack", "lib/Store"},
    "lib/Process": {"lib/Output"},
    "lib/Minidump": {"lib/Output"},
    "lib/Log": {"lib/Output"},
}
# Code, and the places that may have it. C's modules are shared by its processes, and
# addr2line's interface names one file.
ONLY = {
    r"ModuleFinder::create|\bopenRegularFile\(AT_FDCWD, N\.Path": ["lib/Modules/"],
    r"\bModuleArchives [A-Z]\w*(\(|;|\{)|make_unique<ModuleArchives>":
        ["lib/Modules/", "lib/C/Modules.h", "llvm-lidia/Addr2Line.cpp"],
    # docs/Architecture.md names these.
    r"\bPagedRead\b": ["lib/Archive/Archive.cpp", "lib/Archive/Lookup",
                      "lib/Archive/PagedMemory", "lib/Archive/ReturnPads.cpp"],
}

# Folders of tests for what is no library, or for several.
TESTS_OF_MORE = {
    # Commands.
    "Dump", "Lookup", "Options", "Ranges", "Show", "Verify",
    # Other programs and packages of ours.
    "Docs", "GoModule", "Install", "LLDB", "Python", "Utils",
    # Ways to test.
    "Agreement", "BadInput", "Faults", "Fuzz", "Inputs", "Limits", "SymbolFiles", "Unit",
}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def files_below(folder):
    for path, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield os.path.join(path, name)


class Tree:
    """The libraries of the tree in the current folder."""

    def __init__(self):
        self.targets = {}  # the name of the CMake target -> folder
        self.linked = {}  # folder -> folders
        self.find_libraries()
        self.home = self.homes_of_headers()
        self.included = {folder: self.includes_of(folder) for folder in self.linked}

    def find_libraries(self):
        links = {}
        for path in files_below("lib"):
            if os.path.basename(path) != "CMakeLists.txt":
                continue
            folder = os.path.dirname(path)
            calls = re.findall(r"^lidia_add_library\((\w+)([^)]*)\)", read(path), re.M)
            if len(calls) > 1:
                problem(f"{path} makes {len(calls)} libraries: give each a folder")
            for name, arguments in calls:
                self.targets[name] = folder
                uses = re.search(r"\bLIDIA\b([^)]*?)(?:\b(?:LLVM|LIBS)\b|$)", arguments,
                                 re.S)
                links[folder] = uses.group(1).split() if uses else []
                if folder == BASE and not re.search(r"\bLLVM Support$", arguments.strip()):
                    problem(f"{path} links more than LLVM's Support library")
        # The C interface is a shared library that does not call lidia_add_library.
        for folder in ("lib/C",):
            text = read(os.path.join(folder, "CMakeLists.txt"))
            links[folder] = re.findall(r"\bLidia\w+", text)
        for folder, names in links.items():
            self.linked[folder] = {self.targets[n] for n in names if n in self.targets}
            self.linked[folder].discard(folder)
        self.linked.setdefault(BASE, set())

    def library_of(self, path):
        """The library whose folder contains PATH, if any."""
        while path:
            path = os.path.dirname(path)
            if path in self.linked:
                return path
        return None

    def homes_of_headers(self):
        homes = {}
        sources = {}
        for path in files_below("lib"):
            library = self.library_of(path)
            if library and path.endswith((".h", ".def", ".inc")):
                homes[path] = library
            if library and path.endswith(".cpp"):
                top = path.split(os.sep)[1]
                sources[top, os.path.basename(path)[:-4]] = library
        for path in files_below("include/lidia"):
            parts = path.split(os.sep)
            if len(parts) < 4:
                homes[path] = BASE
                continue
            stem = os.path.splitext(parts[-1])[0]
            below = f"lib/{parts[2]}/{stem}"
            homes[path] = below if below in self.linked else \
                sources.get((parts[2], stem), "lib/" + parts[2])
        return homes

    def includes_of(self, folder):
        used = set()
        own = [p for p in files_below(folder) if self.library_of(p) == folder]
        own += [p for p, home in self.home.items()
                if home == folder and p.startswith("include")]
        for path in own:
            if not path.endswith((".cpp", ".h", ".def", ".inc")):
                continue
            for name in INCLUDE.findall(read(path)):
                for base in (os.path.dirname(path), "lib", "include"):
                    home = self.home.get(os.path.normpath(os.path.join(base, name)))
                    if home:
                        used.add(home)
                        break
        return used - {folder, BASE}


def reachable(graph, start):
    seen = set()
    todo = [start]
    while todo:
        for other in graph.get(todo.pop(), ()):
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def check_graph(tree):
    both = {f: tree.included[f] | tree.linked[f] for f in tree.linked}
    for folder in sorted(both):
        if folder in reachable(both, folder):
            problem(f"{folder} uses itself: " + ", ".join(
                sorted(f for f in both[folder] if folder in reachable(both, f))))
        for other in sorted(tree.included[folder] - reachable(tree.linked, folder)):
            problem(f"{folder} includes headers of {other} and does not link it")
    return both


def check_rooms(both):
    for folder, others in APART.items():
        for other in sorted(others & both.get(folder, set())):
            problem(f"{folder} may not know {other}")
    for root in ("lib", "llvm-lidia", "python", "lldb-plugin"):
        for path in files_below(root):
            if not path.endswith((".cpp", ".h")):
                continue
            for code, places in ONLY.items():
                if not path.startswith(tuple(places)) and re.search(code, read(path)):
                    problem(f"{path} does what only {', '.join(places)} may do")


def check_table(both):
    page = read("docs/Architecture.md")
    rows = {}
    for cells in re.findall(r"^\| `(lib/[^`]+)`[^|]*\|[^|]*\|([^|]*)\|$", page, re.M):
        uses = cells[1].split(";")[0].strip()
        names = [] if uses in ("", "—") else [u.strip() for u in uses.split(",")]
        rows[cells[0]] = {"lib/" + name for name in names}
    for folder in sorted(set(both) | set(rows)):
        if folder not in rows:
            problem(f"docs/Architecture.md has no row for {folder}")
        elif folder not in both:
            problem(f"docs/Architecture.md has a row for {folder}, which is no library")
        elif rows[folder] != both[folder]:
            problem(f"docs/Architecture.md: {folder} uses "
                    + ", ".join(sorted(f[4:] for f in both[folder])))
    picture = page.split("## Data flow")[-1].split("\nA library uses")[0]
    for folder in sorted(rows):
        if not re.search(rf"\b{os.path.basename(folder)}\b", picture) and \
                os.path.basename(os.path.dirname(folder)) == "lib":
            problem(f"docs/Architecture.md: {folder} is not in the picture")
    above = set()
    for folder, uses in rows.items():
        for other in sorted(uses - above):
            problem(f"docs/Architecture.md: {folder} uses {other}, which is not above it")
        above.add(folder)


def check_names():
    """Checks the names of files in the pages, with or without a folder."""
    names = set()
    folders = ("lib", "include", "llvm-lidia", "lldb-plugin", "python", "utils", "test",
               "docs", "cmake")
    paths = [p for f in folders for p in files_below(f)]
    for path in paths:
        names.add(os.path.basename(path))
    for page in PAGES:
        for name in re.findall(r"`([\w./-]+)`", read(page)):
            if re.match(r"(lib|include|llvm-lidia|lldb-plugin|python|utils|test)/", name):
                known = os.path.exists(name.rstrip("/"))
            elif re.search(r"\w\.(cpp|h|def|td|sh|html|cmake)$", name):
                known = os.path.basename(name) in names
            else:
                known = True
            if not known:
                problem(f"{page} names {name}, which is not there")


def check_tests_in_pages():
    """Checks that tests which pages and sources name exist."""
    for folder in ("docs", "lib", "include", "llvm-lidia", "utils", "lldb-plugin", "python"):
        for path in files_below(folder):
            if not path.endswith((".md", ".cpp", ".h", ".def", ".sh")):
                continue
            for name in re.findall(r"(?<![\w/%-])test/[\w/-]+\.(?:test|py|yaml)\b", read(path)):
                if not os.path.exists(name):
                    problem(f"{path} names {name}, which is not there")


def check_installed():
    """Checks that comments in installed headers do not name headers and sources that
    are not installed."""
    inner = {os.path.basename(p) for f in ("lib", "llvm-lidia", "lldb-plugin", "python")
             for p in files_below(f)}
    for path in files_below("include"):
        for name in re.findall(r"\b[\w./-]*\w\.(?:h|def|cpp)\b", read(path)):
            if any(os.path.exists(os.path.join(p, name))
                   for p in ("include", os.path.dirname(path))):
                continue
            if name.startswith(("lib/", "lidia/")) or name in inner:
                problem(f"{path} names {name}, which is not installed")


def check_quotes():
    """Checks that no test has a path in the text of a program for Python or a shell, or
    in other quotes: lit quotes a path with a space, and its quotes would end the text.
    Commands of LLDB are not shell words."""
    program = re.compile(r"""(python -c "[^"]*|sh (-e )?-c '[^']*)%(t|inputs|S|s|src_root)\b""")
    quoted = re.compile(r"^(RUN|DEFINE):[^'\"]*('[^']*'[^'\"]*)*'[^']*(?<!%)%(t|inputs|src_root)\b")
    for path in files_below("test"):
        if path.endswith(".test"):
            for number, line in enumerate(read(path).splitlines(), 1):
                if program.search(line):
                    problem(f"{path}:{number}: give the path as an argument")
                elif quoted.search(line) and not path.startswith("test/LLDB/"):
                    problem(f"{path}:{number}: end the quotes before the path")


def check_tests():
    """Checks the folders of tests, and that each fuzz target has a test there."""
    libraries = {path.split("/")[1] for path in files_below("lib")}
    folders = {path.split("/")[1] for path in files_below("test")
               if path.endswith(".test") and "/" in path[5:]}
    for path in sorted(folders - libraries - TESTS_OF_MORE):
        problem(f"test/{path} has the name of no library in lib")
    targets = "utils/fuzz/CMakeLists.txt"
    if os.path.exists(targets):
        for name in re.findall(r"lidia_add_fuzzer\(lidia-([\w-]+)-fuzzer", read(targets)):
            test = f"test/Fuzz/{name}.test"
            if not os.path.exists(test) or f"lidia-{name}-fuzzer-replay" not in read(test):
                problem(f"{targets}: {name} has no test {test}")


problems = []


def problem(text):
    problems.append(text)


def main():
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 2
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else
             os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    tree = Tree()
    graph = check_graph(tree)
    check_rooms(graph)
    check_table(graph)
    check_names()
    check_tests_in_pages()
    check_installed()
    check_quotes()
    check_tests()
    for text in problems:
        print(text)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
