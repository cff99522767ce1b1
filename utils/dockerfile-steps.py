#!/usr/bin/env python3
"""Prints the steps of a stage of a Dockerfile as a script for sh.

Usage: dockerfile-steps.py [--help] DOCKERFILE STAGE

STAGE is the name after AS, or "last". The script must run as root in a separate system,
in the folder in which the build begins (COPY . .), with the results of the previous
stages in /from/STAGE. It carries out RUN, WORKDIR, ENV, COPY and USER. In the last
stage, serve ARGUMENT... then runs ENTRYPOINT as USER, and check runs HEALTHCHECK. Other
instructions are errors, so that none is ignored.
"""

import json
import re
import shlex
import sys

IGNORED = {"VOLUME", "EXPOSE"}


def instructions(path):
    """(name, value) of each instruction, with its continued lines."""
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file]
    whole = ""
    for line in lines:
        if line.lstrip().startswith("#") or not line.strip():
            continue
        whole += line
        if whole.endswith("\\"):
            whole = whole[:-1]
            continue
        name, value = whole.split(None, 1)
        yield name.upper(), value
        whole = ""


def stages(path):
    """The instructions of each stage: a list of (name, list)."""
    found = []
    for name, value in instructions(path):
        if name == "FROM":
            stage = re.search(r"\sAS\s+(\S+)$", value, re.IGNORECASE)
            found.append((stage[1] if stage else "last", []))
        else:
            found[-1][1].append((name, value))
    return found


def copy(value):
    parts = shlex.split(value)
    source = re.fullmatch(r"--from=(\S+)", parts[0])
    if source:
        place, target = parts[1:]
        return f"mkdir -p {target} && cp -a /from/{source[1]}{place}/. {target}"
    place, target = parts
    return f'cp -a "$context/{place}/." {target}'


def script(steps):
    lines = ["set -eu", "context=$PWD", "user=root"]
    for name, value in steps:
        if name == "RUN":
            lines.append(f"( set -e\n{value}\n)")
        elif name == "WORKDIR":
            lines.append(f"mkdir -p {value} && cd {value}")
        elif name == "ENV":
            lines.append(f"export {value}")
        elif name == "COPY":
            lines.append(copy(value))
        elif name == "USER":
            lines.append(f"user={value}")
        elif name == "ENTRYPOINT":
            command = shlex.join(json.loads(value))
            lines.append(f'serve() {{ exec setpriv --reuid="$user" --regid="$user" '
                         f'--clear-groups {command} "$@"; }}')
        elif name == "HEALTHCHECK":
            lines.append(f"check() {{ {value.removeprefix('CMD ')}; }}")
        elif name not in IGNORED:
            raise SystemExit(f"{name} is not known: {value}")
    return "\n".join(lines) + "\n"


def main():
    if "--help" in sys.argv[1:]:
        print(__doc__)
        return
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    path, wanted = sys.argv[1:]
    for name, steps in stages(path):
        if name == wanted:
            sys.stdout.write(script(steps))
            return
    raise SystemExit(f"{path}: there is no stage {wanted}")


main()
