#!/usr/bin/env python3
"""Asks for addresses of programs in several languages through every kind of input.

usage: matrix.py FOLDER [LLDB ARGUMENTS...]

Builds each program below with the available compilers, position-independent and not,
and asks for the same addresses of its function work() through each input: for the
program as it was linked, for the stripped one with its archive beside it, and for the
stripped one with its archive in a store; for a position-independent program in C also
by every other way to find symbols (WAYS). Functions, files and lines must be those that
llvm-symbolizer returns for the program as it was linked.

Prints a line for each cell: ok, or the reason why it was not run. The reasons in
NOT_SUPPORTED are also in docs/Agreement.md. The exit status is 1 if an answer differs
or a command fails. With the command of an LLDB with the plugin, only LLDB's cells are
run.
"""

import argparse
import collections
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIDIA_PYTHON = shutil.which("lidia-python")
LIDIA_C = shutil.which("lidia-c-check")
WITH_SERVE = os.path.join(HERE, "..", "..", "Server", "Inputs", "with-serve.py")
HAS_SERVER = subprocess.run(["llvm-lidia", "serve", "--help"], stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, check=False).returncode == 0
BUILD_ID = "0123456789abcdef0123456789abcdef0123456"
STATES = ["linked", "beside", "store"]
# Where the stripped program's symbols are otherwise: an option names the binary, its
# archive, a folder that has the binary by name or by build ID, a folder of debug files, or
# a copy of the system. A process opens its own files.
WAYS = ["binary", "archive", "folder", "build-ids", "debug-files", "copy"]
OF_PROCESS = "files are those that the process has mapped"
NOT_SUPPORTED = {
    ("linked", "lldb"): "LLDB reads DWARF by itself",
    ("store", "lldb"): "the plugin takes no store",
    ("folder", "process"): OF_PROCESS,
    ("build-ids", "process"): OF_PROCESS,
    ("copy", "process"): OF_PROCESS,
    **{(way, "python"): "lidia.Process has no such option" for way in WAYS if way != "copy"},
    **{(way, "c"): "the program has no such option" for way in WAYS if way != "copy"},
}

Program = collections.namedtuple("Program", "language pie symbol command environment")
# The part of /proc/PID/maps that contains work().
Mapping = collections.namedtuple("Mapping", "begin end offset")


def compilers(pie):
    """The command that builds each language's program, without its output."""
    flag = ["-pie", "-fPIE"] if pie else ["-no-pie", "-fno-pie"]
    c = ["-g", "-O1", "-Wl,--build-id", *flag, "work.c"]
    model = ["-C", "relocation-model=" + ("pie" if pie else "static")]
    mode = ["-buildmode=" + ("pie" if pie else "exe")]
    last_digit = str(int(pie))
    return {
        "c": ["cc", *c],
        "c++": ["c++", *c[:-1], "-x", "c++", "work.c"],
        "assembly": ["cc", "-DIN_ASSEMBLY", *c, "work.s"],
        "rust": ["rustc", "-g", "-C", "opt-level=1", "-C", "link-arg=-Wl,--build-id",
                 "-C", "symbol-mangling-version=v0", *model, "work.rs"],
        # Go's linker writes its own build ID since Go 1.24.
        "go": ["go", "build", *mode, "-ldflags", "-B 0x" + BUILD_ID + last_digit],
    }


def run(command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, stdin=options.pop("stdin", subprocess.DEVNULL),
                            check=False, **options)
    if result.returncode:
        raise RuntimeError(f"{shlex.join(command)}: {result.returncode}\n{result.stderr}")
    return result.stdout


class Cell:
    """A program in one state, loaded by a process."""

    def __init__(self, folder, path, build_id, addresses, state):
        self.folder, self.path, self.build_id = folder, path, build_id
        self.addresses, self.state = addresses, state
        self.options, self.root = [], "/"
        self.pid = self.core = self.mapping = None
        self.bias = 0

    def runtime(self):
        return [address + self.bias for address in self.addresses]

    def load(self, work):
        """Starts the program, which waits for input, and finds the address of work()."""
        process = subprocess.Popen([self.path], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        self.pid = process.pid
        process.stdout.readline()
        with open(f"/proc/{process.pid}/maps", encoding="utf-8") as file:
            parts = [line.split() for line in file if line.rstrip().endswith(self.path)]
        parts = [(*(int(x, 16) for x in p[0].split("-")), int(p[2], 16), p[1]) for p in parts]
        # Go's position-independent programs also have a link address.
        linked = re.search(r"LOAD +0x0+ 0x([0-9a-f]+)", run(["llvm-readelf", "-lW", self.path]))
        self.bias = parts[0][0] - int(linked[1], 16)
        begin, end, offset, _ = next(p for p in parts
                                     if p[0] <= work + self.bias < p[1] and "x" in p[3])
        self.mapping = Mapping(begin, end, offset)
        return process


def readable(answers):
    """JSON answers in llvm-symbolizer's style as a list of frames for each."""
    return [[(f["FunctionName"], os.path.basename(f["FileName"]), f["Line"])
             for f in answer["Symbol"]] for answer in answers]


def hexadecimal(numbers):
    return [hex(n) for n in numbers]


def from_process(cell):
    return readable(json.loads(run(["llvm-lidia", "symbolize", "--pid=" + str(cell.pid),
                                    "--output-style=JSON", *cell.options,
                                    *hexadecimal(cell.runtime())])))


def from_core(cell):
    return readable(json.loads(run(["llvm-lidia", "symbolize", "--core=" + cell.core,
                                    "--sysroot=" + cell.root,
                                    "--output-style=JSON", *cell.options,
                                    *hexadecimal(cell.runtime())])))


def write_maps(cell):
    with open(os.path.join(cell.folder, "maps"), "w", encoding="utf-8") as file:
        print(f"{cell.mapping.begin:x}-{cell.mapping.end:x} r-xp {cell.mapping.offset:08x} "
              f"00:01 1 {cell.path}\n{cell.build_id} {cell.path}", file=file)
    return file.name


def from_maps(cell):
    return readable(json.loads(run(["llvm-lidia", "symbolize", "--sysroot=" + cell.root,
                                    "--maps=" + write_maps(cell), "--output-style=JSON",
                                    *cell.options, *hexadecimal(cell.runtime())])))


FRAME = re.compile(r"^    (\S.*) at (\S+?):(\d+)(?::\d+)?(?: \(inlined\))?$", re.M)


def profile_frames(cell, path):
    """The frames of the samples, each of which has one address."""
    text = run(["llvm-lidia", "profile", "--sysroot=" + cell.root, *cell.options, path])
    samples = re.split(r"^\S.*samples?.*$", text, flags=re.M)[1:]
    return {tuple((function, os.path.basename(file), int(line))
                  for function, file, line in FRAME.findall(sample)) for sample in samples}


def from_pprof(cell):
    lines = ['sample_type { type 1 } string_table "" string_table "samples"',
             f'string_table "{cell.path}" string_table "{cell.build_id}"',
             f"mapping {{ id 1 memory_start {cell.mapping.begin} memory_limit "
             f"{cell.mapping.end} file_offset {cell.mapping.offset} filename 2 build_id 3 }}"]
    for number, address in enumerate(cell.runtime(), 1):
        lines += [f"location {{ id {number} mapping_id 1 address {address} }}",
                  f"sample {{ location_id {number} value 1 }}"]
    path = os.path.join(cell.folder, "profile.pb")
    script = os.path.join(HERE, "..", "..", "Profile", "Inputs", "write-pprof.py")
    run([sys.executable, script, path], stdin=stdin_of(cell, "\n".join(lines)))
    return profile_frames(cell, path)


def from_perf(cell):
    """Reads a recording as perf script --show-mmap-events prints it."""
    path = os.path.join(cell.folder, "perf.txt")
    m = cell.mapping
    with open(path, "w", encoding="utf-8") as file:
        print(f"{cell.build_id} {cell.path}\n"
              f"work 7/7 1.0: PERF_RECORD_MMAP2 7/7: [{m.begin:#x}({m.end - m.begin:#x}) @ "
              f"{m.offset:#x} 00:01 1 0]: r-xp {cell.path}", file=file)
        for address in cell.runtime():
            print(f"work 7/7 1.1: 1000 cpu-clock: \n\t{address:16x} [unknown] ({cell.path})\n",
                  file=file)
    return profile_frames(cell, path)


def stdin_of(cell, text):
    path = os.path.join(cell.folder, "stdin")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return open(path, encoding="utf-8")


def log_of(cell):
    """A log. Sanitizers print the address in the module as it was linked."""
    return "".join(f"    #0 {runtime:#x}  ({cell.path}+{address:#x}) (BuildId: {cell.build_id})\n"
                   for runtime, address in zip(cell.runtime(), cell.addresses))


def from_log(cell):
    return log_frames(run(["llvm-lidia", "filter", "--sysroot=" + cell.root, *cell.options],
                          stdin=stdin_of(cell, log_of(cell))))


def log_frames(text):
    frames = re.findall(r"#(\d+) 0x\w+ in (.*) (\S+?):(\d+)(?::\d+)?$", text, re.M)
    answers = []
    for number, function, file, line in frames:
        if number == "0":
            answers.append([])
        answers[-1].append((function, os.path.basename(file), int(line)))
    return answers


def from_report(cell):
    """Reads the same log with report, which writes it as filter does."""
    path = os.path.join(cell.folder, "report.log")
    with open(path, "w", encoding="utf-8") as file:
        file.write(log_of(cell))
    return log_frames(run(["llvm-lidia", "report", "--sysroot=" + cell.root, *cell.options,
                           path]))


PYTHON = """
import json, sys, lidia
maps, root, store, *addresses = sys.argv[1:]
with open(maps) as file:
    process = lidia.Process(maps=file.read(), root=root, store=store or None)
print(json.dumps([[(f.function, f.file, f.line) for f in process.lookup(int(a, 16)).frames]
                  for a in addresses]))
"""


def from_python(cell):
    store = cell.options[0].partition("=")[2] if cell.state == "store" else ""
    answers = json.loads(run([LIDIA_PYTHON, "-c", PYTHON, write_maps(cell), cell.root, store,
                              *hexadecimal(cell.runtime())]))
    return [[(function, os.path.basename(file), line) for function, file, line in frames]
            for frames in answers]


def from_lookup(cell):
    file = [] if "-e" in cell.options else [cell.path]
    root = [] if cell.root == "/" else ["--sysroot=" + cell.root]
    return readable(json.loads(run(["llvm-lidia", "lookup", "--output-style=JSON", *cell.options,
                                    *root, *file, *hexadecimal(cell.addresses)])))


def from_explain(cell):
    text = run(["llvm-lidia", "explain", "--maps=" + write_maps(cell), "--sysroot=" + cell.root,
                *cell.options, "--format=json", *hexadecimal(cell.runtime())])
    return [[(f["function"], os.path.basename(f["file"]), f["line"]) for f in answer["frames"]]
            for answer in json.loads(text)]


def from_c(cell):
    """Reads the answers of a program that uses the library's C interface."""
    store = cell.options[0].partition("=")[2] if cell.state == "store" else None
    text = run([LIDIA_C, "maps", os.environ["LIDIA_CACHE_DIR"], write_maps(cell), cell.root,
                *hexadecimal(cell.runtime())],
               env=dict(os.environ, CHECK_DEMANGLE="1", **{"CHECK_STORE": store} if store else {}))
    answers = []
    for line in text.splitlines():
        frame = re.fullmatch(r"(?:\(inlined\) )?(.*) at (\S+):(\d+):\d+", line)
        if frame:
            answers[-1].append((frame[1], os.path.basename(frame[2]), int(frame[3])))
        else:
            answers.append([])
    return answers


def from_server(cell):
    """Sends the log to a server of the store."""
    with tempfile.NamedTemporaryFile("w", dir=cell.folder) as log:
        log.write(log_of(cell))
        log.flush()
        return log_frames(run([sys.executable, WITH_SERVE,
                               "--store=" + os.path.join(cell.folder, "store"), "--",
                               "curl", "-sf", "--data-binary", "@" + log.name,
                               "SERVER/v1/symbolize?output=text"]))


def from_store(cell):
    text = run(["llvm-lidia", "symbolize", "--store=" + os.path.join(cell.folder, "store"),
                "--output-style=JSON", "--no-cache", "--build-id=" + cell.build_id,
                *hexadecimal(cell.addresses)])
    return readable(json.loads(text))


def from_lldb(cell, lldb):
    command = [*lldb, "-b", cell.path, "-o", "lidia add " + shlex.quote(cell.path + ".lidia")]
    for address in cell.addresses:
        command += ["-o", f"image lookup -v -a {address:#x}"]
    answers = []
    for text in run(command).split("Summary: ")[1:]:
        # "work`f [inlined] g at a.c:1:2", then a line for each caller.
        frames = re.findall(r"^\s*\S+`(?:.*\[inlined\] )?(.*?)(?: \+ \d+)? at (\S+?):(\d+)",
                            text.split("Module:")[0], re.M)
        answers.append([(f, os.path.basename(file), int(line)) for f, file, line in frames])
    return answers


INPUTS = {"process": from_process, "core": from_core, "maps": from_maps,
          "pprof": from_pprof, "perf": from_perf, "log": from_log, "report": from_report,
          "lookup": from_lookup, "explain": from_explain, "c": from_c,
          "python": from_python, "store": from_store, "server": from_server}


def build(language, pie, folder, edit=lambda source: source):
    """The program's path, or the reason why it was not built. EDIT changes its source."""
    command = compilers(pie)[language]
    if not shutil.which(command[0]):
        return None, command[0] + " is missing"
    path = os.path.join(folder, "work")
    for name in os.listdir(HERE):
        if name.startswith("work."):
            with open(os.path.join(HERE, name), encoding="utf-8") as file:
                source = edit(file.read())
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(source)
    environment = dict(os.environ, GOTOOLCHAIN="local", GO111MODULE="off")
    # rustup's compilers are in HOME, which lit does not pass.
    environment.setdefault("HOME", os.path.expanduser("~"))
    command += ["-o", path] + (["work.go"] if language == "go" else [])
    try:
        run(command, cwd=folder, env=environment)
    except RuntimeError as error:
        return None, "cannot be built: " + str(error).strip().splitlines()[-1]
    return path, None


def look_at(path):
    """The build ID of a program, the address of work(), and some addresses in it."""
    notes = run(["llvm-readelf", "--notes", path])
    build_id = re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)
    for line in run(["llvm-nm", "--defined-only", "-S", "-C", path]).splitlines():
        match = re.match(r"([0-9a-f]+) ([0-9a-f]+) [tTwW] (.*)", line)
        if match and re.fullmatch(r"(main\.|work::|.*matrix::.*::)?work(\(.*\))?", match[3]):
            start, size = int(match[1], 16), int(match[2], 16)
            return build_id, start, sorted({start, start + size // 2, start + size - 1})
    raise RuntimeError(path + ": has no work()")


def same(got, expected):
    """Compares answers. Those from profiles are sums without an order."""
    return got == ({tuple(e) for e in expected} if isinstance(got, set) else expected)


def provide_symbols(cell, linked):
    """Puts the symbols of the program where the state says, and sets the options."""
    below = ".build-id/" + cell.build_id[:2] + "/" + cell.build_id[2:]

    def place(*names):
        path = os.path.join(cell.folder, *names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    if cell.state == "store":
        run(["llvm-lidia", "store", "add", place("store"), linked])
        cell.options = ["--store=" + place("store")]
    elif cell.state == "binary":
        cell.options = ["-e", linked]
    elif cell.state == "archive":
        run(["llvm-lidia", "--crc", "--columns", linked, "-o", place("any.lidia")])
        cell.options = ["-e", place("any.lidia")]
    elif cell.state == "folder":
        shutil.copy(linked, place("modules", "deep", "work"))
        cell.options = ["--modules-from=" + place("modules")]
    elif cell.state == "build-ids":
        shutil.copy(linked, place("modules", below))
        cell.options = ["--modules-from=" + place("modules")]
    elif cell.state == "debug-files":
        shutil.copy(linked, place("debug", below + ".debug"))
        cell.options = ["--debug-file-directory=" + place("debug")]
    elif cell.state == "copy":
        cell.root = place("root")
        shutil.copy(linked, place("root", cell.path.lstrip("/")))


class Matrix:
    def __init__(self, folder, lldb):
        self.folder, self.lldb = folder, lldb
        self.inputs = {"lldb": lambda cell: from_lldb(cell, lldb)} if lldb else INPUTS
        self.failed = False

    def report(self, name, text):
        print(name + ": " + text, flush=True)

    def fail(self, name, text):
        """Reports a failure, also on standard error, which the test suite shows."""
        self.failed = True
        self.report(name, "FAILED: " + text)
        print(name + ": " + text, file=sys.stderr)

    def run_input(self, cell, name, what, expected):
        reason = NOT_SUPPORTED.get((cell.state, what))
        if what in ("store", "server") and cell.state != "store":
            return
        if what == "core" and not cell.core:
            reason = "gdb makes no core"
        if what == "python" and not LIDIA_PYTHON:
            reason = "the module is not built"
        if what == "server" and (not HAS_SERVER or not shutil.which("curl")):
            reason = "the server is not built" if not HAS_SERVER else "curl is missing"
        if reason:
            return self.report(name, "not run: " + reason)
        try:
            got = self.inputs[what](cell)
        except (RuntimeError, ValueError) as error:
            return self.fail(name, str(error))
        if same(got, expected):
            return self.report(name, "ok")
        self.fail(name, f"{got}\n  expected {expected}")

    def run_state(self, language, pie, state, linked):
        folder = os.path.join(self.folder, language, "pie" if pie else "fixed", state)
        os.makedirs(folder)
        path = os.path.join(folder, "work")
        build_id, work, addresses = look_at(linked)
        expected = readable(json.loads(run(["llvm-symbolizer", "--output-style=JSON",
                                            "--obj=" + linked, *hexadecimal(addresses)])))
        shutil.copy(linked, path)
        if state != "linked":
            run([shutil.which("strip") or "llvm-strip", path])
        if state == "beside":
            run(["llvm-lidia", "--crc", "--columns", linked, "-o", path + ".lidia"])
        cell = Cell(folder, path, build_id, addresses, state)
        provide_symbols(cell, linked)
        process = None if self.lldb else cell.load(work)
        try:
            if process:
                self.make_core(cell)
            for what in self.inputs:
                name = f"{language} {'pie' if pie else 'fixed'} {state} {what}"
                self.run_input(cell, name, what, expected)
        finally:
            if process:
                process.kill()
                process.communicate()
            # A core of Go takes more than 1 GB.
            if cell.core and not self.failed:
                os.unlink(cell.core)

    @staticmethod
    def make_core(cell):
        prefix = os.path.join(cell.folder, "core")
        if shutil.which("gdb"):
            subprocess.run(["gdb", "-nx", "-batch", "-p", str(cell.pid), "-ex", "gcore " + prefix],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           stdin=subprocess.DEVNULL, check=False)
            cell.core = prefix if os.path.exists(prefix) else None
            os.kill(cell.pid, signal.SIGCONT)

    def run(self):
        for language in compilers(True):
            for pie in (True, False):
                folder = os.path.join(self.folder, language, "pie" if pie else "fixed")
                os.makedirs(folder)
                linked, reason = build(language, pie, folder)
                for state in STATES + (WAYS if language == "c" and pie and not self.lldb
                                       else []):
                    if linked:
                        self.run_state(language, pie, state, linked)
                    else:
                        self.report(f"{language} {'pie' if pie else 'fixed'} {state}",
                                    "not run: " + reason)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("lldb", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    matrix = Matrix(os.path.abspath(args.folder), args.lldb)
    os.environ["LIDIA_CACHE_DIR"] = os.path.join(matrix.folder, "cache")
    matrix.run()
    return matrix.failed


if __name__ == "__main__":
    sys.exit(main())
