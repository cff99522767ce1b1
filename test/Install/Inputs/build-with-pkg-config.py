"""Builds the C program in a document as FOLDER/first, against FOLDER/prefix."""
import glob
import os
import re
import shlex
import subprocess
import sys

document, folder = sys.argv[1:]
with open(document, encoding="utf-8") as file:
    program = re.search(r"^```c\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)[1]
source = os.path.join(folder, "first.c")
with open(source, "w", encoding="utf-8") as file:
    file.write(program)
prefix = os.path.join(os.path.abspath(folder), "prefix")
found = glob.glob(os.path.join(prefix, "lib", "**", "lidia.pc"), recursive=True)
environment = dict(os.environ, PKG_CONFIG_PATH=os.path.dirname(found[0]))
flags = subprocess.run(["pkg-config", "--cflags", "--libs", "lidia"],
                       check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
library = os.path.dirname(os.path.dirname(found[0]))
sys.exit(subprocess.run(["cc", "-std=c99", "-Wall", "-Werror", source, *shlex.split(flags),
                         f"-Wl,-rpath,{library}", "-o",
                         os.path.join(folder, "first")]).returncode)
