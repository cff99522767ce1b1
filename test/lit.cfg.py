"""The tests of lidia: shell scripts with FileCheck, and unit tests (Unit/)."""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
import lidia_lit

config.name = "lidia"
config.suffixes = [".test", ".yaml", ".s", ".c", ".cpp"]
# LLDB/ is a separate suite for each LLDB: see LLDB/lldb.cfg.py.
config.excludes = ["Inputs", "LLDB", "Unit", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.lidia_obj_root

# Our tools come first, so that no installed one is tested by mistake.
config.environment["PATH"] = os.pathsep.join(
    [config.lidia_tools_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
)
# FileCheck compares system messages.
config.environment["LC_ALL"] = "C"
# Tests must not write into the user's cache.
config.environment["LIDIA_CACHE_DIR"] = os.path.join(config.lidia_obj_root, "cache")
# Tests must not ask the machine for keys.
config.environment["AWS_EC2_METADATA_DISABLED"] = "true"
# LLVM 19's lit does not pass HOME, which contains Go's cache.
config.environment["GOCACHE"] = os.path.join(config.lidia_obj_root, "go-cache")
# Otherwise a child of a program with threads must not create any.
config.environment["TSAN_OPTIONS"] = "die_after_fork=0"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "ASAN_SYMBOLIZER_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

for name, path in {
    "%inputs": os.path.join(config.test_source_root, "Inputs"),
    "%src_root": config.lidia_src_root,
    "%build_root": config.lidia_build_dir,
    "%lit": config.lidia_lit,
}.items():
    config.substitutions.append((name, shlex.quote(path)))
config.substitutions.append(("%python", "python3"))
config.substitutions.append(("%with-server", "python3 " + shlex.quote(os.path.join(
    config.test_source_root, "Object", "Inputs", "with-server.py"))))
config.substitutions.append(("%with-store", "python3 " + shlex.quote(os.path.join(
    config.test_source_root, "Store", "Inputs", "with-store.py"))))
config.substitutions.append(("%with-serve", "python3 " + shlex.quote(os.path.join(
    config.test_source_root, "Server", "Inputs", "with-serve.py"))))
config.substitutions.append(("%with-upstream", "python3 " + shlex.quote(os.path.join(
    config.test_source_root, "Server", "Inputs", "with-upstream.py"))))
config.substitutions.append(("%ask", "python3 " + shlex.quote(os.path.join(
    config.test_source_root, "Server", "Inputs", "ask.py"))))
config.substitutions.append(("%with-versitygw", "python3 " + shlex.quote(
    os.path.join(config.test_source_root, "Store", "Inputs", "with-versitygw.py"))))
# The step between the faults that a test of Faults/ tries; lit --param faults=all tries
# all. There are few system calls, so more of them are tried.
for name, every in {"%every": "61", "%calls-every": "7"}.items():
    config.substitutions.append(
        (name, "1" if lit_config.params.get("faults") == "all" else every))


def have(tool):
    return shutil.which(tool, path=config.environment["PATH"])


# REQUIRES: lists the features that a test needs; without them it does not run. MISSING
# has the reason for each unavailable feature.
missing = {}
config.test_format = lidia_lit.ShellTest(missing)


def add_feature(feature, reason):
    """Makes FEATURE available, unless there is a REASON why it is not."""
    if reason:
        missing[feature] = reason
    else:
        config.available_features.add(feature)


add_feature("folder-without-spaces", " " in config.test_exec_root and
            "pprof and llvm-symbolizer do not read unquoted paths with spaces")

for feature, tool, package in [
    ("llvm-symbolizer", "llvm-symbolizer", "llvm-19"),
    ("llvm-gsymutil", "llvm-gsymutil", "llvm-19"),
    ("llvm-objdump", "llvm-objdump", "llvm-19"),
    ("llvm-undname", "llvm-undname", "llvm-19"),
    ("lld", "ld.lld", "lld-19"),
    ("cc", "cc", "gcc"),
    ("node", "node", "nodejs"),
    ("java", "javac", "default-jdk-headless"),
    ("clang", "clang", "clang-19"),
    ("clang-format", "clang-format-19", "clang-format-19"),
    ("gdb", "gdb", "gdb"),
    ("readelf", "readelf", "binutils"),
    ("zstd", "zstd", "zstd"),
    ("lldb", "lldb", "lldb-19"),
    ("valgrind", "valgrind", "valgrind"),
    ("eu-addr2line", "eu-addr2line", "elfutils"),
    ("binutils", "addr2line", "binutils"),
    ("dwz", "dwz", "dwz"),
    ("mandoc", "mandoc", "mandoc"),
    ("openssl", "openssl", "openssl"),
    ("bash", "bash", "bash"),
    ("zsh", "zsh", "zsh"),
    ("dpkg-dev", "dpkg-shlibdeps", "dpkg-dev"),
    ("debhelper", "dh_strip", "debhelper"),
    ("go", "go", "golang-go"),
    ("rustc", "rustc", "rustc"),
    ("cargo", "cargo", "cargo"),
    ("meson", "meson", "meson"),
    ("pkg-config", "pkg-config", "pkgconf"),
    ("abidiff", "abidiff", "abigail-tools"),
    ("chromium", "chromium", "chromium"),
    ("nginx", "nginx", "nginx-light"),
    ("systemd-analyze", "systemd-analyze", "systemd"),
]:
    add_feature(feature, not have(tool) and lidia_lit.missing_tool(tool, package))

add_feature("zig", not have("zig") and "zig is missing (https://ziglang.org/download)")
add_feature("minidump-stackwalk", not have("minidump-stackwalk") and
            "minidump-stackwalk is missing (cargo install minidump-stackwalk)")
# Mozilla's profiler-cli, with its own Node.js.
profiler_cli = os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"),
    "lidia-profiler-cli", "node_modules", ".bin")
config.substitutions.append(("%profiler-cli", shlex.quote(profiler_cli)))
add_feature("profiler-cli", not os.path.exists(os.path.join(profiler_cli, "profiler-cli"))
            and "profiler-cli is missing (utils/peer-tests/install-profiler-cli.sh)")
add_feature("lldb-plugin",
            not os.path.exists(os.path.join(config.lidia_build_dir, "lib",
                                            "liblldbPluginLidia.so")) and
            "the plugin for LLDB is not built")
add_feature("manual",
            not os.path.exists(os.path.join(config.lidia_build_dir, "share", "man",
                                            "man1", "llvm-lidia.1.gz")) and
            "the manual page is not built: lowdown is missing")
add_feature("fuzz-replay", not have("lidia-archive-fuzzer-replay") and
            "fuzz targets are replayed with sanitizers only")


add_feature("urls", config.lidia_have_urls != "ON" and
            "URLs are not supported: libcurl4-openssl-dev is missing")
add_feature("server", config.lidia_have_server != "ON" and
            "the server is not built: libmicrohttpd-dev is missing" or
            not have("curl") and lidia_lit.missing_tool("curl", "curl"))
add_feature("packages", config.lidia_have_packages != "ON" and
            "packages are not read: libarchive-dev is missing")


def why_not_built(program, folder):
    """The reason why PROGRAM was not built, which ForeignProgram.cmake wrote to the
    last line of a file."""
    if have(program):
        return None
    try:
        with open(os.path.join(config.lidia_build_dir, "utils", folder,
                               "why-not.txt"), encoding="utf-8") as file:
            return program + " is not built: " + file.read().splitlines()[-1]
    except (OSError, IndexError):
        return program + " is not built"


add_feature("static-c-library",
            not os.path.exists(os.path.join(config.lidia_build_dir, "lib", "liblidia.a")) and
            "lib/liblidia.a is not built")
# A reader built with the Go module, see test/GoModule.
add_feature("go-module", why_not_built("go-reader", "go-interop"))
# Another project's S3 server, see test/Store.
add_feature("versitygw", why_not_built("versitygw", "s3-server"))
# A reader built with symbolic's crates, see test/SymbolFiles.
add_feature("symbolic", why_not_built("symbolic-reader", "symbolic-reader"))
# The same with blazesym's crate.
add_feature("blazesym", why_not_built("blazesym-reader", "blazesym-reader"))
# A Python with the module and the libraries with which tests use it, see test/Python.
add_feature("python-module", config.lidia_sanitize and
            "the module for Python is not built with sanitizers" or
            why_not_built("lidia-python", "python-module"))


def fails(*command):
    return subprocess.run(command, stderr=subprocess.DEVNULL).returncode != 0


def why_no_go(minor, what):
    """The reason if Go is older than 1.MINOR, which does not do WHAT."""
    if not have("go"):
        return lidia_lit.missing_tool("go", "golang-go")
    version = subprocess.run(["go", "env", "GOVERSION"], stdout=subprocess.PIPE, text=True,
                             env={**os.environ, "GOTOOLCHAIN": "local"}).stdout
    found = re.match(r"go1\.(\d+)", version)
    return not (found and int(found[1]) >= minor) and f"{version.strip()} {what}"


# Linked with -B=gobuildid.
add_feature("go-build-id", why_no_go(22, "writes no build IDs"))
add_feature("go-frame-pointers", why_no_go(21, "saves no frame pointers where it changes stacks"))


# Tests run their servers in a separate namespace (with-server.py).
add_feature("debuginfod",
            not have("debuginfod") and
            lidia_lit.missing_tool("debuginfod", "debuginfod") or
            config.lidia_have_urls != "ON" and
            "built without libcurl4-openssl-dev" or
            fails("unshare", "-rn", "true") and
            "the system does not allow network namespaces (unshare -rn)")


def why_no_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as listener:
            listener.bind(("::1", 0))
    except OSError as error:
        return f"this machine has no address ::1: {error}"


add_feature("ipv6", why_no_ipv6())
# A disk of a few kilobytes, which can be filled.
add_feature("mount-namespaces",
            fails("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt") and
            "the system does not allow mount namespaces (unshare -rm)")
# Opening deleted files of a process.
def why_no_map_files():
    """The reason if the link to the interpreter's own first mapping cannot be opened."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as file:
            first = next(line for line in file if " /" in line).split()[0]
        open(f"/proc/self/map_files/{first}", "rb").close()
    except (OSError, StopIteration):
        return "following /proc/PID/map_files needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE"
    return None


add_feature("map-files", why_no_map_files())
add_feature("frame-pointer-stacks",
            os.uname().machine not in ("x86_64", "aarch64") and
            "stacks are walked on x86-64 and AArch64 only")
add_feature("dev-full", not os.path.exists("/dev/full") and
            "/dev/full is not there")
add_feature("x86-64", os.uname().machine != "x86_64" and "this machine is another one")
add_feature("perf",
            not have("perf") and lidia_lit.missing_tool("perf", "linux-perf") or
            fails("perf", "record", "-q", "-e", "cpu-clock", "-o", os.devnull, "true") and
            "the system does not allow recording (perf record -e cpu-clock)")
# LLVM's own tests of llvm-symbolizer.
llvm_tests = os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"),
    "lidia-llvm-tests", config.llvm_major)
config.substitutions.append(("%llvm-tests", shlex.quote(llvm_tests)))
add_feature("llvm-tests", not os.path.exists(llvm_tests) and
            "the tests of LLVM are missing (utils/fetch-llvm-tests.sh fetches them)")
# Features that depend on the version of LLVM.
config.available_features.add("llvm-" + config.llvm_major)
config.substitutions.append(("%{llvm}", config.llvm_major))
if config.lidia_sanitize:
    config.available_features.add("sanitizers")
# With sanitizers a run takes five times as long: tests that try many inputs of one kind
# try each third.
config.environment["LIDIA_TEST_EVERY"] = "3" if config.lidia_sanitize else "1"
