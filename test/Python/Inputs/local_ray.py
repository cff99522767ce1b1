"""A Ray cluster on this machine."""

import contextlib
import os
import tempfile

# Ray reads these variables when it is imported.
# Test machines are slow.
os.environ.update(RAY_AUTH_MODE="disabled", RAY_USAGE_STATS_ENABLED="0",
                  RAY_worker_register_timeout_seconds="120",
                  RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0")

import ray
import ray.data


def start(**options):
    """Starts Ray. If a node does not start within 30 seconds, Ray raises a plain
    Exception."""
    for attempt in range(3):
        try:
            return ray.init(**options)
        except Exception as error:
            if attempt == 2 or "timed out during startup" not in str(error):
                raise
            ray.shutdown()


@contextlib.contextmanager
def cluster(processors=2):
    # Names of sockets must be short.
    with tempfile.TemporaryDirectory() as folder:
        start(num_cpus=processors, include_dashboard=False, log_to_driver=False,
              configure_logging=False, _temp_dir=folder, _node_ip_address="127.0.0.1")
        ray.data.DataContext.get_current().enable_progress_bars = False
        try:
            yield
        finally:
            ray.shutdown()


def parent(pid):
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def is_ours(pid):
    """Whether the process descends from this one."""
    while pid > 1 and pid != os.getpid():
        pid = parent(pid)
    return pid == os.getpid()


def actors(title):
    """The processes of this cluster whose title, which Ray sets, contains the text."""
    found = []
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError):
            with open(f"/proc/{name}/cmdline", errors="replace") as file:
                text = file.read()
            if text.startswith("ray::MapWorker") and title in text and is_ours(int(name)):
                found.append(int(name))
    return found
