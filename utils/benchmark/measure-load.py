#!/usr/bin/env python3
"""Puts a server under load while what it depends on fails, and checks every answer.

    measure-load.py [--seconds=3600] [--readers=200] [--rate=100] ...

The store is a bucket (s3_folder.py) of small archives that fails for a part of each minute:
it answers 503 in one, and not at all in the next. The upstream server takes connections and
says nothing. Readers ask for frames, debug files, logs and unknown build IDs; binaries are
uploaded; the server is restarted each ten minutes (SIGTERM), and clients ask again until it
answers. Another process asks for /healthz and /metrics. All of it is on loopback, each part
in a process of its own.

An answer is right if it is what the server said before the load, or says that the client
should ask later (503, 504). Prints a summary as JSON; the exit status is 1 if an answer was
wrong, an upload that was answered is not there at the end, memory exceeded its bound, the
server did not stop with 0, or a probe took longer than --max-probe while the server ran."""

import argparse
import asyncio
import collections
import contextlib
import hashlib
import json
import multiprocessing
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

import large_store
import s3_folder

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BINARY = os.path.join(ROOT, "test", "Inputs", "inline-gcc-O2-dwarf5.elf")
ADDRESS = "0x400170"
TOKEN = "a-token-of-the-load-test"
KEYS = {"AWS_ACCESS_KEY_ID": "an-id", "AWS_SECRET_ACCESS_KEY": "a-secret",
        "AWS_REGION": "us-east-1"}
LATER = (503, 504)
# Uploads have numbers that the store does not have, and unknown build IDs others.
FIRST_UPLOAD, FIRST_UNKNOWN = 10 ** 7, 10 ** 8
MEGABYTE = 1 << 20


# What the server depends on.


class FailingHandler(s3_folder.Handler):
    def handle_one_request(self):
        self.raw_requestline = self.rfile.readline(65537)
        if not self.raw_requestline or not self.parse_request():
            self.close_connection = True
            return
        failure = self.server.failure()
        if failure is None:
            getattr(self, "do_" + self.command)()
        elif failure:
            self.answer(503)
            self.close_connection = True
        else:
            time.sleep(self.server.fail_for)
            self.close_connection = True
        with contextlib.suppress(OSError):
            self.wfile.flush()


class FailingBucket(s3_folder.Bucket):
    def __init__(self, folder, started, options):
        super().__init__(folder, 0, FailingHandler)
        self.started, self.each = started, options.fail_each
        self.fail_for = options.fail_for

    def failure(self):
        """None, or whether it answers."""
        number, second = divmod(time.time() - self.started, self.each)
        # The last part of the period.
        return number % 2 == 0 if second > self.each - self.fail_for else None


def serve_bucket(folder, started, options, ports):
    with FailingBucket(folder, started, options) as bucket:
        ports.put(bucket.server_port)
        bucket.serve_forever()


def serve_nothing(ports):
    """An upstream server that says nothing."""
    kept = []
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
        ports.put(listener.getsockname()[1])
        while True:
            kept = kept[-1000:] + [listener.accept()[0]]


# Clients.


def ask(url, path, body=None, method=None):
    request = urllib.request.Request(url + path, body, method=method,
                                     headers={"Authorization": "Bearer " + TOKEN})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def request_for(kind, identifier):
    """The path and the body."""
    digits = identifier.hex()
    if kind == "debuginfo":
        return f"/buildid/{digits}/debuginfo", None
    if kind == "log":
        log = f"    #0 0x7f0000000170  (/usr/bin/program+0x170) (BuildId: {digits})\n"
        return "/v1/symbolize?output=text", log.encode() * 20
    return f"/v1/frames?build_id={digits}&address={ADDRESS}", None


def digest(identifier, body):
    """The same for all build IDs."""
    body = body.replace(identifier, b"ID").replace(identifier.hex().encode(), b"ID")
    return hashlib.sha1(body).hexdigest()


class Readers:
    """Many clients in one process."""

    def __init__(self, port, expected, options, until):
        self.port, self.expected, self.until = port, expected, until
        self.pause = options.readers / options.rate
        self.count, self.archives = options.readers, options.archives
        self.results, self.wrong, self.unknown = collections.Counter(), [], FIRST_UNKNOWN

    async def exchange(self, stream, kind, identifier):
        """The status and the body."""
        reader, writer = stream
        path, body = request_for(kind, identifier)
        head = f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nHost: localhost\r\n"
        if body:
            head += f"Content-Length: {len(body)}\r\n"
        writer.write(head.encode() + b"\r\n" + (body or b""))
        answer = await reader.readuntil(b"\r\n\r\n")
        size = int(re.search(rb"(?i)content-length: (\d+)", answer)[1])
        return int(answer.split()[1]), await reader.readexactly(size)

    def judge(self, kind, identifier, status, body):
        self.results[f"{kind} {status}"] += 1
        if status in LATER:
            return
        if kind == "unknown":
            right = status == 404 or (status == 200 and not json.loads(body)["modules"][0]["found"])
        else:
            right = status == 200 and digest(identifier, body) == self.expected[kind]
        if not right:
            self.wrong.append([kind, identifier.hex(), status, body[:300].decode("latin1")])

    async def read(self, number):
        generator, stream = random.Random(number), None
        await asyncio.sleep(generator.random() * self.pause)
        while time.time() < self.until:
            kind = generator.choices(["frames", "debuginfo", "log", "unknown"],
                                     [80, 10, 9, 1])[0]
            which = generator.randrange(self.archives)
            if kind == "unknown":
                which = self.unknown = self.unknown + 1
            identifier = large_store.build_id(which)
            try:
                stream = stream or await asyncio.open_connection("127.0.0.1", self.port)
                self.judge(kind, identifier, *await asyncio.wait_for(
                    self.exchange(stream, kind, identifier), 120))
            except (OSError, asyncio.IncompleteReadError):
                # The server restarts, or closes an idle connection.
                self.results["connection ended"] += 1
                if stream:
                    stream[1].close()
                stream = None
            except asyncio.TimeoutError:
                self.wrong.append([kind, identifier.hex(), "no answer in 120 s"])
                stream[1].close()
                stream = None
            await asyncio.sleep(self.pause * (0.5 + generator.random()))

    async def run(self):
        await asyncio.gather(*(self.read(i) for i in range(self.count)))


def read_all(port, expected, options, until, results):
    readers = Readers(port, expected, options, until)
    asyncio.run(readers.run())
    results.put((dict(readers.results), readers.wrong))


def probe(url, until, results):
    """Times of probes; those that no server answers are counted only."""
    with contextlib.suppress(OSError):
        # What is measured is the server, not how long this process waits for a processor.
        os.nice(-10)
    times, refused, most_bodies, late = [], 0, 0, []
    while time.time() < until:
        for path in ("/healthz", "/metrics"):
            started = time.perf_counter()
            try:
                with urllib.request.urlopen(url + path, timeout=60) as answer:
                    text = answer.read().decode()
            except OSError:
                refused += 1
                continue
            taken = (time.perf_counter() - started) * 1000
            times.append(taken)
            if taken > 50:
                late.append([round(time.time(), 1), path, round(taken, 1)])
            if path == "/metrics":
                most_bodies = max(most_bodies, int(re.search(
                    r"^lidia_body_memory_bytes (\d+)", text, re.M)[1]))
        time.sleep(0.25)
    results.put((sorted(times), refused, most_bodies, late))


# The server.


class Server:
    def __init__(self, command, environment, log):
        self.command, self.environment, self.log = command, environment, log
        self.statuses, self.stops, self.peak = [], [], 0
        self.running = None

    def start(self):
        self.process = subprocess.Popen(self.command, stderr=self.log,
                                        env={**os.environ, **self.environment})
        self.running = self.process

    def stop(self):
        started, self.running = time.monotonic(), None
        self.process.send_signal(signal.SIGTERM)
        self.statuses.append(self.process.wait())
        self.stops.append(round(time.monotonic() - started, 1))

    def note_memory(self):
        with contextlib.suppress(OSError, TypeError, AttributeError):
            with open(f"/proc/{self.running.pid}/status", encoding="utf-8") as status:
                size = int(re.search(r"RssAnon:\s+(\d+)", status.read())[1]) * 1024
            self.peak = max(self.peak, size)


def wait_until_ready(url):
    for _ in range(1200):
        with contextlib.suppress(OSError):
            if ask(url, "/healthz")[0] == 200:
                return
        time.sleep(0.05)
    sys.exit("the server does not start")


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def copy_of(content, at, number):
    """A binary and its build ID."""
    identifier = large_store.build_id(number)
    return content[:at] + identifier + content[at + 20:], identifier


def upload(url, until, pause, uploaded, results):
    """Uploads until then, each until it is answered."""
    with open(BINARY, "rb") as file:
        content = file.read()
    at = content.index(b"\x14\0\0\0\x03\0\0\0GNU\0") + 12
    number = FIRST_UPLOAD
    while time.time() < until:
        binary, identifier = copy_of(content, at, number)
        with contextlib.suppress(OSError):
            status, body = ask(url, f"/buildid/{identifier.hex()}", binary, "PUT")
            results[f"upload {status}"] += 1
            if status in (200, 201):
                uploaded.append(identifier)
                number += 1
            elif status not in LATER:
                results["wrong upload: " + body[:200].decode("latin1")] += 1
        time.sleep(pause)


def missing_uploads(url, uploaded):
    missing = []
    for identifier in uploaded:
        status, body = ask(url, request_for("frames", identifier)[0])
        if status != 200 or not json.loads(body)["modules"][0]["found"]:
            missing.append(identifier.hex())
    return missing


class LoadTest:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.tool = os.path.abspath(options.llvm_lidia)
        self.store = os.path.join(folder, "store")
        self.port, self.processes = free_port(), []
        self.url = f"http://127.0.0.1:{self.port}"

    def spawn(self, target, *arguments):
        process = multiprocessing.Process(target=target, args=arguments, daemon=True)
        process.start()
        self.processes.append(process)
        return process

    def prepare(self):
        o, queue = self.options, multiprocessing.Queue()
        large_store.fill(self.tool, BINARY, self.store, range(o.archives))
        with open(self.folder + "/token", "w", encoding="utf-8") as file:
            file.write(TOKEN + "\n")
        # The first failure is late in the first period.
        self.spawn(serve_bucket, self.store, time.time(), o, queue)
        bucket = queue.get(timeout=60)
        self.spawn(serve_nothing, queue)
        upstream = queue.get(timeout=60)
        command = [self.tool, "serve", "--store=s3://bucket", f"--listen=127.0.0.1:{self.port}",
                   f"--write-token={self.folder}/token", f"--cache-dir={self.folder}/cache",
                   f"--upstream=http://127.0.0.1:{upstream}", "--upstream-first-byte=10",
                   f"--max-bodies={o.max_bodies}m", f"--max-text={o.max_text}m",
                   f"--max-modules={max(1, o.archives // 4)}", "--max-of-address=1000",
                   "--recheck=10", "--record-use=0"]
        return Server(command, KEYS | {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{bucket}"},
                      open(self.folder + "/log", "w", encoding="utf-8"))

    def run(self):
        o, results = self.options, collections.Counter()
        server, uploaded = self.prepare(), []
        server.start()
        wait_until_ready(self.url)
        known = large_store.build_id(0)
        expected = {kind: digest(known, ask(self.url, *request_for(kind, known))[1])
                    for kind in ("frames", "debuginfo", "log")}
        server.note_memory()
        before, server.peak, started = server.peak, 0, time.time()
        until = started + o.seconds
        reads, probes = multiprocessing.Queue(), multiprocessing.Queue()
        self.spawn(read_all, self.port, expected, o, until, reads)
        self.spawn(probe, self.url, until, probes)
        uploads = threading.Thread(target=upload, args=(
            self.url, until, o.upload_pause, uploaded, results))
        uploads.start()
        self.restart_until(server, until)
        uploads.join()
        read, wrong = reads.get(timeout=300)
        times, refused, bodies, late = probes.get(timeout=60)
        lost = self.lost_uploads(server, uploaded)
        bound = before + (o.max_bodies + o.max_text + o.other_memory) * MEGABYTE
        results.update(read)
        return {"seconds": round(time.time() - started), "readers": o.readers,
                "answers": dict(sorted(results.items())), "wrong": wrong,
                "wrong_uploads": sum(n for k, n in results.items() if k.startswith("wrong")),
                "uploads": len(uploaded), "lost_uploads": lost,
                "restarts": len(server.statuses) - 1, "stop_seconds": server.stops,
                "stop_statuses": server.statuses,
                "probes": len(times), "probes_refused": refused,
                "probe_ms": {"p50": times[len(times) // 2], "p99": times[len(times) * 99 // 100],
                             "max": times[-1]}, "late_probes": late[:20],
                "body_memory_mb": bodies / MEGABYTE, "memory_mb": server.peak / MEGABYTE,
                "memory_bound_mb": bound / MEGABYTE}

    def restart_until(self, server, until):
        next_restart = time.time() + self.options.restart_each
        while time.time() < until:
            time.sleep(0.5)
            server.note_memory()
            if time.time() > next_restart:
                server.stop()
                server.start()
                next_restart += self.options.restart_each

    def lost_uploads(self, server, uploaded):
        """Asks a server without upstream, of a folder: no failure is in between."""
        server.stop()
        server.command = [self.tool, "serve", f"--store={self.store}",
                          f"--listen=127.0.0.1:{self.port}", "--record-use=0",
                          f"--cache-dir={self.folder}/cache"]
        server.start()
        wait_until_ready(self.url)
        lost = missing_uploads(self.url, uploaded)
        server.stop()
        return lost


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    number = {"type": float, "metavar": "N"}
    parser.add_argument("--llvm-lidia", default="build/bin/llvm-lidia")
    parser.add_argument("--seconds", default=3600, **number)
    parser.add_argument("--readers", type=int, default=200, metavar="N")
    parser.add_argument("--rate", default=100, help="requests a second of all readers", **number)
    parser.add_argument("--archives", type=int, default=400, metavar="N")
    parser.add_argument("--upload-pause", default=2, help="seconds", **number)
    parser.add_argument("--restart-each", default=600, help="seconds", **number)
    parser.add_argument("--fail-each", default=60, help="seconds", **number)
    parser.add_argument("--fail-for", default=5, help="seconds", **number)
    parser.add_argument("--max-bodies", type=int, default=64, metavar="MB")
    parser.add_argument("--max-text", type=int, default=64, metavar="MB")
    parser.add_argument("--other-memory", type=int, default=128, metavar="MB",
                        help="for threads, connections and open archives")
    parser.add_argument("--max-probe", default=100, help="milliseconds", **number)
    parser.add_argument("--work", help="an empty folder that is kept")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = options.work or stack.enter_context(tempfile.TemporaryDirectory())
        test = LoadTest(options, folder)
        try:
            summary = test.run()
        finally:
            for process in test.processes:
                process.terminate()
    print(json.dumps(summary, indent=1))
    return bool(summary["wrong"] or summary["wrong_uploads"] or summary["lost_uploads"] or
                any(summary["stop_statuses"]) or
                summary["probe_ms"]["max"] > options.max_probe or
                summary["memory_mb"] > summary["memory_bound_mb"])


if __name__ == "__main__":
    sys.exit(main())
