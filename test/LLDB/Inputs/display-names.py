"""Prints the functions of a program that have no display name, and how many functions
there are.

Usage: display-names.py PLUGIN PROGRAM"""

import sys

import lldb

debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
debugger.HandleCommand(f'plugin load "{sys.argv[1]}"')
module = debugger.CreateTarget(sys.argv[2]).GetModuleAtIndex(0)
functions = {}
for section in module.section_iter():
    for part in [section, *section]:
        start = part.GetFileAddress()
        for address in range(start, start + part.GetByteSize(), 4):
            function = module.ResolveFileAddress(address).GetFunction()
            if function.IsValid():
                functions[function.GetStartAddress().GetFileAddress()] = function
for function in functions.values():
    if not function.GetDisplayName():
        print("no display name:", function.GetName())
print(len(functions), "functions")
