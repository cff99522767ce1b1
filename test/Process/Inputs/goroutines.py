"""Compares the goroutines of a Go program with the program's own output about them.

usage: goroutines.py PROGRAM [--core] [--delve]

--core also compares those of a core that gdb writes, and --delve those that dlv shows.
"""

import json
import os
import re
import subprocess
import sys

PROGRAM, *OPTIONS = sys.argv[1:]


def own_stacks(text):
    """ID -> (status, creator, functions), without those of the runtime, which Go hides."""
    result = {}
    for block in text.split("\n\n"):
        head, *lines = block.strip().split("\n")
        found = re.match(r"goroutine (\d+) \[([^],]*)", head)
        if not found:
            continue
        functions = [re.sub(r"\([^()]*\)$", "", line) for line in lines
                     if not line.startswith(("\t", "created by "))]
        creator = [re.fullmatch(r"created by (\S+)(?: in goroutine (\d+))?", line)
                   for line in lines if line.startswith("created by ")]
        result[int(found[1])] = (found[2], creator[0].groups() if creator else None,
                                 [name for name in functions if not hidden(name)])
    return result


def hidden(name):
    # The compiler's wrappers of go statements (functions before Go 1.22) are also
    # hidden.
    return re.match(r"runtime\.|.*\.gowrap\d+$|main\.\w+\.func\d+$", name) is not None


def before_system_call(names):
    """Removes the innermost functions: Go prints the place where the goroutine left Go
    code, we print the place of the thread."""
    return [name for name in names if not re.search(r"Syscall6$", name)]


def our_stacks(*options):
    output = subprocess.run(
        ["llvm-lidia", "stack", "--goroutines", "--format=llvm-json", *options],
        check=True, stdout=subprocess.PIPE).stdout
    result = {}
    for stack in json.loads(output):
        goroutine, = stack["Goroutines"]
        assert stack["End"] == "complete", stack
        functions = [f["FunctionName"] for frame in stack["Frames"] for f in frame["Symbol"]]
        assert functions[-1] == "runtime.goexit", functions
        creator = None
        if "CreatedBy" in goroutine:
            # Before Go 1.21 the creator is unknown.
            creator = (goroutine["CreatedBy"]["Symbol"][0]["FunctionName"],
                       str(goroutine["Creator"]) if "Creator" in goroutine else None)
        result[goroutine["ID"]] = (goroutine["Status"], creator,
                                   [name for name in functions if not hidden(name)])
    return result


def delve_stacks(*command):
    output = subprocess.run(
        ["dlv", *command, "--allow-non-terminal-interactive=true", "--init=dlv.init"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=120).stdout
    output = re.sub("\x1b\\[[0-9;]*m", "", output)
    result = {}
    for block in re.split(r"\n[ *] Goroutine ", output)[1:]:
        number = int(block.split(" ")[0])
        result[number] = [name for name in re.findall(r"(?m)^\t *\d+ +0x\w+ in (.*)", block)
                          if not hidden(name)]
    return result


def compare(name, theirs, ours):
    assert theirs
    differing = sorted(key for key in theirs if theirs[key] != ours.get(key))
    print(f"{name}: {len(differing)} differ")
    for key in differing:
        print(" ", key, "\n    theirs", theirs[key], "\n    ours  ", ours.get(key))


def check(options, delve):
    ours = our_stacks(*options)
    # Goroutine 1 printed them.
    compare("runtime.Stack", {k: v for k, v in own.items() if k != 1},
            {k: (*v[:2], before_system_call(v[2])) for k, v in ours.items()})
    print("main:", ours[1][0], ours[1][2][-1])
    spinning = [k for k, v in ours.items() if v[2] == ["main.spin"]]
    print("spinning:", *[ours[k][0] for k in spinning])
    if "--delve" in OPTIONS:
        compare("dlv", delve_stacks(*delve), {k: v[2] for k, v in ours.items()})


with open("dlv.init", "w") as file:
    file.write("goroutines -t 100\nexit\nn\n")
process = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                           env={**os.environ, "GODEBUG": "asyncpreemptoff=1"})
try:
    text = ""
    for line in process.stdout:
        if line == "ready\n":
            break
        text += line
    own = own_stacks(text)
    print("goroutines:", len(own))
    pid = str(process.pid)
    if "--core" in OPTIONS:
        subprocess.run(["gdb", "-nx", "-batch", "-p", pid, "-ex", "generate-core-file core"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        check(["--core=core", "--sysroot=/"], ["core", os.path.abspath(PROGRAM), "core"])
    else:
        check(["--pid=" + pid], ["attach", pid])
finally:
    process.kill()
