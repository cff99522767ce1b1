#!/usr/bin/env python3
"""with-upstream.py MODE FOLDER -- COMMAND...: runs the command, in which UPSTREAM
stands for the URL of a debuginfod server that has the files FOLDER/BUILDID/debuginfo
and .../executable. Then prints the requests to the server, sorted, each with its count.
MODE is the server's response for existing files:

  ok         sends them
  slow       sends them after a while
  wrong      sends FOLDER/wrong
  truncated  sends half of them
  endless    sends them, and then more, for as long as the client reads
  trickle    sends them and then a little more, again and again
  silent     sends nothing
  broken     answers 500
  picky      answers 500 if FOLDER/BUILDID/fail exists, nothing if .../hang does, and
             sends the others
  redirect   sends the client to the server's folder "elsewhere", which has them"""

import collections
import http.server
import os
import subprocess
import sys
import threading
import time

mode, folder = sys.argv[1:3]
command = sys.argv[4:]
requests = collections.Counter()
lock = threading.Lock()
ended = threading.Event()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, headers, body=b""):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        with lock:
            requests[self.path] += 1
        parts = self.path.removeprefix("/elsewhere").split("/")
        path = os.path.join(folder, *parts[2:])
        if mode == "picky":
            if os.path.exists(os.path.join(folder, parts[2], "fail")):
                return self.answer(500, {"Content-Length": 0})
            if os.path.exists(os.path.join(folder, parts[2], "hang")):
                ended.wait()
                return None
        if not os.path.isfile(path):
            return self.answer(404, {"Content-Length": 0})
        with open(os.path.join(folder, "wrong") if mode == "wrong" else path, "rb") as file:
            body = file.read()
        size = {"Content-Length": len(body)}
        if mode == "redirect" and not self.path.startswith("/elsewhere"):
            return self.answer(302, {"Location": "/elsewhere" + self.path,
                                     "Content-Length": 0})
        if mode == "broken":
            return self.answer(500, {"Content-Length": 0})
        if mode == "silent":
            ended.wait()
            return None
        if mode == "slow":
            time.sleep(1)
        if mode == "truncated":
            body = body[:len(body) // 2]
        if mode in ("endless", "trickle"):
            self.answer(200, {}, body)
            while not ended.wait(0.05 if mode == "trickle" else 0):
                self.wfile.write(b"\0" * (100 if mode == "trickle" else 65536))
            return None
        return self.answer(200, size, body)

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True


server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_address[1]}"
status = subprocess.run([word.replace("UPSTREAM", url) for word in command],
                        stdin=subprocess.DEVNULL).returncode
ended.set()
for path, count in sorted(requests.items()):
    print(f"upstream: {count} {path}")
sys.exit(status)
