"""A cluster of Ray on this machine."""

import contextlib
import os
import tempfile

# Ray reads them when it is imported.
os.environ.update(RAY_AUTH_MODE="disabled", RAY_USAGE_STATS_ENABLED="0",
                  RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0")

import ray
import ray.data


@contextlib.contextmanager
def cluster(processors=2):
    # Names of sockets must be short.
    with tempfile.TemporaryDirectory() as folder:
        ray.init(num_cpus=processors, include_dashboard=False, log_to_driver=False,
                 configure_logging=False, _temp_dir=folder,
                 _node_ip_address="127.0.0.1")
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
    """The processes of this cluster whose title, as Ray sets it, has the text."""
    found = []
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError):
            with open(f"/proc/{name}/cmdline", errors="replace") as file:
                text = file.read()
            if text.startswith("ray::MapWorker") and title in text and is_ours(int(name)):
                found.append(int(name))
    return found
