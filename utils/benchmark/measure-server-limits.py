#!/usr/bin/env python3
"""Measures the memory that llvm-lidia serve uses, and the cost of a slow bucket.

    measure-server-limits.py connections [--count=10000]
    measure-server-limits.py build-ids [--count=10000] BINARY
    measure-server-limits.py bucket BINARY...

connections: clients that connect and send nothing, while another client sends requests.
Needs as many open files here and in the server (ulimit -n). build-ids: copies of BINARY
(a small binary with a build ID), each with its own build ID, are looked up in a store.
Shows memory with several values of --max-modules. bucket: a store of BINARY and 100
copies of a small binary (--small) in versitygw, an S3 server, behind a proxy that adds
0, 5, 50 and 150 ms to each round trip. Shows the times of the first and the second
request for the debug file and for frames."""

import argparse
import contextlib
import http.client
import json
import os
import queue
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
COPIES = os.path.join(ROOT, "test", "Store", "Inputs", "many-binaries.py")


@contextlib.contextmanager
def serving(tool, store, *options, **environment):
    server = subprocess.Popen(
        [tool, "serve", f"--store={store}", "--listen=127.0.0.1:0", *options],
        stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
    line = server.stderr.readline()
    while line and ": serving " not in line:
        sys.stderr.write(line)
        line = server.stderr.readline()
    if not line:
        sys.exit("the server does not start")
    try:
        yield server, int(line.strip().rsplit(":", 1)[1])
    finally:
        server.terminate()
        server.wait()


def memory(server, name="VmRSS"):
    """The value of NAME in MB."""
    with open(f"/proc/{server.pid}/status", encoding="utf-8") as status:
        return int(re.search(name + r":\s+(\d+)", status.read())[1]) / 1024


def ask(port, path, body=None):
    """The status, the body, and the time in milliseconds."""
    started = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request("POST" if body else "GET", path, body)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, text, (time.perf_counter() - started) * 1000


def make_store(tool, folder, binary, count):
    """Makes a store of copies. Returns their build IDs."""
    copies, store = os.path.join(folder, "copies"), os.path.join(folder, "store")
    os.mkdir(copies)
    subprocess.run([sys.executable, COPIES, binary, copies, str(count)], check=True)
    subprocess.run([tool, "store", "add", "-q", store, copies], check=True)
    shutil.rmtree(copies)
    return store, [(b"%020d" % i).hex() for i in range(count)]


def frames_body(build_ids, address):
    return json.dumps({"modules": [{"build_id": build_id, "addresses": [address]}
                                   for build_id in build_ids]})


def connections(tool, options):
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        store, build_ids = make_store(tool, folder, options.small, 1)
        with serving(tool, store, f"--max-connections={options.count + 100}",
                     "--idle-timeout=600", f"--cache-dir={folder}/cache") as (server, port):
            body = frames_body(build_ids, options.address)
            ask(port, "/v1/frames", body)
            before, idle = memory(server), []
            alone = sorted(ask(port, "/v1/frames", body)[2] for _ in range(200))
            for _ in range(options.count):
                idle.append(socket.create_connection(("127.0.0.1", port), timeout=60))
            crowded = sorted(ask(port, "/v1/frames", body)[2] for _ in range(200))
            status = ask(port, "/v1/frames", body)[0]
            print(f"{len(idle)} idle connections: {before:.1f} MB before, "
                  f"{memory(server):.1f} MB with them, status {status}; median of a request "
                  f"{alone[100]:.2f} ms before, {crowded[100]:.2f} ms with them (p99 "
                  f"{alone[197]:.2f} and {crowded[197]:.2f} ms)")


def build_ids(tool, options):
    with tempfile.TemporaryDirectory() as folder:
        store, ids = make_store(tool, folder, options.binary[0], options.count)
        for modules in (64, 256, 1024, options.count):
            with serving(tool, store, f"--max-modules={modules}",
                         f"--cache-dir={folder}/cache") as (server, port):
                before, found = memory(server), 0
                for start in range(0, len(ids), 100):
                    answer = json.loads(ask(port, "/v1/frames", frames_body(
                        ids[start:start + 100], options.address))[1])
                    found += sum(module["found"] for module in answer["modules"])
                print(f"--max-modules={modules}: {found} build IDs, {before:.1f} MB before, "
                      f"{memory(server):.1f} MB after, {memory(server, 'VmHWM'):.1f} MB at most")


def relay(source, target, delay):
    """Forwards data, each piece after DELAY seconds."""
    pieces = queue.Queue()

    def send():
        with contextlib.suppress(OSError):
            while piece := pieces.get():
                time.sleep(max(0, piece[0] - time.monotonic()))
                target.sendall(piece[1])
            target.shutdown(socket.SHUT_WR)

    threading.Thread(target=send, daemon=True).start()
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            pieces.put((time.monotonic() + delay, data))
    pieces.put(None)


def start_proxy(port, milliseconds):
    """Starts a proxy that adds MILLISECONDS to each round trip, including connecting.
    Returns its port."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    half = milliseconds / 2000

    def connect(client):
        for end in (client, server := socket.create_connection(("127.0.0.1", port))):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        time.sleep(2 * half)
        threading.Thread(target=relay, args=(server, client, half), daemon=True).start()
        relay(client, server, half)

    def accept():
        while True:
            threading.Thread(target=connect, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


@contextlib.contextmanager
def bucket(tool, folder):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [os.path.join(os.path.dirname(tool), "versitygw"), "--port", f"127.0.0.1:{port}",
         "--access", "an-id", "--secret", "a-secret", "--region", "us-east-1", "posix",
         "--nometa", folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while True:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            time.sleep(0.1)
        yield port
    finally:
        server.terminate()
        server.wait()


def bucket_latency(tool, options):
    with tempfile.TemporaryDirectory() as folder:
        store, ids = make_store(tool, folder, options.small, 100)
        subprocess.run([tool, "store", "add", "-q", store, *options.binary], check=True)
        os.mkdir(os.path.join(folder, "buckets"))
        os.rename(store, os.path.join(folder, "buckets", "symbols"))
        notes = subprocess.run(["readelf", "-n", options.binary[0]], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, check=True).stdout
        large = re.search(r"Build ID: (\w+)", notes)[1]
        with bucket(tool, os.path.join(folder, "buckets")) as port:
            for milliseconds in (0, 5, 50, 150):
                proxy = start_proxy(port, milliseconds)
                ask_bucket(tool, options, proxy, large, ids, milliseconds, folder)


def ask_bucket(tool, options, proxy, large, ids, milliseconds, folder):
    keys = {"AWS_ACCESS_KEY_ID": "an-id", "AWS_SECRET_ACCESS_KEY": "a-secret",
            "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy}"}
    body = frames_body(ids, options.address)
    one = f"/v1/frames?build_id={large}&address={options.large_address}"
    for what, path, data in (("/debuginfo", f"/buildid/{large}/debuginfo", None),
                             ("/v1/frames, 100 build IDs", "/v1/frames", body),
                             ("/v1/frames, the large one", one, None)):
        with serving(tool, "s3://symbols", f"--cache-dir={folder}/cache-{proxy}-{what[-1]}",
                     **keys) as (_, port):
            answers = [ask(port, path, data) for _ in range(2)]
        print(f"{milliseconds} ms, {what}: {answers[0][2]:.1f} ms, again {answers[1][2]:.1f} ms "
              f"(status {answers[0][0]}, {len(answers[0][1])} bytes)", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["connections", "build-ids", "bucket"])
    parser.add_argument("binary", nargs="*")
    parser.add_argument("--llvm-lidia", default="build/bin/llvm-lidia")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--small", default=os.path.join(
        ROOT, "test", "Inputs", "inline-gcc-O2-dwarf5.elf"))
    parser.add_argument("--address", default="0x400170", help="to look up in small binaries")
    parser.add_argument("--large-address", default="0x1000")
    options = parser.parse_intermixed_args()
    tool = os.path.abspath(options.llvm_lidia)
    if options.what != "connections" and not options.binary:
        parser.error("expected a binary")
    {"connections": connections, "build-ids": build_ids,
     "bucket": bucket_latency}[options.what](tool, options)


main()
