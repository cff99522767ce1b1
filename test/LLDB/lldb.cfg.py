"""The tests of the plugin: sessions in one LLDB, checked with FileCheck.

The same tests run as two suites, lidia-lldb-distribution and lidia-lldb-exporting, with
the same expectations. Tests for only one host have REQUIRES: lldb-distribution or
lldb-exporting.

The file is not called lit.cfg.py, so that lit does not treat this folder as a suite
that needs no build."""

import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(config.lidia_src_root, "test"))
import lidia_lit

config.name = "lidia-lldb-" + config.lldb_host
missing = {}
config.suffixes = [".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.lidia_obj_root

config.environment["PATH"] = os.pathsep.join(
    [config.lidia_tools_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
)
config.environment["LC_ALL"] = "C"
# As in lit.cfg.py.
config.environment["GOCACHE"] = os.path.join(
    os.path.dirname(os.path.dirname(config.lidia_obj_root)), "go-cache")
# Tests use neither the user's cache nor an earlier build's exports, and leave nothing
# there.
cache = os.path.join(config.test_exec_root, "cache")
shutil.rmtree(cache, ignore_errors=True)
config.environment["LIDIA_CACHE_DIR"] = cache

# LLDB may have been removed after CMake found it.
if not os.path.exists(config.lldb):
    config.lldb = ""

quoted_plugin = shlex.quote(config.lidia_plugin)

# The beginning of every session. --no-lldbinit: no user settings.
# Debug files of the system's libraries would only take time.
plain = " ".join(
    [
        shlex.quote(config.lldb),
        "--no-lldbinit",
        "--batch",
        "-O 'settings set symbols.enable-external-lookup false'",
        "-O 'settings set target.debug-file-search-paths /nonexistent'",
    ]
)
# Tests of archives that are found without a command use %lldb-auto; in all others,
# commands name the archives.
with_auto = plain + f' -O "plugin load {quoted_plugin}"'
with_plugin = with_auto + " -O 'lidia auto off'"
config.substitutions.append(("%lldb-without-plugin", plain))
# The name that documents use for the host, and its path.
documented = {
    "distribution": "lldb-19",
    "exporting": "~/.cache/lidia-lldb/19.1.7/bin/lldb",
}
config.substitutions.append(
    (
        "%lldb-of-docs",
        shlex.quote(documented[config.lldb_host] + "=" + config.lldb),
    )
)
config.substitutions.append(("%lldb-auto", with_auto))
config.substitutions.append(("%lldb", with_plugin))
config.available_features.add("llvm-" + config.llvm_major)
config.substitutions.append(("%plugin", quoted_plugin))


def script_of_tests(name):
    return shlex.quote(os.path.join(config.test_source_root, "Inputs", name))


config.substitutions.append(
    ("%make-program", "sh " + script_of_tests("make-program.sh"))
)
config.substitutions.append(
    (
        "%compare-transcripts",
        f"python3 {script_of_tests('compare-transcripts.py')}"
        f" --dwarf {shlex.quote(plain)} --archive {shlex.quote(with_plugin)}",
    )
)
config.substitutions.append(
    ("%fixtures", shlex.quote(os.path.join(config.lidia_src_root, "test", "Inputs")))
)
# The host's liblldb, if lidia-lldb-answers was linked to another one.
library = os.path.join(os.path.dirname(os.path.dirname(config.lldb)), "lib")
config.substitutions.append(
    (
        "%compare-lldb",
        " ".join(
            [
                "python3",
                shlex.quote(
                    os.path.join(
                        config.lidia_src_root, "utils/agreement/compare-lldb.py"
                    )
                ),
                "--build " + shlex.quote(os.path.dirname(config.lidia_tools_dir)),
                "--host " + shlex.quote(f"{config.lldb_host}={library}"),
            ]
        ),
    )
)
with_reflinks = "sh " + script_of_tests("with-reflinks.sh")
config.substitutions.append(("%with-reflinks", with_reflinks))
config.substitutions.append(("%host", config.lldb_host))
config.substitutions.append(("%python", "python3"))


def have(tool):
    return shutil.which(tool, path=config.environment["PATH"])


def can_launch():
    """Whether processes can be traced, which containers may forbid."""
    session = subprocess.run(
        [config.lldb, "--no-lldbinit", "--batch", "-o", "process launch", "/bin/true"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return "exited with status = 0" in session.stdout


def can_reflink():
    """Whether file systems with reflinks can be mounted. This needs root, loop devices
    and mkfs.xfs."""
    if os.geteuid() != 0:
        return False
    with tempfile.TemporaryDirectory() as folder:
        command = f"{with_reflinks} {shlex.quote(folder)}/image {shlex.quote(folder)}/disk true"
        return subprocess.run(command, shell=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                              ).returncode == 0


def add_feature(feature, reason):
    """Makes FEATURE available, unless there is a REASON why it is not."""
    if reason:
        missing[feature] = reason
    else:
        config.available_features.add(feature)


def find_dap():
    """The debug adapter of the host. Its name has the same version as LLDB's."""
    folder, name = os.path.split(config.lldb)
    path = os.path.join(folder, name.replace("lldb", "lldb-dap", 1))
    return path if os.path.exists(path) else None


# Debian's Python module for its LLDB needs Debian's Python, whichever comes first on
# the PATH.
def python_with_lldb():
    python = "/usr/bin/python3"
    if not os.path.exists(python):
        return None
    where = subprocess.run(
        [config.lldb, "--python-path"], stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    check = subprocess.run(
        [python, "-c", "import lldb; lldb.SBDebugger.GetVersionString()"],
        env={"PYTHONPATH": where},
        stderr=subprocess.DEVNULL,
    )
    if check.returncode != 0:
        return None
    # Debian's module does not find the server that launches processes.
    server = os.path.join(os.path.dirname(os.path.realpath(config.lldb)), "lldb-server")
    return f"env PYTHONPATH={where} LLDB_DEBUGSERVER_PATH={server} {python}"


def look_for_features():
    host = config.lldb_host
    config.available_features.add("lldb-" + host)
    missing["lldb-distribution"] = "only for a distribution's LLDB"
    missing["lldb-exporting"] = "only for an LLDB that exports lldb_private"
    # The build has the library for a host that exports lldb_private.
    native = os.path.join(
        os.path.dirname(config.lidia_plugin), "liblldbPluginLidiaNative.so"
    )
    add_feature(
        "native-library",
        host != "exporting" and missing["lldb-exporting"]
        or not os.path.exists(native) and "liblldbPluginLidiaNative is not built",
    )
    # The tests that run programs build them.
    add_feature(
        "native-x86_64",
        platform.machine() != "x86_64" and "the programs are for x86_64"
        or not have("clang") and lidia_lit.missing_tool("clang", "clang-19")
        or not can_launch() and "the system does not let LLDB trace processes",
    )
    add_feature("zstd", not have("zstd") and lidia_lit.missing_tool("zstd", "zstd"))
    add_feature("gdb", not have("gdb") and lidia_lit.missing_tool("gdb", "gdb"))
    for compiler in ("gfortran", "rustc"):
        add_feature(
            compiler, not have(compiler) and lidia_lit.missing_tool(compiler, compiler)
        )
    answers = os.path.join(config.lidia_tools_dir, "lidia-lldb-answers")
    add_feature(
        "answers",
        not os.path.exists(answers) and "lidia-lldb-answers is not built "
        "(Debian: liblldb-19-dev)",
    )
    dap = find_dap()
    add_feature("lldb-dap", not dap and "there is no lldb-dap beside this LLDB")
    if dap:
        config.substitutions.append(
            ("%dap-session",
             f"python3 {script_of_tests('dap-session.py')} {shlex.quote(dap)}"
             f" {quoted_plugin}"))
    # Checked only if a test needs it, because it takes a moment.
    add_feature(
        "reflink",
        host != "exporting" and missing["lldb-exporting"]
        or not can_reflink() and "an XFS cannot be made and mounted "
        "(as root; Debian: xfsprogs)",
    )
    python = python_with_lldb()
    add_feature(
        "python-lldb",
        not python and "this LLDB has no Python module (Debian: python3-lldb-19)",
    )
    if python:
        config.substitutions.insert(0, ("%python-lldb", python))


why_none = None
if config.lldb:
    look_for_features()
elif config.lldb_host == "exporting":
    why_none = (
        "there is no LLDB that exports lldb_private: utils/build-lldb.sh makes one"
    )
else:
    why_none = lidia_lit.missing_tool("lldb", "lldb-19")
config.test_format = lidia_lit.ShellTest(missing, why_none)
