"""Runs in LLDB (command script import): prints what LLDB shows for the variables
of the frames at many stops of a program, a line of JSON for each frame.

The environment says what to do: LIDIA_PROGRAM, LIDIA_ARGUMENTS (a JSON list),
LIDIA_COMMAND (a command of LLDB to give after the target is made), LIDIA_STOPS
(a file of addresses, in hexadecimal), LIDIA_MOST (the most stops) and
LIDIA_OUTPUT (a file).
"""
import json
import os

import lldb

# Frames of one stop, and what is shown of one value.
MOST_FRAMES = 6
MOST_DEPTH = 3
MOST_CHILDREN = 12


def describe(value, depth):
    """The parts of a value as LLDB has them."""
    parts = [value.GetTypeName(), value.GetValue(), value.GetSummary()]
    if value.GetError().Fail():
        parts = [value.GetTypeName(), "unavailable"]
    if depth and value.MightHaveChildren() and not value.TypeIsPointerType():
        # A container that is not initialized may claim any number of elements.
        count = min(value.GetNumChildren(MOST_CHILDREN), MOST_CHILDREN)
        children = [value.GetChildAtIndex(i) for i in range(count)]
        parts.append([[c.GetName()] + describe(c, depth - 1) for c in children])
    return parts


def frame_record(frame):
    values = frame.GetVariables(True, True, False, True)
    return {
        "pc": frame.GetPC(),
        "function": frame.GetFunctionName(),
        "inlined": frame.IsInlined(),
        "values": [[v.GetName()] + describe(v, MOST_DEPTH) for v in values],
    }


def run():
    debugger = lldb.debugger
    debugger.SetAsync(False)
    # The environment is on the stack, and moves it.
    debugger.HandleCommand("settings set target.inherit-env false")
    # Dynamic types need the symbols of vtables, which a stripped program lacks.
    debugger.HandleCommand(
        "settings set target.prefer-dynamic-value no-dynamic-values"
    )
    target = debugger.CreateTarget(os.environ["LIDIA_PROGRAM"])
    if os.environ.get("LIDIA_COMMAND"):
        debugger.HandleCommand(os.environ["LIDIA_COMMAND"])
    module = target.GetModuleAtIndex(0)
    with open(os.environ["LIDIA_STOPS"]) as file:
        addresses = [int(line, 16) for line in file]
    breakpoints = {}
    for address in addresses:
        where = module.ResolveFileAddress(address)
        breakpoint = target.BreakpointCreateBySBAddress(where)
        breakpoint.SetOneShot(True)
        breakpoints[breakpoint.GetID()] = address
    arguments = json.loads(os.environ.get("LIDIA_ARGUMENTS", "[]"))
    process = target.LaunchSimple(arguments, None, os.getcwd())
    most = int(os.environ.get("LIDIA_MOST", "300"))
    with open(os.environ["LIDIA_OUTPUT"], "w") as out:
        for stop in range(most):
            if process.GetState() != lldb.eStateStopped:
                break
            thread = process.GetSelectedThread()
            for index in range(min(thread.GetNumFrames(), MOST_FRAMES)):
                frame = thread.GetFrameAtIndex(index)
                record = {"stop": stop, "frame": index}
                record.update(frame_record(frame))
                out.write(json.dumps(record) + "\n")
                out.flush()
            process.Continue()
    process.Kill()


def __lldb_init_module(debugger, _):
    run()
