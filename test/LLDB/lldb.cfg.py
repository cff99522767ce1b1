"""The tests of the plugin: sessions in one LLDB, checked with FileCheck.

The same tests run as two suites, lidia-lldb-distribution and
lidia-lldb-exporting, with the same expectations. What holds for one host only
says REQUIRES: lldb-distribution or lldb-exporting.

Not called lit.cfg.py, so that lit does not take this folder for a suite that
needs no build."""

import os
import platform
import shutil
import subprocess

import lit.formats

config.name = "lidia-lldb-" + config.lldb_host
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.lidia_obj_root

config.environment["PATH"] = os.pathsep.join(
    [config.lidia_tools_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
)
config.environment["LC_ALL"] = "C"
# Nothing comes from the user's cache or from an earlier build's exports, and
# nothing stays there.
cache = os.path.join(config.test_exec_root, "cache")
shutil.rmtree(cache, ignore_errors=True)
config.environment["LIDIA_CACHE_DIR"] = cache

# It may have been removed after CMake found it.
if not os.path.exists(config.lldb):
    config.lldb = ""

# Every session begins like this. --no-lldbinit: nothing comes from the user.
# Debug files of the system's libraries would only cost time.
plain = " ".join(
    [
        config.lldb,
        "--no-lldbinit",
        "--batch",
        "-O 'settings set symbols.enable-external-lookup false'",
        "-O 'settings set target.debug-file-search-paths /nonexistent'",
    ]
)
config.substitutions.append(("%lldb-without-plugin", plain))
# The name that documents have for it, and where it is.
documented = {
    "distribution": "lldb-19",
    "exporting": "~/.cache/lidia-lldb/19.1.7/bin/lldb",
}
config.substitutions.append(
    ("%lldb-of-docs", documented[config.lldb_host] + "=" + config.lldb)
)
config.substitutions.append(
    ("%lldb", plain + " -O 'plugin load " + config.lidia_plugin + "'")
)
config.substitutions.append(("%plugin", config.lidia_plugin))
config.substitutions.append(
    ("%make-program", "sh " + os.path.join(config.test_source_root, "Inputs", "make-program.sh"))
)
config.substitutions.append(
    ("%compare-transcripts", "python3 " + os.path.join(config.test_source_root, "Inputs", "compare-transcripts.py"))
)
config.substitutions.append(("%fixtures", os.path.join(config.lidia_src_root, "test", "Inputs")))
config.substitutions.append(("%host", config.lldb_host))
config.substitutions.append(("%python", "python3"))


def have(tool):
    return shutil.which(tool, path=config.environment["PATH"])


def can_launch():
    """Containers may forbid to trace processes."""
    session = subprocess.run(
        [config.lldb, "--no-lldbinit", "--batch", "-o", "process launch", "/bin/true"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return "exited with status = 0" in session.stdout


if not config.lldb:
    # Counted as not run.
    config.unsupported = True
else:
    config.available_features.add("lldb-" + config.lldb_host)
    # The build has the library for a host that exports lldb_private.
    native = os.path.join(
        os.path.dirname(config.lidia_plugin), "liblldbPluginLidiaNative.so"
    )
    if config.lldb_host == "exporting" and os.path.exists(native):
        config.available_features.add("native-library")
    # Programs are built by the tests that run them.
    if platform.machine() == "x86_64" and have("clang") and can_launch():
        config.available_features.add("native-x86_64")

# Debian's Python module of its LLDB is for its own Python, whichever comes first
# on the PATH.
def python_with_lldb():
    where = subprocess.run(
        [config.lldb, "--python-path"], stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    python = "/usr/bin/python3"
    check = subprocess.run(
        [python, "-c", "import lldb; lldb.SBDebugger.GetVersionString()"],
        env={"PYTHONPATH": where},
        stderr=subprocess.DEVNULL,
    )
    return f"env PYTHONPATH={where} {python}" if check.returncode == 0 else None


if config.lldb and os.path.exists("/usr/bin/python3") and python_with_lldb():
    config.available_features.add("python-lldb")
    config.substitutions.insert(0, ("%python-lldb", python_with_lldb()))
