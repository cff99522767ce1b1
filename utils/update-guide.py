#!/usr/bin/env python3
"""Writes what the help says into the pages of the command guide.

    update-guide.py [--llvm-lidia PROGRAM] [--guide FOLDER] [--check]

A page has these parts, each of which ends with a line "<!-- end -->":

    <!-- usage: COMMAND... -->      how the commands are called
    <!-- options: COMMAND... -->    the options that the page does not explain itself
    <!-- commands -->               all commands, each with a link to its page

An option that a page about several commands explains (lidia-*.md) is only named, with a
link to that page. With --check nothing is written: the differences are printed, and the
exit status is 1 if there are any, or if a page explains an option that its commands lack.
"""

import argparse
import difflib
import glob
import os
import re
import subprocess
import sys
import textwrap

PART = re.compile(r"(<!-- (usage|options|commands)(?:: ([^>]*))? -->\n).*?(<!-- end -->)", re.S)
# A term of a definition list, and so the options that a page explains.
TERM = re.compile(r"^(\*\*-.*)\n: ", re.M)
EVERYWHERE = {"--help", "-h", "--version"}


class Option:
    def __init__(self, name):
        self.names = [name]
        self.value = ""
        self.text = ""

    def term(self):
        value = re.sub(r"<([^<>]+)>", r"*\1*", self.value)
        return ", ".join(f"**{name}**" for name in self.names) + value


class Help:
    def __init__(self, program):
        self.program = program
        self.texts = {}

    def of(self, *command):
        if command not in self.texts:
            self.texts[command] = subprocess.run(
                [self.program, "help", *command], check=True, stdout=subprocess.PIPE,
                text=True).stdout
        return self.texts[command]

    def commands(self):
        """(name, summary) of each command."""
        return re.findall(r"^  (\w+) +(.*)$", self.of(), re.M)

    def usage(self, command):
        return re.search(r"^USAGE: (.*)$", self.of(command), re.M).group(1)

    def options(self, command):
        """The options by name, without other spellings of the same ("-e <file>")."""
        rows = []
        for line in self.of(command).split("\n"):
            start = re.match(r"  (--?[\w-]+)(\[?=\S+| <\S+>)?(?: +(\S.*))?$", line)
            if start:
                rows.append([start.group(1), start.group(2) or "", start.group(3) or ""])
            elif line.startswith("   ") and rows:
                rows[-1][2] += " " + line.strip()
        result = {}
        aliases = []
        for name, value, text in rows:
            text = text.strip()
            alias = re.match(r"Alias for (--[\w-]+)", text)
            if alias:
                aliases.append((name, value, alias.group(1)))
                continue
            option = result.setdefault(name, Option(name))
            if value.startswith("=") and not option.value:
                option.value = value
                option.text = text
            option.text = option.text or text
        for name, value, other in aliases:
            # "-demangle=true" and the like are there for old scripts.
            if other in result and value not in ("=true", "=false") and \
                    name not in result[other].names:
                result[other].names.insert(0, name)
        return result


def explained(text):
    """The names of the options that a page explains by itself."""
    names = set()
    for term in TERM.findall(PART.sub("", text)):
        names.update(re.findall(r"\*\*(--?[\w-]+)\*\*", term))
    return names


def markdown(text):
    """A line of the help as Markdown: what is in angle brackets is a placeholder."""
    text = re.sub(r"(\S*<[^<>]+>\S*)", lambda m: f"`{m.group(1)}`" if re.search(
        r"[=/:]", m.group(1)) else re.sub(r"<([^<>]+)>", r"*\1*", m.group(1)), text)
    return text + ("" if text.endswith(".") else ".")


def fill(words, first="", rest=""):
    return textwrap.fill(words, 88, initial_indent=first, subsequent_indent=rest,
                         break_long_words=False, break_on_hyphens=False) + "\n"


class Guide:
    def __init__(self, folder, program):
        self.help = Help(program)
        self.pages = {}
        for path in sorted(glob.glob(os.path.join(folder, "*.md"))):
            with open(path, encoding="utf-8") as file:
                self.pages[path] = file.read()
        self.shared = {os.path.basename(p)[:-3]: explained(t)
                       for p, t in self.pages.items()
                       if not os.path.basename(p).startswith("llvm-")}

    def commands_of(self, text):
        return [c for _, kind, names, _ in PART.findall(text) if kind == "options"
                for c in names.split()]

    def commands_part(self):
        pages = {c: os.path.basename(p)[:-3] for p, t in self.pages.items()
                 for c in self.commands_of(t)}
        rows = "".join(f"| [{name}]({pages[name]}.md) | {summary} |\n"
                       for name, summary in self.help.commands())
        return "| command | |\n| --- | --- |\n" + rows

    def usage_part(self, commands):
        return "\n" + "".join(f"    {self.help.usage(c)}\n" for c in commands) + "\n"

    def options_part(self, commands, text):
        own = explained(text)
        elsewhere = {}
        result = "\n"
        seen = set()
        for command in commands:
            for name, option in self.help.options(command).items():
                if name in seen or own.union(EVERYWHERE).intersection(option.names):
                    continue
                seen.add(name)
                page = next((p for p, n in self.shared.items()
                             if n.intersection(option.names)), None)
                if page:
                    elsewhere.setdefault(page, []).append(option.term())
                else:
                    result += option.term() + "\n" + fill(markdown(option.text), ": ", "  ") + "\n"
        for page, terms in sorted(elsewhere.items()):
            result += fill(f"[{page}]({page}.md) explains " + ", ".join(terms) + ".") + "\n"
        return "\n## Other options\n" + result if result.strip() else ""

    def updated(self, text):
        def part(match):
            kind, commands = match.group(2), (match.group(3) or "").split()
            new = self.commands_part() if kind == "commands" else \
                self.usage_part(commands) if kind == "usage" else \
                self.options_part(commands, text)
            return match.group(1) + new + match.group(4)

        return PART.sub(part, text)

    def wrong(self, text):
        """The options that a page explains and its commands do not have."""
        commands = self.commands_of(text)
        if not commands:
            return set()
        known = set(EVERYWHERE)
        for command in commands:
            known.update(re.findall(r"(?<![\w-])--?[a-zA-Z0][\w-]*", self.help.of(command)))
        return explained(text) - known


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llvm-lidia", default=os.path.join(root, "build/bin/llvm-lidia"))
    parser.add_argument("--guide", default=os.path.join(root, "docs", "CommandGuide"))
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    guide = Guide(args.guide, args.llvm_lidia)
    status = 0
    for path, text in guide.pages.items():
        new = guide.updated(text)
        for name in sorted(guide.wrong(text)):
            print(f"{path}: explains {name}, which its commands do not have")
            status = 1
        if new == text:
            continue
        if args.check:
            status = 1
            sys.stdout.writelines(difflib.unified_diff(
                text.splitlines(True), new.splitlines(True), path, "update-guide.py"))
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
    return status


if __name__ == "__main__":
    sys.exit(main())
