#!/usr/bin/env python3
"""Builds the program pprof of github.com/google/pprof: build-pprof.py FOLDER.

"go tool pprof" reads debug information itself, but the program that "go install" makes
runs symbolizers. Its packages are in Go's own source. They are copied to FOLDER/src,
and the program, FOLDER/pprof, uses them except for the line editor."""

import os
import shutil
import subprocess
import sys

MAIN = """package main

import (
	"fmt"
	"os"

	"github.com/google/pprof/driver"
)

func main() {
	if err := driver.PProf(&driver.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, "pprof:", err)
		os.Exit(2)
	}
}
"""

folder = os.path.abspath(sys.argv[1])
root = subprocess.run(["go", "env", "GOROOT"], capture_output=True, text=True,
                      check=True).stdout.strip()
for package in "google/pprof", "ianlancetaylor/demangle":
    name = os.path.join("src", "github.com", package)
    shutil.copytree(os.path.join(root, "src", "cmd", "vendor", "github.com", package),
                    os.path.join(folder, name))
main = os.path.join(folder, "src", "main", "main.go")
os.mkdir(os.path.dirname(main))
with open(main, "w", encoding="utf-8") as file:
    file.write(MAIN)
subprocess.run(["go", "build", "-o", os.path.join(folder, "pprof"), main], check=True,
               env=dict(os.environ, GOPATH=folder, GO111MODULE="off", GOFLAGS="",
                        GOTOOLCHAIN="local", CGO_ENABLED="0"))
