"""Runs a command, and samples the time and the memory of its process."""

import collections
import os
import re
import subprocess
import sys
import tempfile
import time

# Wall clock and processor time in seconds; the peaks of resident memory in bytes, with
# pages of files and without; samples of the time and of each thread's processor time so
# far; standard output.
Run = collections.namedtuple("Run", "wall cpu peak anonymous samples output")


def sample(pid):
    """The processor time of each thread, and the peak and present values of memory."""
    times = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="utf-8") as file:
            times[thread] = int(file.read().split()[0]) / 1e9
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        status = dict(re.findall(r"(\w+):\s+(\d+) kB", file.read()))
    return times, [1024 * int(size) for size in (
        status["VmHWM"], int(status["RssAnon"]) + int(status["RssShmem"]))]


def run(command, given="", environment=None):
    """Ends the program if COMMAND fails. wait4() would give the peak of this process if it
    is larger."""
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout:
        stdin.write(given.encode())
        stdin.seek(0)
        started, samples, peak, anonymous = time.monotonic(), [], 0, 0
        process = subprocess.Popen(command, stdin=stdin, stdout=stdout, env=environment)
        while True:
            try:
                times, (most, now) = sample(process.pid)
                samples.append((time.monotonic() - started, times))
                peak, anonymous = max(peak, most), max(anonymous, now)
            except (OSError, IndexError, KeyError):
                pass
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            time.sleep(0.01)
        wall = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{' '.join(command)}: status {process.returncode}")
        stdout.seek(0)
        return Run(wall, usage.ru_utime + usage.ru_stime, peak, anonymous, samples,
                   stdout.read().decode())
