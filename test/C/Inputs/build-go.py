"""Builds the Go program SOURCE as FOLDER/lookup, with headers and libraries in FOLDER."""
import os
import subprocess
import sys

source, folder = map(os.path.abspath, sys.argv[1:])
# As installed, but for the folders. Blanks in paths must be escaped.
place = folder.replace(" ", "\\ ")
with open(os.path.join(folder, "lidia.pc"), "w", encoding="utf-8") as file:
    file.write(f"Name: lidia\nDescription: lidia\nVersion: 1\nCflags: -I{place}/include\n"
               f"Libs: -L{place}/lib -llidia -Wl,-rpath,{place}/lib\n")
environment = dict(os.environ, CGO_ENABLED="1", PKG_CONFIG_PATH=folder,
                   CGO_LDFLAGS_ALLOW=".*", CGO_CFLAGS_ALLOW=".*")
sys.exit(subprocess.run(["go", "build", "-o", "lookup", source], cwd=folder,
                        env=environment).returncode)
