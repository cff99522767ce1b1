#!/usr/bin/env python3
"""Sends profiles through a collector of OpenTelemetry, llvm-lidia serve --forward, and
another collector, and compares what arrives with what was sent.

    try-collector.py [--llvm-lidia FILE] [--requests N] [--rate N] --store STORE
                     OTELCOL PROFILE

OTELCOL is a collector with the receiver otlp and the exporter otlphttp, such as that of
OpenTelemetry's releases, PROFILE a file in OTLP's binary form, and STORE the store that
has its archives. Values, stacks, labels
and times of samples must arrive as they were sent; a collector numbers its tables
anew, so they are compared as text (the first ten). With --rate, this many requests are sent
each second. Prints what arrived, and the time and memory of the server between the
collectors. The exit status is 1 if samples are different, or if no location was named.
"""

import argparse
import gzip
import http.client
import http.server
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PATH = "/v1development/profiles"
CONFIG = """
receivers: {{otlp: {{protocols: {{http: {{endpoint: "127.0.0.1:{here}"}}}}}}}}
exporters: {{otlphttp: {{profiles_endpoint: "{there}"}}}}
service:
  telemetry: {{metrics: {{level: none}}}}
  pipelines: {{profiles: {{receivers: [otlp], exporters: [otlphttp]}}}}
"""


class Sink(http.server.BaseHTTPRequestHandler):
    """The server at the end."""
    got = []

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers["Content-Encoding"] == "gzip":
            body = gzip.decompress(body)
        Sink.got.append(body)
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", "0")
        self.end_headers()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port):
    for _ in range(300):
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
    sys.exit(f"nothing listens at port {port}")


class Chain:
    """Programs that end with this object."""

    def __init__(self):
        self.programs = []

    def start(self, *command, **options):
        program = subprocess.Popen(command, **options)
        self.programs.append(program)
        return program

    def collector(self, otelcol, to):
        port = free_port()
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
            file.write(CONFIG.format(here=port, there=to))
        self.start(otelcol, "--config=" + file.name,
                   "--feature-gates=service.profilesSupport", stderr=subprocess.DEVNULL)
        wait_for(port)
        os.remove(file.name)
        return port

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for program in self.programs:
            program.send_signal(signal.SIGTERM)
        for program in self.programs:
            program.wait(60)


def as_text(llvm_lidia, message):
    """The samples and stacks of MESSAGE."""
    with tempfile.NamedTemporaryFile(suffix=".otlp") as file:
        file.write(message)
        file.flush()
        return subprocess.run([llvm_lidia, "profile", "-q", "--no-cache", file.name],
                              check=True, stdout=subprocess.PIPE, text=True).stdout


def samples(text):
    """The lines of samples: values and labels."""
    return sorted(re.findall(r"^\S.*$", text, re.M))


def frames(text):
    """The lines of frames with names."""
    return re.findall(r"^    (?!0x)\S.* (?:at|in) .*$", text, re.M)


def send(port, body, count, rate):
    """Sends BODY COUNT times, RATE times a second. Returns the seconds that it took."""
    begin = time.time()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for number in range(count):
        if rate:
            time.sleep(max(0, begin + number / rate - time.time()))
        connection.request("POST", PATH, body, {"Content-Type": "application/x-protobuf"})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            sys.exit(f"the first collector answers {answer.status}")
    return time.time() - begin


def cost(program):
    """The processor time and the peak memory of a running program, as text."""
    with open(f"/proc/{program.pid}/stat", encoding="ascii") as file:
        ticks = sum(map(int, file.read().rpartition(")")[2].split()[11:13]))
    with open(f"/proc/{program.pid}/status", encoding="ascii") as file:
        peak = int(re.search(r"VmHWM:\s+(\d+)", file.read())[1])
    return f"{ticks / os.sysconf('SC_CLK_TCK'):.2f} s of processor time, {peak / 1024:.0f} MiB"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--llvm-lidia", default="llvm-lidia")
    parser.add_argument("--requests", type=int, default=1)
    parser.add_argument("--rate", type=float, default=0)
    parser.add_argument("--store", required=True)
    parser.add_argument("otelcol")
    parser.add_argument("profile")
    args = parser.parse_args()
    sink = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sink)
    threading.Thread(target=sink.serve_forever, daemon=True).start()
    with open(args.profile, "rb") as file:
        sent = file.read()
    with Chain() as chain:
        behind = chain.collector(args.otelcol, f"http://127.0.0.1:{sink.server_port}{PATH}")
        here = free_port()
        server = chain.start(args.llvm_lidia, "serve", "--store=" + args.store,
                             f"--listen=127.0.0.1:{here}",
                             f"--forward=http://127.0.0.1:{behind}", stderr=subprocess.DEVNULL)
        wait_for(here)
        front = chain.collector(args.otelcol, f"http://127.0.0.1:{here}{PATH}")
        seconds = send(front, sent, args.requests, args.rate)
        for _ in range(300):
            if len(Sink.got) == args.requests:
                break
            time.sleep(0.1)
        print("the server used", cost(server))
    before = as_text(args.llvm_lidia, sent)
    arrived = [as_text(args.llvm_lidia, message) for message in Sink.got[:10]]
    same = sum(samples(text) == samples(before) for text in arrived)
    named = len(frames(arrived[0])) - len(frames(before)) if arrived else 0
    print(f"{args.requests} requests of {len(samples(before))} samples sent in {seconds:.1f} s, "
          f"{len(Sink.got)} arrived, {same} of {len(arrived)} with the same samples, "
          f"{named} frames more with names")
    return 0 if len(Sink.got) == args.requests and same == len(arrived) and named > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
