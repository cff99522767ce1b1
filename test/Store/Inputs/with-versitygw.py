#!/usr/bin/env python3
"""Runs a command while versitygw, an S3 server, serves the folders in a folder.

    with-versitygw.py [--log=FILE] [--fault=FAULT] [--uploads] [--limit=SECONDS]
                      FOLDER -- COMMAND...

Each folder in FOLDER is a bucket. COMMAND gets the server's address and the keys in the
variables AWS_*, unless they are set. FILE gets a line for each request. FAULT is the
server's fault, see s3_faults.py. With --uploads, the server accepts multipart uploads,
as pyarrow makes them. COMMAND is stopped after 100 seconds, or after SECONDS."""

import os
import socket
import subprocess
import sys
import tempfile
import time

import s3_faults

LIMIT = 100


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port, server):
    """Waits until the server accepts connections."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit("versitygw does not start")


def main(arguments):
    split = arguments.index("--")
    mine, command = arguments[:split], arguments[split + 1:]
    options = dict(a[2:].partition("=")[::2] for a in mine if a.startswith("--"))
    folder, = [a for a in mine if not a.startswith("--")]
    port = free_port()
    keys = {"AWS_ACCESS_KEY_ID": "an-id", "AWS_SECRET_ACCESS_KEY": "a-secret",
            "AWS_REGION": "us-east-1"}
    with tempfile.TemporaryDirectory() as attributes, open(
            options.get("log", os.devnull), "wb") as log, subprocess.Popen(
            ["versitygw", "--port", f"127.0.0.1:{port}", "--access",
             keys["AWS_ACCESS_KEY_ID"], "--secret", keys["AWS_SECRET_ACCESS_KEY"],
             "--region", keys["AWS_REGION"], "posix",
             # Not every file system has extended attributes.
             *(["--sidecar", attributes] if "uploads" in options else ["--nometa"]),
             folder],
            stdout=log, stderr=log) as server:
        try:
            wait_for(port, server)
            if "fault" in options:
                port = s3_faults.serve(options["fault"], port)
            return subprocess.run(
                command, timeout=int(options.get("limit", LIMIT)),
                env={**keys, **os.environ, "no_proxy": "127.0.0.1",
                     "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}"}).returncode
        finally:
            server.terminate()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
