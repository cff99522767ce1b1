#!/usr/bin/env python3
"""Debugs a program like an editor, through lldb-dap's protocol.

Usage: dap-session.py LLDB-DAP PLUGIN MODE PROGRAM FUNCTION PLACE [ARGUMENT [CALL [WORD...]]]

MODE is launch, restart (launch, and again after the first stop), walk (launch, and ask
everything that an editor can ask at each of some stops, with restarts), attach or core;
ARGUMENT is the process ID, the core file, or the number of stops. CALL is an expression
to evaluate at each stop of a walk, and WORD an argument of the program. PLACE is FILE:LINE or, without any
breakpoints, "none". The only configuration is the plugin, in initCommands. Prints
whether breakpoints are verified, and the stack of each stop.
"""

import json
import os
import subprocess
import sys


class Client:
    def __init__(self, program):
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        # What the adapter supports. LLDB 19's ends on "goto", with any program.
        self.abilities = {}
        # Messages for which nothing has waited yet.
        self.kept = []

    def read(self):
        length = 0
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit("lldb-dap has ended")
            if line == b"\r\n":
                break
            if line.startswith(b"Content-Length:"):
                length = int(line.split(b":")[1])
        message = json.loads(self.process.stdout.read(length))
        if message.get("event") == "output":
            print("output:", message["body"]["output"].rstrip())
        return message

    def wait(self, wanted):
        for message in self.kept:
            if wanted(message):
                self.kept.remove(message)
                return message
        while True:
            message = self.read()
            if wanted(message):
                return message
            self.kept.append(message)

    def send(self, command, **arguments):
        self.number += 1
        body = json.dumps({"seq": self.number, "type": "request", "command": command,
                           "arguments": arguments}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()
        return self.number

    def answer(self, number):
        message = self.wait(lambda m: m["type"] == "response"
                            and m["request_seq"] == number)
        if not message["success"]:
            print(message["command"], "failed:", message.get("message"))
        return message.get("body", {})

    def ask(self, command, **arguments):
        return self.answer(self.send(command, **arguments))

    def event(self, *names):
        return self.wait(lambda m: m.get("event") in names)


def print_breakpoints(what, answer):
    for point in answer["breakpoints"]:
        print(f"breakpoint by {what}: verified {point['verified']}"
              f" line {point.get('line')}")


def print_stack(client):
    """Prints the stack of the stopped thread, and returns the thread; none if the
    process has ended."""
    event = client.event("stopped", "exited", "terminated")
    if event["event"] != "stopped":
        print("no stop:", event["event"])
        return None
    thread = event["body"]["threadId"]
    # A core has no reason.
    print("stopped:", event["body"].get("reason", "core"))
    frames = client.ask("stackTrace", threadId=thread, levels=4)["stackFrames"]
    for frame in frames:
        file = os.path.basename(frame.get("source", {}).get("path", "?"))
        print(f"  {frame['name']} at {file}:{frame['line']}")
    return thread


def print_answers(client, thread, call):
    """Asks what an editor asks about the first frame, and prints some of it. Returns the
    step that follows."""
    frame = client.ask("stackTrace", threadId=thread, levels=20)["stackFrames"][0]
    targets = client.ask("stepInTargets", frameId=frame["id"]).get("targets", [])
    for scope in client.ask("scopes", frameId=frame["id"])["scopes"]:
        number = scope["variablesReference"]
        variables = client.ask("variables", variablesReference=number)["variables"]
        if scope["name"] != "Registers":
            print(f"{scope['name']}:", " ".join(v["name"] for v in variables))
    value = client.ask("evaluate", expression=call, frameId=frame["id"], context="watch")
    client.ask("disassemble", memoryReference=frame["instructionPointerReference"],
               instructionCount=16)
    source = frame.get("source", {})
    if client.abilities.get("supportsGotoTargetsRequest"):
        goto = client.ask("gotoTargets", source=source, line=frame["line"])["targets"]
        client.ask("goto", threadId=thread, targetId=goto[0]["id"])
        client.event("stopped")
    print(f"walked to {frame['name']} at {os.path.basename(source.get('path', '?'))}:"
          f"{frame['line']}, {call} = {value.get('result')}, step into:",
          " ".join(t["label"] for t in targets))
    return targets


# The stops of a walk after which it begins again.
BETWEEN_RESTARTS = 25


def step(client, thread, number, targets):
    """Goes on by one of an editor's steps. Returns the thread; none at the end."""
    if number % BETWEEN_RESTARTS == BETWEEN_RESTARTS - 1:
        print("restarting")
        client.ask("restart")
    elif targets and number % 2:
        target = targets[number // 2 % len(targets)]["id"]
        client.ask("stepIn", threadId=thread, targetId=target)
    else:
        kind = "stepOut" if number % 10 == 8 else "stepIn" if number % 4 else "next"
        client.ask(kind, threadId=thread)
    event = client.event("stopped", "exited", "terminated")
    return event["body"]["threadId"] if event["event"] == "stopped" else None


def walk(client, thread, stops, call):
    """Returns the number of the stops that were visited before the process ended."""
    for number in range(stops):
        targets = print_answers(client, thread, call)
        thread = step(client, thread, number, targets)
        if thread is None:
            print("ended")
            return number + 1
    return stops


def configure(client, request, function, place):
    """Sets breakpoints in the same order as editors."""
    client.event("initialized")
    if place == "none":
        client.ask("configurationDone")
        client.answer(request)
        return
    file, _, line = place.rpartition(":")
    print_breakpoints("line", client.ask(
        "setBreakpoints", source={"path": file}, breakpoints=[{"line": int(line)}]))
    print_breakpoints("name", client.ask(
        "setFunctionBreakpoints", breakpoints=[{"name": function}]))
    client.ask("configurationDone")
    client.answer(request)


def run(client, mode, program, function, place, argument=None, call="(int)1 + 1", *words):
    """Returns the stops that a walk has visited."""
    visited = 0
    client.abilities = client.ask(
        "initialize", adapterID="lldb-dap", linesStartAt1=True, columnsStartAt1=True,
        pathFormat="path")
    common = {
        "program": os.path.abspath(program),
        "initCommands": [
            "settings set symbols.enable-external-lookup false",
            f'plugin load "{sys.argv[2]}"',
        ],
    }
    if mode == "attach":
        # Editors may give only the process.
        del common["program"]
        request = client.send("attach", pid=int(argument), **common)
    elif mode == "core":
        request = client.send("attach", coreFile=os.path.abspath(argument), **common)
    else:
        request = client.send("launch", args=words, **common)
    configure(client, request, function, place)
    thread = print_stack(client)
    if mode == "restart":
        client.ask("restart")
        thread = print_stack(client)
    if mode == "walk" and thread is not None:
        visited = walk(client, thread, int(argument), call)
    elif thread is not None and mode != "core":
        client.ask("next", threadId=thread)
        print_stack(client)
    client.ask("disconnect", terminateDebuggee=mode != "attach")
    client.process.stdin.close()
    # After the end of a program lldb-dap 19 may abort when it exits, with DWARF, too.
    client.process.wait()
    return visited


def main():
    _, dap, _, mode, *rest = sys.argv
    visited = run(Client(dap), mode, *rest)
    if mode != "walk":
        return
    # The process may end before all stops are visited.
    program, function, place, stops, *more = rest
    while visited < int(stops):
        visited += run(Client(dap), mode, program, function, place,
                       int(stops) - visited, *more) or sys.exit("no stops")
    print(visited, "stops")


main()
