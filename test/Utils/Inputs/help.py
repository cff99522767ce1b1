#!/usr/bin/env python3
"""help.py FOLDER: runs each script in FOLDER and below with --help, and prints its
name. Fails if one fails, prints nothing, or prints the usage of another one."""

import os
import subprocess
import sys

folder = sys.argv[1]
failed = False
for path, folders, files in os.walk(folder):
    folders[:] = [name for name in folders if name != "__pycache__"]
    for name in files:
        script = os.path.join(path, name)
        if not name.endswith((".sh", ".py")):
            continue
        if not os.access(script, os.X_OK):
            # Modules that scripts import cannot be started.
            with open(script, "rb") as start:
                if start.read(2) == b"#!":
                    print(script, "cannot be started", file=sys.stderr)
                    failed = True
            continue
        run = subprocess.run([script, "--help"], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                             text=True, timeout=60)
        print(os.path.relpath(script, folder))
        if (run.returncode or "usage: " not in run.stdout.lower()
                or name not in run.stdout):
            print(script, "gives status", run.returncode, "and this help:",
                  run.stdout, file=sys.stderr)
            failed = True
sys.exit(failed)
