"""The format of our tests for lit: shell scripts, in folders of any name, which report
missing requirements in plain words if they cannot run."""

import contextlib
import os
import shlex
import signal
import threading

import lit.formats
import lit.Test
import lit.TestRunner


class ShellTest(lit.formats.ShTest):
    """lit's ShTest, with three differences.

    Substitutions for paths (%s, %S, %t, %T, %p) are quoted for the shell if the path
    has a space or another special character. So "rm -rf %t" removes exactly that path.
    A path within a string must be in double quotes, and is quoted for the reader of the
    string: sh, gdb or LLDB.

    A test that takes too long is killed. lit's own time limit needs the module psutil,
    and leaves processes whose parents have ended.

    A test that is not run has the reasons as its output. MISSING is a dictionary that
    maps each unavailable feature to the reason.

    The class is in a module and not in lit.cfg.py, because lit passes it to other
    processes.
    """

    def __init__(self, missing, unsupported=None, time_limit=1200):
        """UNSUPPORTED is the reason why no test of the suite can run, if there is one.
        TIME_LIMIT is in seconds; the longest test takes 150 on two cores, with
        sanitizers."""
        super().__init__(execute_external=False)
        self.missing = missing
        self.unsupported = unsupported
        self.time_limit = time_limit

    def execute(self, test, litConfig):
        if self.unsupported:
            return lit.Test.Result(lit.Test.UNSUPPORTED, self.unsupported)
        with killed_after(self.time_limit, test) as exceeded:
            result = lit.TestRunner.executeShTest(
                test, litConfig, self.execute_external, quoted_paths(test)
            )
        if exceeded.is_set():
            result.code = lit.Test.TIMEOUT
            result.output += f"\nKilled after {self.time_limit} seconds.\n"
        if result.code is lit.Test.UNSUPPORTED:
            result.output = self.reason(test)
        return result

    def reason(self, test):
        reasons = [
            self.missing.get(feature, feature + " is missing")
            for feature in test.getMissingRequiredFeatures()
        ]
        reasons += ["not for " + f for f in test.getUnsupportedFeatures()]
        return "; ".join(reasons)


@contextlib.contextmanager
def killed_after(seconds, test):
    """Kills the processes of TEST after SECONDS. Yields an event that is set then."""
    # A worker of lit runs one test at a time, so this names the test's processes.
    name, worker = "LIDIA_TEST_WORKER", str(os.getpid())
    test.config.environment[name] = worker
    ended, exceeded = threading.Event(), threading.Event()

    def watch():
        if ended.wait(seconds):
            return
        exceeded.set()
        # The test may go on with other processes.
        while not ended.wait(1):
            kill_processes_with(f"{name}={worker}")

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield exceeded
    finally:
        ended.set()
        watcher.join()


def kill_processes_with(variable):
    """Kills all processes that started with VARIABLE, NAME=VALUE, in their environment."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/environ", "rb") as file:
                if variable.encode() in file.read().split(b"\0"):
                    os.kill(int(pid), signal.SIGKILL)


def quoted_paths(test):
    """lit's own substitutions for paths, quoted. They precede lit's, and must not match
    the beginning of a longer name."""
    _, base = lit.TestRunner.getTempPaths(test)
    source = test.getSourcePath()
    paths = {
        "s": source,
        "S": os.path.dirname(source),
        "p": os.path.dirname(source),
        "t": base + ".tmp",
        "T": os.path.dirname(base),
    }
    return [
        ("%" + letter + r"(?!\w)", shlex.quote(path))
        for letter, path in paths.items()
    ]


def missing_tool(tool, package):
    """The reason why a test is not run if a program is missing."""
    return f"{tool} is missing (Debian has it in {package})"
