"""Builds SOURCE, the C program in a document, as FOLDER/first against FOLDER/prefix."""
import glob
import os
import re
import shlex
import subprocess
import sys

document, source, folder = sys.argv[1:]
with open(document, encoding="utf-8") as file:
    shown = re.search(r"^```c\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)[1]
with open(source, encoding="utf-8") as file:
    if file.read() != shown:
        sys.exit(f"{source} is not the program in {document}")
prefix = os.path.join(os.path.abspath(folder), "prefix")
found = glob.glob(os.path.join(prefix, "lib", "**", "lidia.pc"), recursive=True)
environment = dict(os.environ, PKG_CONFIG_PATH=os.path.dirname(found[0]))
flags = subprocess.run(["pkg-config", "--cflags", "--libs", "lidia"],
                       check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
library = os.path.dirname(os.path.dirname(found[0]))
sys.exit(subprocess.run(["cc", "-std=c99", "-Wall", "-Werror", source, *shlex.split(flags),
                         f"-Wl,-rpath,{library}", "-o",
                         os.path.join(folder, "first")]).returncode)
