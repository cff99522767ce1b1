"""session.py PLUGIN PROGRAM ARCHIVE: a session through LLDB's Python module."""

import shlex
import sys

import lldb

plugin, program, archive = sys.argv[1:]
lldb.SBDebugger.Initialize()
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
interpreter = debugger.GetCommandInterpreter()


def run(command):
    result = lldb.SBCommandReturnObject()
    interpreter.HandleCommand(command, result)
    sys.stdout.write((result.GetOutput() or "") + (result.GetError() or ""))
    sys.stdout.flush()
    return result.Succeeded()


print("loaded:", run("plugin load " + shlex.quote(plugin)))
target = debugger.CreateTarget(program)
run("target symbols add " + shlex.quote(archive))
print("added none:", run("lidia add none.lidia"))
print("added:", run("lidia add " + shlex.quote(archive)))
function = target.FindFunctions("chain")[0].function
line = function.addr.line_entry
print(function.name, line.file.basename, line.line)
matches = lldb.SBStringList()
interpreter.HandleCompletion("lidia ", 6, 0, -1, matches)
found = [matches.GetStringAtIndex(i).strip() for i in range(matches.GetSize())]
print("completions:", *sorted(name for name in found if name))
lldb.SBDebugger.Terminate()
