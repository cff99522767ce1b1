#!/usr/bin/env python3
"""Runs a command while a debuginfod server runs, which DEBUGINFOD_URLS names.

    with-server.py [--cache=DIR] [--timeout=SECONDS] [--log=FILE] SERVER [ARG] -- COMMAND...

SERVER is one of

    real FOLDER   elfutils' debuginfod, serving the files in FOLDER
    tree FOLDER   Python's web server, with the files in FOLDER
    file FILE     answers every request with FILE
    cut FILE      promises FILE and stops half-way
    slow          accepts requests and never answers
    drip          sends a byte now and then
    steady FILE   sends a tenth of FILE every 0.3 seconds
    redirect FILE redirects to another path, which has FILE
    escape FILE   redirects to FILE, as a URL of this machine's file
    locked FILE   sends FILE for requests with the header "X-Key: open sesame"
    missing       answers every request with status 404
    broken        answers every request with status 500
    closed        nobody listens
    endless       sends zeros, up to ENDLESS bytes, without announcing the size
    two FILE      "broken" and then "file"
    endless-two FILE   "endless" and then "file"

Everything runs in a separate network namespace that has only the loopback interface,
because debuginfod listens on every interface. The FILE of --log gets a line for each
request.
"""

import fcntl
import http.server
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

LIMIT = 60
ENDLESS = 100 << 20


def loopback_up():
    SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        request = struct.pack("16sH14s", b"lo", 0, b"")
        flags = struct.unpack("16sH14s",
                              fcntl.ioctl(s, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(s, SIOCSIFFLAGS,
                    struct.pack("16sH14s", b"lo", flags | IFF_UP, b""))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def make_handler(kind, argument, content, log):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            if log:
                with open(log, "a", encoding="utf-8") as file:
                    file.write(self.path + "\n")
            if kind == "missing":
                self.send_error(404)
            elif kind == "locked" and self.headers["X-Key"] != "open sesame":
                self.send_error(401)
            elif kind == "redirect" and not self.path.startswith("/there"):
                self.send_response(302)
                self.send_header("Location", "/there" + self.path)
                self.end_headers()
            elif kind == "escape":
                self.send_response(302)
                self.send_header("Location", "file://" + argument)
                self.end_headers()
            elif kind == "slow":
                time.sleep(LIMIT)
            elif kind == "broken":
                self.send_error(500)
            elif kind == "endless":
                self.send_response(200)
                self.end_headers()
                for _ in range(ENDLESS >> 20):
                    self.wfile.write(bytes(1 << 20))
            else:
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.send_body()

        def send_body(self):
            if kind == "drip":
                for byte in content:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    time.sleep(0.2)
            elif kind == "steady":
                piece = len(content) // 10 + 1
                for start in range(0, len(content), piece):
                    self.wfile.write(content[start:start + piece])
                    self.wfile.flush()
                    time.sleep(0.3)
            elif kind == "cut":
                self.wfile.write(content[:len(content) // 2])
            else:
                self.wfile.write(content)

        def log_message(self, *args):
            pass

    return Handler


class QuietServer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # a client that hangs up, as it should


def serve_tree(folder):
    """Starts the server. Returns its URL."""
    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=folder)

        def log_message(self, *args):
            pass

    server = QuietServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def serve(kind, argument, log=None):
    """Starts a server. Returns its URL."""
    content = b"x" * 1000
    if argument:
        with open(argument, "rb") as f:
            content = f.read()
    server = QuietServer(("127.0.0.1", 0), make_handler(kind, argument, content, log))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def start_debuginfod(folder, scratch):
    """Starts debuginfod. Returns the process and its URL after it has scanned FOLDER."""
    port = free_port()
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith("DEBUGINFOD")}
    log = open(os.path.join(scratch, "log"), "w")
    process = subprocess.Popen(
        ["debuginfod", "-d", ":memory:", "-p", str(port), "-F", folder],
        env=environment, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"
    end = time.time() + LIMIT / 2
    while time.time() < end:
        try:
            with urllib.request.urlopen(url + "/metrics", timeout=5) as answer:
                if "thread_work_total{role=\"traverse\"} 1" in \
                        answer.read().decode():
                    time.sleep(0.5)
                    return process, url
        except OSError:
            pass
        time.sleep(0.1)
    process.kill()
    sys.exit("debuginfod did not start")


def main(arguments):
    if os.environ.get("LIDIA_IN_NAMESPACE") != "1":
        os.environ["LIDIA_IN_NAMESPACE"] = "1"
        os.execvp("unshare", ["unshare", "-rn", sys.executable, *sys.argv])
    loopback_up()
    split = arguments.index("--")
    mine, command = arguments[:split], arguments[split + 1:]
    options = dict(a[2:].split("=", 1) for a in mine if a.startswith("--"))
    kind, argument = ([a for a in mine if not a.startswith("--")] + [None])[:2]

    with tempfile.TemporaryDirectory() as scratch:
        process = None
        if kind == "real":
            process, url = start_debuginfod(argument, scratch)
        elif kind == "tree":
            url = serve_tree(argument)
        elif kind == "closed":
            url = f"http://127.0.0.1:{free_port()}"
        elif kind == "two":
            url = serve("broken", None) + " " + serve("file", argument)
        elif kind == "endless-two":
            url = serve("endless", None) + " " + serve("file", argument)
        else:
            url = serve(kind, argument, options.get("log"))
        environment = dict(os.environ, DEBUGINFOD_URLS=url,
                           DEBUGINFOD_TIMEOUT=options.get("timeout", "10"))
        environment["DEBUGINFOD_CACHE_PATH"] = options.get("cache", scratch)
        try:
            return subprocess.run(command, env=environment,
                                  timeout=LIMIT).returncode
        finally:
            if process:
                process.kill()
                process.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
