"""create-targets.py PLUGIN FULL STRIPPED: creates targets through LLDB's API, in two
debuggers, and prints the number of locations that a breakpoint on `inner` has
immediately. FULL and STRIPPED are one program with and without its DWARF."""

import sys

import lldb

plugin, full, stripped = sys.argv[1:]
lldb.SBDebugger.Initialize()
debuggers = [lldb.SBDebugger.Create() for _ in range(2)]


def show(what, target):
    count = target.BreakpointCreateByName("inner").GetNumLocations()
    print(f"{what}: {count} place{'s' if count != 1 else ''}")


first, second = debuggers
show("first", first.CreateTarget(full))
second.HandleCommand(f'plugin load "{plugin}"')
show("second", second.CreateTarget(stripped))
second.HandleCommand(f'target create "{stripped}"')
show("second, by command", second.GetSelectedTarget())
second.HandleCommand("lidia remove")
show("removed", second.GetSelectedTarget())
for target in [second.GetTargetAtIndex(i) for i in range(second.GetNumTargets())]:
    second.DeleteTarget(target)
lldb.SBDebugger.MemoryPressureDetected()
show("created again", second.CreateTarget(stripped))
second.HandleCommand("lidia auto on")
show("switched on", second.GetSelectedTarget())
lldb.SBDebugger.Terminate()
