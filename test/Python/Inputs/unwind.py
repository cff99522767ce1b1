"""Unwinds the threads of a process: unwind.py PID CACHE"""

import json
import os
import signal
import subprocess
import sys

import lidia

PID, CACHE = int(sys.argv[1]), sys.argv[2]
MEMORY = os.open(f"/proc/{PID}/mem", os.O_RDONLY)


def read_memory(address, size):
    try:
        return os.pread(MEMORY, size, address)
    except (OSError, OverflowError):
        return None


def summary(stack):
    return [(f.address, f.trust, f.module, [(g.function, g.line) for g in f.frames])
            for f in stack.frames], stack.end


def expected(thread):
    return [(int(f["Address"], 16), f["Trust"], f["ModuleName"],
             [(g["FunctionName"] or None, g["Line"] or None) for g in f["Symbol"]])
            for f in thread["Frames"]], thread["End"]


def raised(*args, **keywords):
    try:
        process.unwind(*args, **keywords)
    except Exception as error:
        print("raised:", repr(error))


def equal(stack):
    return "equal" if summary(stack) == summary(first) else (summary(stack), summary(first))


output = subprocess.run(
    ["llvm-lidia", "stack", f"--pid={PID}", f"--cache-dir={CACHE}", "--registers",
     "--format=llvm-json"], check=True, stdout=subprocess.PIPE).stdout
threads = [t for t in json.loads(output) if t["Threads"][0].get("Registers")]
process = lidia.Process(PID, cache=CACHE)
print("threads:", len(threads))
same = 0
for thread in threads:
    registers = {k: int(v, 16) for k, v in thread["Threads"][0]["Registers"].items()}
    stack = process.unwind(registers, read_memory)
    same += summary(stack) == expected(thread)
    if summary(stack) != expected(thread):
        print(summary(stack), "instead of", expected(thread))
print("equal:", same)

# An address in terms that hold elsewhere.
where = process.locate(stack.frames[0].address)
assert where.address == stack.frames[0].module_address, where
assert where.path == stack.frames[0].module and where.file_offset is not None, where
assert where.build_id == lidia.build_id(where.path), where
assert process.locate(0) == (None, None, None, None)

first = stack
with open(f"/proc/{PID}/maps") as file:
    saved = lidia.Process(maps=file.read(), root="/", cache=CACHE)
print("by saved mappings:", equal(saved.unwind(registers, read_memory)))
numbers = {7 if k == "rsp" else 6 if k == "rbp" else k: v for k, v in registers.items()}
print("by numbers:", equal(process.unwind(numbers, read_memory, machine="x86_64")))
print("from the process:", equal(process.unwind(registers)))
print("one frame:", process.unwind(registers, max_frames=1).end)
print("short memory:", process.unwind(registers, lambda address, size: b"").end)


def nested(address, size):
    process.unwind(registers, read_memory, max_frames=2)
    return read_memory(address, size)


print("nested:", equal(process.unwind(registers, nested)))


def fails(address, size):
    raise KeyError("no memory")


def interrupted(address, size):
    os.kill(os.getpid(), signal.SIGINT)
    return read_memory(address, size)


raised(registers, fails)
raised(registers, lambda address, size: 7)
raised({"eflags7": 1})
raised(registers, machine="pdp11")
try:
    lidia.Process()
except ValueError as error:
    print("raised:", repr(error))
raised({"pc": -1})
# A test runner may ignore SIGINT.
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    process.unwind(registers, interrupted)
except KeyboardInterrupt:
    print("interrupted")
print("afterwards:", equal(process.unwind(registers, read_memory)))
