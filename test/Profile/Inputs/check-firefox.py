#!/usr/bin/env python3
"""check-firefox.py FILE: checks the tables of a profile for Firefox Profiler. Prints
for each thread the sums, and for each of its samples the functions, outermost first,
and the file and line of the innermost one."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    profile = json.load(file)
assert profile["meta"]["preprocessedProfileVersion"] > 0
for thread in profile["threads"]:
    strings = thread["stringArray"]
    for table in ("samples", "frameTable", "stackTable", "funcTable", "resourceTable",
                  "nativeSymbols", "markers"):
        for name, column in thread[table].items():
            if isinstance(column, list):
                assert len(column) == thread[table]["length"], (table, name)
    frames, functions, stacks = (thread[t] for t in ("frameTable", "funcTable", "stackTable"))
    for resource in functions["resource"]:
        assert -1 <= resource < thread["resourceTable"]["length"]
    for library in thread["resourceTable"]["lib"]:
        profile["libs"][library]["name"]
    samples = thread["samples"]
    assert samples["time"] == sorted(samples["time"])
    if "--times" in sys.argv:
        print(thread["name"], thread["pid"], thread["tid"], samples["time"], samples["weight"])
        continue
    print("thread", thread["pid"], thread["tid"], "samples", samples["length"],
          "weight", sum(samples["weight"]))
    for stack in samples["stack"]:
        innermost, names = None, []
        while stack is not None:
            frame = stacks["frame"][stack]
            innermost = frame if innermost is None else innermost
            names.append(strings[functions["name"][frames["func"][frame]]])
            prefix = stacks["prefix"][stack]
            assert prefix is None or prefix < stack
            stack = prefix
        file = functions["fileName"][frames["func"][innermost]]
        print(";".join(reversed(names)), file if file is None else strings[file],
              frames["line"][innermost])
