"""Compares the C interface's answers for some addresses, with one thread and with
eight, with those of llvm-lidia lookup."""
import json
import subprocess
import sys

archive = sys.argv[1]
addresses = [hex(0x400160 + i) for i in range(60)]


def ours(threads):
    out = subprocess.run(["lidia-c-check", "lookup", "file", "0", threads, archive,
                          *addresses], check=True, stdout=subprocess.PIPE, text=True).stdout
    answers = []
    for line in out.splitlines():
        if line.endswith(" frames"):
            answers.append([])
        else:
            answers[-1].append(line.removeprefix("(inlined) "))
    return answers


shown = subprocess.run(["llvm-lidia", "lookup", "--output-style=JSON", "--no-demangle",
                        archive, *addresses], check=True, stdout=subprocess.PIPE, text=True)
theirs = [[f"{f['FunctionName']} at {f['FileName']}:{f['Line']}:{f['Column']}"
           for f in answer["Symbol"] if f["FunctionName"]]
          for answer in json.loads(shown.stdout)]
if ours("1") != theirs or ours("8") != theirs or not any(theirs):
    sys.exit("the answers differ")
