#!/usr/bin/env python3
"""Adds a PDB file to a symbol store in Microsoft's layout: pdb-store.py PDB FOLDER"""

import os
import re
import shutil
import subprocess
import sys

pdb, folder = sys.argv[1:]
summary = subprocess.run(["llvm-pdbutil", "dump", "-summary", pdb], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
guid = re.search(r"GUID: \{(.*)\}", summary).group(1).replace("-", "")
age = int(re.search(r"Age: (\d+)", summary).group(1))
place = os.path.join(folder, os.path.basename(pdb), f"{guid}{age:X}")
os.makedirs(place)
shutil.copy(pdb, place)
