#!/usr/bin/env python3
"""Checks that lines of a log lose nothing, however a logger joins them.

    join.py TABLE COMMAND...

TABLE has a text of each form. COMMAND must write a line of several texts, joined by
spaces, words or line ends in other characters, as it writes each of them alone."""

import json
import random
import subprocess
import sys

forms = [line.rstrip("\n") for line in open(sys.argv[1])]


def filtered(lines):
    text = "".join(line + "\n" for line in lines)
    return subprocess.run(sys.argv[2:], input=text, text=True, check=True,
                          stdout=subprocess.PIPE).stdout.split("\n")[:-1]


def alone(line):
    """The output of a line between two that are not frames."""
    return filtered(["x", line, "x"])[1:-1]


answers = {form: "\n".join(alone(form)) for form in forms}
assert sum(answers[form] != form for form in forms) == len(forms), answers
JOINS = [" ", "  ", "\\n", "\\r\\n", "\\\\n", "\\n\\t", "#012", "%0A", "\\u000a", " and then ",
         "\\n}, {\\n", " | "]
random.seed(1)
inputs, expected = [], []
for length in list(range(2, 9)) * 60:
    chosen = [random.choice(forms) for _ in range(length)]
    joins = [random.choice(JOINS) for _ in range(length - 1)] + [""]
    for side, of in ((inputs, lambda form: form), (expected, answers.get)):
        side.append("prefix: " + "".join(of(f) + j for f, j in zip(chosen, joins)) + " end")
output = filtered(inputs)
assert len(output) == len(inputs), "lines are lost"
for line, right, got in zip(inputs, expected, output):
    if got != right:
        sys.exit("input:    %s\nexpected: %s\noutput:   %s" % (line, right, got))

# A whole report as a text of JSON stays JSON, and its text is the filtered report.
report = "\n".join(["==1==ERROR: \"a\\b\""] + forms + ["end"])
line = filtered([json.dumps({"level": "error", "message": report})])[0]
assert json.loads(line)["message"] == "\n".join(filtered(report.split("\n"))), line
