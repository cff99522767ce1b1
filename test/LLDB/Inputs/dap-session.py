#!/usr/bin/env python3
"""Debugs a program like an editor, through lldb-dap's protocol.

Usage: dap-session.py LLDB-DAP PLUGIN MODE PROGRAM FUNCTION PLACE [ARGUMENT]

MODE is launch, restart (launch, and again after the first stop), attach or core;
ARGUMENT is the process ID or the core file. PLACE is FILE:LINE or, without any
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


def run(client, mode, program, function, place, argument):
    client.ask("initialize", adapterID="lldb-dap", linesStartAt1=True,
               columnsStartAt1=True, pathFormat="path")
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
        request = client.send("launch", **common)
    configure(client, request, function, place)
    thread = print_stack(client)
    if mode == "restart":
        client.ask("restart")
        thread = print_stack(client)
    if thread is not None and mode != "core":
        client.ask("next", threadId=thread)
        print_stack(client)
    client.ask("disconnect", terminateDebuggee=mode != "attach")
    client.process.stdin.close()
    client.process.wait()


def main():
    _, dap, _, mode, program, function, place, *rest = sys.argv
    run(Client(dap), mode, program, function, place, rest[0] if rest else None)


main()
