#!/usr/bin/env python3
"""Writes the table of options and commands in docs/Options.md, from the help.

    update-option-matrix.py [--llvm-lidia PROGRAM] [--page FILE] [--check]

The table has the options of the groups that commands which answer addresses share. Each
hole in it has a letter, which stands for the explanation in the list below the table:

    - **a**: `--option`, ... in `command`, ...: why

With --check nothing is written: the differences are printed. The exit status is 1 if there
are any, if a hole is not explained, or if something is explained that is no hole.
"""

import argparse
import difflib
import os
import re
import subprocess
import sys

COMMANDS = ["lookup", "symbolize", "stack", "profile", "filter", "report"]
TABLE = re.compile(r"(<!-- matrix -->\n).*?(<!-- end -->)", re.S)
REASON = re.compile(r"^- \*\*(\w)\*\*: (.*?) in (.*?): ", re.M | re.S)


def options_of(program, command):
    """The options in the help of COMMAND, by group; other spellings are left out."""
    text = subprocess.run([program, "help", command], check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    groups, group = {}, None
    for line in text.splitlines():
        if re.match(r"[A-Z]+: ", line) and line.endswith(":"):
            group = line.rstrip(":")
        elif re.match(r"\S", line):
            group = None
        option = re.match(r"  (--[\w-]+)(?:[=\[]\S*| <\S+>)?(?: +(.*))?$", line)
        if group and option and not (option.group(2) or "").startswith("Alias"):
            groups.setdefault(group, {})[option.group(1)] = True
    return groups


def words(text):
    return re.findall(r"`([^`]+)`", text)


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llvm-lidia", default=os.path.join(root, "build/bin/llvm-lidia"))
    parser.add_argument("--page", default=os.path.join(root, "docs", "Options.md"))
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    with open(args.page, encoding="utf-8") as file:
        page = file.read()
    helps = {c: options_of(args.llvm_lidia, c) for c in COMMANDS}
    reasons = {(option, command): letter for letter, options, commands in REASON.findall(page)
               for option in words(options) for command in words(commands)}
    groups = {}
    for command in COMMANDS:
        for group, options in helps[command].items():
            if not group.startswith("IGNORED"):
                groups.setdefault(group, {}).update(options)
    table, problems, holes = "", [], set()
    for group, options in sorted(groups.items()):
        table += f"\n| {group} | " + " | ".join(COMMANDS) + " |\n" + "| --- " * 7 + "|\n"
        for option in options:
            cells = []
            for command in COMMANDS:
                if option in helps[command].get(group, {}):
                    cells.append("yes")
                    continue
                holes.add((option, command))
                cells.append(reasons.get((option, command), "?"))
                if cells[-1] == "?":
                    problems.append(f"no reason why {command} lacks {option}")
            table += f"| `{option}` | " + " | ".join(cells) + " |\n"
    problems += [f"{command} has {option}, or no command has it"
                 for option, command in sorted(set(reasons) - holes)]
    new = TABLE.sub(lambda m: m.group(1) + table + "\n" + m.group(2), page)
    for problem in problems:
        print(f"{args.page}: {problem}")
    if new != page and args.check:
        sys.stdout.writelines(difflib.unified_diff(
            page.splitlines(True), new.splitlines(True), args.page, "the help"))
    elif new != page:
        with open(args.page, "w", encoding="utf-8") as file:
            file.write(new)
    return 1 if problems or (new != page and args.check) else 0


if __name__ == "__main__":
    sys.exit(main())
