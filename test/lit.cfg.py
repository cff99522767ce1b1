"""The tests of lidia: shell scripts with FileCheck, and unit tests (Unit/)."""

import os
import shutil
import subprocess

import lit.formats

config.name = "lidia"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test", ".yaml", ".s", ".c", ".cpp"]
# LLDB/ is a suite of its own for each LLDB: see LLDB/lldb.cfg.py.
config.excludes = ["Inputs", "LLDB", "Unit", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.lidia_obj_root

# Our tools first, so that no installed one is tested by mistake.
config.environment["PATH"] = os.pathsep.join(
    [config.lidia_tools_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
)
# Messages of the system are compared with what FileCheck expects.
config.environment["LC_ALL"] = "C"
# No test puts anything into the user's cache.
config.environment["LIDIA_CACHE_DIR"] = os.path.join(config.lidia_obj_root, "cache")
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "ASAN_SYMBOLIZER_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%inputs", os.path.join(config.test_source_root, "Inputs")))
config.substitutions.append(("%src_root", config.lidia_src_root))
config.substitutions.append(("%build_root", config.lidia_build_dir))
config.substitutions.append(("%python", "python3"))
config.substitutions.append(("%with-server", "python3 " + os.path.join(
    config.test_source_root, "DebugFiles", "Inputs", "with-server.py")))


def have(tool):
    return shutil.which(tool, path=config.environment["PATH"])


# Tests that need one of these say REQUIRES: and count as unsupported without.
# go-module: a reader built with the Go module, see test/GoModule.
for feature, tool in {
    "go-module": "go-reader",
    "llvm-symbolizer": "llvm-symbolizer",
    "llvm-objdump": "llvm-objdump",
    "clang": "clang",
    "gdb": "gdb",
    "lldb": "lldb",
    "eu-addr2line": "eu-addr2line",
    "dwz": "dwz",
    "fuzz-archive": "lidia-archive-fuzzer-replay",
    "fuzz-convert": "lidia-convert-fuzzer-replay",
    "fuzz-go": "lidia-go-fuzzer-replay",
    "fuzz-pair": "lidia-pair-fuzzer-replay",
    "go": "go",
}.items():
    if have(tool):
        config.available_features.add(feature)

# Servers of tests run in a namespace of their own (with-server.py).
if (have("debuginfod") and have("lidia-debuginfod-find") and
        subprocess.run(["unshare", "-rn", "true"],
                       stderr=subprocess.DEVNULL).returncode == 0):
    config.available_features.add("debuginfod")
# A disk of a few kilobytes, to be full.
if subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"],
                  stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("mount-namespaces")
if os.path.exists("/dev/full"):
    config.available_features.add("dev-full")
if config.lidia_sanitize:
    config.available_features.add("sanitizers")
