#!/usr/bin/env python3
"""Types command lines into an interactive shell and completes them with Tab.

usage: type-in-shell.py bash|zsh FOLDER LINE...

FOLDER contains the completion scripts, or is "installed" for those that the shell finds
itself. Prints each LINE, in brackets, as it is after Tab was pressed at its end: a
space at the end shows that the word is complete. The shell reads none of the user's
files.
"""

import os
import pty
import re
import sys
import time

shell, folder, *lines = sys.argv[1:]
# A special key prints the line and clears it.
setup = {
    "bash": r"""[ "$FOLDER" = installed ] || source "$FOLDER/llvm-lidia.bash"
[ "$FOLDER" != installed ] || source /usr/share/bash-completion/bash_completion
show() { printf 'LINE[%s]\n' "$READLINE_LINE"; READLINE_LINE=; }
bind -x '"\C-g": show'
bind 'set bell-style none' 'set enable-bracketed-paste off'
bind 'set show-all-if-ambiguous off'
PS1=
""",
    "zsh": r"""fpath=("$FOLDER" $fpath)
autoload -Uz compinit && compinit -u -D
show() { print -r -- "LINE[$BUFFER]"; BUFFER= }
zle -N show
bindkey '^G' show
unsetopt beep zle_bracketed_paste 2>/dev/null
unset zle_bracketed_paste
PS1=
""",
}[shell]
arguments = {"bash": ["bash", "--norc", "--noprofile", "-i"],
             "zsh": ["zsh", "-f", "-i"]}[shell]
process, terminal = pty.fork()
if process == 0:
    os.environ.update(FOLDER=folder, TERM="dumb", HISTFILE="")
    os.execvp(arguments[0], arguments)
os.set_blocking(terminal, False)


def read_until(pattern):
    """Reads the shell's output until it matches PATTERN."""
    printed, last = "", time.monotonic() + 120
    while not (match := re.search(pattern, printed, re.DOTALL)):
        if time.monotonic() > last:
            sys.exit(f"{shell} printed {printed!r}, and no {pattern!r}")
        try:
            printed += os.read(terminal, 65536).decode(errors="replace")
        except BlockingIOError:
            time.sleep(0.01)
    return match


def type_in(text):
    os.write(terminal, text.encode())


for line in setup.splitlines():
    type_in(line + "\n")
# The shell echoes typed text, but not the sum.
type_in("echo ready$((20 + 3))\n")
read_until("ready23")
for line in lines:
    type_in(line + "\t\a")
    print("[" + read_until(r"LINE\[([^\r\n]*)\]\r?\n")[1] + "]", flush=True)
os.kill(process, 9)
os.waitpid(process, 0)
