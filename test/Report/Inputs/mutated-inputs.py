"""Makes dossiers of mutated inputs.

usage: mutated-inputs.py COUNT SEED FILE... -- OPTION...

Each must end with status 0 or 1, be the same twice, and fit into its size. JSON must be JSON.
Markdown must be UTF-8 without control characters, with all blocks of code closed, and without
what Markdown or HTML understand outside of them.
"""

import json
import random
import subprocess
import sys

SPLIT = sys.argv.index("--")
COUNT, SEED = map(int, sys.argv[1:3])
FILES, OPTIONS = sys.argv[3:SPLIT], sys.argv[SPLIT + 1:]
RANDOM = random.Random(SEED)
PIECES = [b"\0", b"\xff", b"\x80", b"\xff" * 8, b"\n", b"\n```\n", b"\x1b[31m", b"\xc3\x28", b"\r",
          b"<script>", b"](http://x)", b'"', b"\\", b"\xe2\x80\xae"]


def mutated(data):
    data = bytearray(data)
    for _ in range(RANDOM.choice([1, 2, 4, 10, 40])):
        at = RANDOM.randrange(len(data) + 1)
        kind = RANDOM.randrange(5)
        if kind == 0:
            data[at:at + 1] = bytes([RANDOM.randrange(256)])
        elif kind == 1:
            data[at:at] = RANDOM.choice(PIECES) * RANDOM.choice([1, 3, 100])
        elif kind == 2:
            del data[at:at + RANDOM.choice([1, 4, 100])]
        elif kind == 3:
            data[at:at] = data[at:at + RANDOM.randrange(500)] * RANDOM.choice([1, 20])
        else:
            number = RANDOM.choice([0, 1, len(data), (1 << 31) - 1, (1 << 32) - 1])
            data[at:at + 4] = number.to_bytes(4, "little")
    return bytes(data)


def problem_of_markdown(text):
    is_code = False
    for line in text.split("\n"):
        if line == "```":
            is_code = not is_code
        elif "```" in line:
            return "a fence in a line"
        elif not is_code and ("<script" in line or "](" in line):
            return "markup: " + line
        elif any(ord(c) < 32 and c != "\t" for c in line):
            return "control characters: " + repr(line)
    return "an open block" if is_code else None


def problem_of(form, size):
    runs = [subprocess.run(["llvm-lidia", "report", "-q", "--no-cache", f"--format={form}",
                            f"--max-size={size}", *OPTIONS, "mutated"], timeout=120,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    out, status = runs[0].stdout, runs[0].returncode
    if status not in (0, 1) or (status and not runs[0].stderr):
        return f"status {status}"
    if out != runs[1].stdout:
        return "not the same twice"
    if len(out) > size:
        return f"{len(out)} bytes"
    try:
        if status == 0 and form == "json":
            json.loads(out)
        return problem_of_markdown(out.decode()) if form == "markdown" else None
    except ValueError as error:
        return str(error)


inputs = []
for name in FILES:
    with open(name, "rb") as file:
        inputs.append(file.read())
failures = 0
for number in range(COUNT):
    content = mutated(RANDOM.choice(inputs))
    with open("mutated", "wb") as file:
        file.write(content)
    form, size = RANDOM.choice(["markdown", "json"]), RANDOM.choice([128, 500, 2000, 16384])
    if why := problem_of(form, size):
        failures += 1
        with open(f"failure{number}", "wb") as file:
            file.write(content)
        print(f"failure{number}: {form} of {size} bytes: {why}")
print(f"{COUNT} inputs, {failures} failures")
