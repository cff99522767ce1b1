"""Builds the Go program in a folder, with the headers and libraries beside it."""
import os
import subprocess
import sys

folder = os.path.abspath(sys.argv[1])
environment = dict(os.environ, CGO_ENABLED="1", GOFLAGS="-mod=mod", GO111MODULE="on",
                   CGO_CFLAGS=f"'-I{folder}/include'",
                   CGO_LDFLAGS=f"'-L{folder}/lib' -llidia '-Wl,-rpath,{folder}/lib'",
                   CGO_LDFLAGS_ALLOW=".*", CGO_CFLAGS_ALLOW=".*")
# Go asks git about the sources and fails if the checkout belongs to another user.
sys.exit(subprocess.run(["go", "build", "-buildvcs=false", "-o", "caller", "."],
                        cwd=folder, env=environment).returncode)
