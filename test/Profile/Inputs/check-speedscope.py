#!/usr/bin/env python3
"""Prints the profiles and stacks of a speedscope file, after checking its numbers.

Usage: check-speedscope.py FILE
"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    data = json.load(file)
names = [frame["name"] for frame in data["shared"]["frames"]]
assert len(set(map(str, data["shared"]["frames"]))) == len(names)
for profile in data["profiles"]:
    assert profile["type"] == "sampled"
    assert len(profile["samples"]) == len(profile["weights"])
    assert profile["endValue"] == sum(profile["weights"])
    print(profile["name"], profile["unit"], profile["endValue"])
for stack in data["profiles"][-1]["samples"]:
    print(";".join(names[frame] for frame in stack))
