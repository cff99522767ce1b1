#!/usr/bin/env python3
"""Changes lines of sources, one at a time, and tells which changes no test notices.

    utils/mutate.py [OPTION...] --program PROGRAM SOURCE... -- COMMAND...

All changes are compiled at once: each is one of two branches, and the environment variable
LIDIA_MUTANT chooses the one change that a run has. So a change costs a run of the tests,
and no build. The sources and the build do not change: PROGRAM, a target of the build, is
linked again with the changed objects. COMMAND is a line for the shell, in which {} is the
folder with the linked programs; a mutant survives if COMMAND succeeds. Changes that do not
compile are left out. Prints a row for each source, and the survivors:

    utils/mutate.py --program LidiaUnwindTests lib/Unwind/Unwinder.cpp \\
        -- {}/LidiaUnwindTests

Only what fits on a line is changed: statements, conditions, and the values of variables. A
survivor is either a line that no test checks or a change without a difference, such as
another bound of a loop that ends earlier anyway. LIDIA_MUTANT=N with the programs of
--keep=FOLDER runs the change N again.
"""

import argparse
import concurrent.futures
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile

# Pairs of operators, each of which replaces the other.
SWAPPED = [("<=", "<"), (">=", ">"), ("==", "!="), ("&&", "||"), (" + ", " - "),
           ("+= ", "-= "), ("std::min", "std::max"), (" true", " false"),
           (" << ", " >> "), (" & ", " | "), ("++", "--")]
# Lines after which no expression continues.
COMPLETE = re.compile(r"(^|[;{}:]|\)|\belse|\bdo)$")
DECLARATION = re.compile(r"^(?:const )?auto &{0,2}\[|"
                         r"^(?:const |auto |unsigned )?[\w:]+(?:<[^;=]*>)?\s+[*&]*(?:const )?\w+"
                         r"\s*(?:[;{(\[,]|=(?!=))")
NO_STATEMENT = re.compile(r"^(using|namespace|typedef|friend|template|static|constexpr|break|"
                          r"continue|goto|case|default|public|private|protected|struct|class|"
                          r"enum|extern|if|for|while|switch|else|do|\}|#|//)\b|^[}#/]")
# What is before and after an expression that a mutant changes, on one line.
EXPRESSIONS = [
    re.compile(r"^(\s*(?:\} else |else )?(?:if|while) \()(?P<code>.*)(\)(?: \{)?)$"),
    re.compile(r"^(\s*for \([^;]*; )(?P<code>[^;]+)(; [^;]*\)(?: \{)?)$"),
    re.compile(r"^(.* \{ return )(?P<code>[^;{}]+)(; \}[;),]*)$"),
    re.compile(r"^((?!\s*(?:static|constexpr|using|return|for|if)\b)[\w:<>,*& ]+\s[*&]?\w+ = )"
               r"(?P<code>[^;{}]+)(;)$"),
]
SELECTOR = ("#include <cstdlib>\nstatic const long LidiaMutant = [] { const char *V = "
            "::getenv(\"LIDIA_MUTANT\"); return V ? ::atol(V) : 0L; }();\n#line 1\n")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="the folder of the build")
    parser.add_argument("--program", action="append", required=True, metavar="TARGET",
                        help="what COMMAND runs; may be repeated")
    parser.add_argument("--count", type=int, default=1000, help="mutants of each source")
    parser.add_argument("--seed", type=int, default=1, help="chooses the mutants")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--timeout", type=float, default=120,
                        help="seconds after which COMMAND counts as failed")
    parser.add_argument("--as-built", action="store_true", help="do not build first")
    parser.add_argument("--only", type=int, nargs="+", metavar="N", help="try these mutants")
    parser.add_argument("--keep", metavar="FOLDER", help="where to leave the programs")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parser.add_argument("sources", nargs="+")
    arguments = parser.parse_args(sys.argv[1:split])
    arguments.command = " ".join(sys.argv[split + 1:])
    if not arguments.command:
        parser.error("a command is missing after --")
    return arguments


# Changes of a line


def changes_of(code):
    """The changed forms of an expression or a statement. Texts in quotes stay."""
    found = []
    end = code.find('"') if '"' in code else len(code)
    for pair in SWAPPED:
        for old, new in (pair, pair[::-1]):
            for match in re.finditer(re.escape(old), code[:end]):
                before, after = code[:match.start()], code[match.end():]
                # Neither a part of a longer operator nor a bracket of a template.
                if old in "<>" and not (before.endswith(" ") and after.startswith(" ")):
                    continue
                if old == " & " and re.search(r"(auto|const \w+|[A-Z]\w*)$", before):
                    continue
                found.append(before + new + after)
    for match in re.finditer(r"(?<![\w.'])([0-9]+)(?![\w.'])", code[:end]):
        found.append(code[:match.start()] + str(int(match.group(1)) + 1) + code[match.end():])
    return [text for text in found if text != code]


def is_balanced(code):
    return all(code.count(pair[0]) == code.count(pair[1]) for pair in ("()", "[]", "{}"))


def mutants_of_line(line, before):
    """(the changed code, the line with a %d that has both) of each change of a line. The
    code before it ends in BEFORE."""
    if "//" in line or '"' in line and "'" in line:
        return []
    for form in EXPRESSIONS:
        match = form.match(line)
        if not match or not is_balanced(match.group("code")):
            continue
        code = match.group("code")
        is_condition = form in EXPRESSIONS[:2]
        if is_condition and DECLARATION.match(code):
            return []
        changed = changes_of(code) + (["!(%s)" % code] if form is EXPRESSIONS[0] else [])
        head, tail = line[:match.start("code")], line[match.end("code"):]
        choice = "(LidiaMutant == %%d ? bool(%s) : bool(%s))" if is_condition else \
            "LidiaMutant == %%d ? (%s) : (%s)"
        return [(text, (head + choice.replace("%%d", "\0") % (text, code) + tail))
                for text in changed]
    code = line.strip()
    if not code.endswith(";") or not is_balanced(code) or not COMPLETE.search(before) or \
            NO_STATEMENT.match(code) or code.startswith("return;"):
        return []
    is_return = code.startswith("return ")
    if not is_return and DECLARATION.match(code):
        return []
    changed = changes_of(code) + ([] if is_return else [";"])
    return [(text, "{ if (LidiaMutant == \0) { %s } else { %s } }" % (text, code))
            for text in changed]


class Mutant:
    """One change of a source. Of the possible ones of its line, the next is used if the
    last did not compile."""

    def __init__(self, path, index, line, forms):
        self.path, self.index, self.line, self.forms = path, index, line, forms
        self.number = 0

    def text(self):
        return self.forms[0][1].replace("\0", str(self.number))

    def __str__(self):
        return "%d %s:%d\n  %s\n  %s" % (self.number, self.path, self.index + 1,
                                         self.line.strip(), self.forms[0][0].strip())


def choose(path, lines, arguments):
    """The mutants of a source, one for each line."""
    generator = random.Random(arguments.seed)
    found = []
    before = ""
    for index, line in enumerate(lines):
        forms = mutants_of_line(line, before)
        generator.shuffle(forms)
        if forms and index != len(lines) - 1:
            found.append(Mutant(path, index, line, forms))
        code = line.split("//")[0].strip()
        before = code or before
    generator.shuffle(found)
    return sorted(found[:arguments.count], key=lambda m: m.index)


# Building


def run(command, timeout=None, **environment):
    """(the exit status, what was printed) of a command and its children; the status is
    None after a timeout."""
    with subprocess.Popen(command, shell=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True, text=True,
                          errors="replace", env={**os.environ, **environment}) as process:
        try:
            output, _ = process.communicate(timeout=timeout)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, ""


def commands_of(build, target):
    """The commands that ninja would run for a target, the last one last."""
    status, output = run("ninja -C %s -t commands %s" % (shlex.quote(build), target))
    if status != 0:
        sys.exit("ninja knows no target %s:\n%s" % (target, output))
    return [line for line in output.split("\n") if line and not line.startswith("ninja: ")]


def compile_command(commands, path, changed, out):
    """The command that compiles the source PATH, with other files."""
    full = os.path.abspath(path)
    for command in commands:
        words = shlex.split(command)
        if "-c" in words and words[words.index("-c") + 1] == full:
            words[words.index("-c") + 1] = changed
            words[words.index("-o") + 1] = out
            for option, values in (("-MF", 1), ("-MT", 1), ("-MD", 0)):
                if option in words:
                    at = words.index(option)
                    del words[at:at + 1 + values]
            return shlex.join(words + ["-w", "-O1", "-I", os.path.dirname(full)])
    sys.exit("no program is made of %s, or it is compiled together with others" % path)


def compile_mutants(commands, path, arguments, folder):
    """The mutants of a source that compile; their object is in the folder."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    mutants = choose(path, lines, arguments)
    changed = os.path.join(folder, path.replace("/", "+"))
    command = compile_command(commands, path, changed, changed + ".o")
    # A change of a line may be an error in a later one.
    for _ in range(20):
        for number, mutant in enumerate(mutants, 1):
            mutant.number = mutant.number or number
        text = list(lines)
        for mutant in mutants:
            text[mutant.index] = mutant.text()
        with open(changed, "w", encoding="utf-8") as file:
            file.write(SELECTOR + "\n".join(text))
        status, output = run("cd %s && %s" % (shlex.quote(arguments.build), command))
        if status == 0:
            return mutants
        broken = {int(n) - 1 for n in re.findall(r"%s:(\d+):\d+: (?:fatal )?error"
                                                 % re.escape(changed), output)}
        for mutant in mutants:
            if mutant.index in broken:
                mutant.forms.pop(0)
        left = [m for m in mutants if m.forms]
        if not broken & {m.index for m in mutants}:
            sys.exit("%s does not compile:\n%s" % (path, output[:3000]))
        mutants = left
    sys.exit("too many changes of %s do not compile" % path)


def link(target, objects, arguments, folder):
    """Links a target of the build with other objects, which take precedence over those in
    libraries."""
    command = commands_of(arguments.build, target)[-1]
    words = re.findall(r"\S+", command)
    at = words.index("-o")
    words[at + 1] = shlex.quote(os.path.join(folder, os.path.basename(words[at + 1])))
    words[at + 2:at + 2] = [shlex.quote(path) for path in objects]
    status, output = run("cd %s && %s" % (shlex.quote(arguments.build), " ".join(words)))
    if status != 0:
        sys.exit("%s cannot be linked:\n%s" % (target, output[:3000]))


# Trying


def try_mutants(mutants, arguments, folder):
    """The survivors."""
    command = arguments.command.replace("{}", shlex.quote(folder))

    def survives(mutant):
        status, _ = run(command, arguments.timeout, LIDIA_MUTANT=str(mutant.number))
        return status == 0

    survivors = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for done, (mutant, survived) in enumerate(zip(mutants, pool.map(survives, mutants)), 1):
            if survived:
                survivors.append(mutant)
                print("survives: %s" % mutant, file=sys.stderr, flush=True)
            if done % 20 == 0:
                print("%s: %d of %d" % (mutant.path, done, len(mutants)), file=sys.stderr,
                      flush=True)
    return survivors


def try_source(path, arguments, folder):
    """Prints the row of one source. Returns the survivors."""
    commands = [command for target in arguments.program
                for command in commands_of(arguments.build, target)]
    mutants = compile_mutants(commands, path, arguments, folder)
    for target in arguments.program:
        link(target, [os.path.join(folder, path.replace("/", "+") + ".o")], arguments, folder)
    if arguments.only:
        mutants = [m for m in mutants if m.number in arguments.only]
    status, output = run(arguments.command.replace("{}", shlex.quote(folder)), 600)
    if status != 0:
        sys.exit("the unchanged sources do not pass:\n%s" % output[-3000:])
    survivors = try_mutants(mutants, arguments, folder)
    caught = len(mutants) - len(survivors)
    print("| `%s` | %d | %d (%.0f %%) |" % (path, len(mutants), caught,
                                          100 * caught / max(1, len(mutants))), flush=True)
    return survivors


def main():
    arguments = parse_arguments()
    targets = " ".join(arguments.program)
    if not arguments.as_built:
        status, output = run("ninja -C %s %s" % (shlex.quote(arguments.build), targets))
        if status != 0:
            sys.exit("%s cannot be built:\n%s" % (targets, output[-3000:]))
    print("| source | mutants | caught |\n| --- | ---: | ---: |")
    survivors = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or scratch
        os.makedirs(folder, exist_ok=True)
        for path in arguments.sources:
            survivors += try_source(path, arguments, os.path.abspath(folder))
    for survivor in survivors:
        print(survivor)


main()
