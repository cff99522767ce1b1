"""auto-session.py PLUGIN PROGRAM LIBRARY: a session through LLDB's Python module,
without commands after the target is created. PROGRAM loads LIBRARY."""

import sys

import lldb

plugin, program, library = sys.argv[1:]
lldb.SBDebugger.Initialize()
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)


def run(command):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    assert result.Succeeded(), result.GetError()


def place(address):
    line = address.line_entry
    return f"{address.function.name} at {line.file.basename}:{line.line}"


run(f'plugin load "{plugin}"')
run("settings set symbols.enable-external-lookup false")
run(f'target create "{program}"')
target = debugger.GetSelectedTarget()
print(place(target.FindFunctions("main")[0].function.addr))
target.BreakpointCreateByName("apply")
process = target.LaunchSimple([library], None, ".")
frames = [frame for frame in process.GetThreadAtIndex(0) if not frame.IsInlined()]
print("stopped in", place(frames[0].addr))
print("called by", place(frames[1].addr))
process.Kill()
lldb.SBDebugger.Terminate()
