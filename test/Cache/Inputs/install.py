"""Copies a debug file into a debug directory, by its build ID."""

import os
import shutil
import subprocess
import sys

source, directory = sys.argv[1:]
notes = subprocess.run(
    ["llvm-readelf", "--notes", source], check=True, capture_output=True, text=True
).stdout
build_id = notes.split("Build ID:")[1].split()[0]
folder = os.path.join(directory, ".build-id", build_id[:2])
os.makedirs(folder, exist_ok=True)
shutil.copy(source, os.path.join(folder, build_id[2:] + ".debug"))
