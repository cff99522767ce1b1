#!/usr/bin/env python3
"""Runs a command, in which URL stands for a file of 64 GiB that has a seek table with
1,600,000 frames, and zeros for the frames. Prints whether the command used little
memory.

    claim-frames.py COMMAND..."""

import http.server
import re
import resource
import struct
import subprocess
import sys
import threading

SIZE, FRAMES, UNPACKED = 64 << 30, 1_600_000, 4 << 20
TABLE = 8 + 12 * FRAMES + 9
START = SIZE - TABLE


def seek_table():
    each = START // FRAMES
    first = START - each * (FRAMES - 1)
    return (struct.pack("<II", 0x184D2A5E, TABLE - 8)
            + struct.pack("<III", first, UNPACKED, 0)
            + struct.pack("<III", each, UNPACKED, 0) * (FRAMES - 1)
            + struct.pack("<IBI", FRAMES, 0x80, 0x8F92EAB1))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    table = seek_table()

    def log_message(self, *args):
        pass

    def do_GET(self):
        first, last = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)",
                                            self.headers["Range"]).groups())
        end = min(last + 1, SIZE)
        body = bytes(max(0, min(end, START) - first))
        if end > START:
            body += self.table[max(first - START, 0):end - START]
        if first == 0:
            body = b"\x28\xb5\x2f\xfd" + body[4:]
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{end - 1}/{SIZE}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main(command):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/x"
    subprocess.run([a.replace("URL", url) for a in command], timeout=100)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # KiB
    print("below 100 MB:", peak < 100 * 1000)


if __name__ == "__main__":
    main(sys.argv[1:])
