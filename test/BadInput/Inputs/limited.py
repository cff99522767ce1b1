"""Runs a command with a memory limit.

usage: limited.py MEGABYTES COMMAND...

The limit is for the address space (`ulimit -v`): a command that needs more fails.
"""

import os
import resource
import sys

limit = int(sys.argv[1]) << 20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
os.execvp(sys.argv[2], sys.argv[2:])
