#!/usr/bin/env python3
"""ask.py URL REQUESTS: sends the requests in the file, one after the other, and prints
the status, the headers in alphabetical order and the body of each answer.

A request is "METHOD PATH", lines "Name: value", and after a line "." the body in one
line, or "*N" for N bytes. Empty lines end it. "# ..." is printed. $NAME is a variable
of the environment."""

import http.client
import os
import sys
import urllib.parse

BORING = {"date", "connection", "keep-alive"}


def send(url, lines):
    method, path = lines[0].split(" ", 1)
    headers, body = {}, None
    for number, line in enumerate(lines[1:], 1):
        if line == ".":
            body = lines[number + 1]
            if body.startswith("*"):
                body = "x" * int(body[1:])
            break
        name, value = line.split(": ", 1)
        headers[name] = value
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    connection.request(method, path, body.encode() if body else None, headers)
    answer = connection.getresponse()
    text = answer.read()
    print(method, path, "->", answer.status)
    for name, value in sorted(answer.getheaders()):
        if name.lower() not in BORING:
            print(f"  {name}: {value}")
    print(text.decode("latin-1") if len(text) < 2000 else f"({len(text)} bytes)")
    connection.close()


def main():
    url = urllib.parse.urlsplit(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        text = os.path.expandvars(file.read())
    for block in text.split("\n\n"):
        lines = [line for line in block.strip("\n").split("\n") if line]
        if lines and lines[0].startswith("#"):
            print(lines.pop(0))
        if lines:
            send(url, lines)


main()
