#!/usr/bin/env python3
"""forward-profiles.py: sends profiles of OpenTelemetry to llvm-lidia serve --forward=, whose
store is the folder "store", and prints what the server behind got. INPUTS in the
environment is the folder with main.otlp."""

import gzip
import http.client
import http.server
import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.parse

PATH = "/v1development/profiles"
PROTOBUF = "application/x-protobuf"


class Behind(http.server.BaseHTTPRequestHandler):
    """The server behind: keeps what it gets, and answers with `status`."""
    got = []
    status = 200

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Behind.got.append((self.path, self.headers, body))
        self.send_response(Behind.status)
        answer = b"\x12\x05hello"
        self.send_header("Content-Type", PROTOBUF)
        self.send_header("Content-Length", str(len(answer)))
        if Behind.status in (429, 503):
            self.send_header("Retry-After", "7")
        if Behind.status == 302:
            self.send_header("Location", "/elsewhere")
        self.end_headers()
        self.wfile.write(answer)


def listen(port=0):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Behind)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Serve:
    """llvm-lidia serve, until the end of the with statement."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            ["llvm-lidia", "serve", "--store=store", "--listen=127.0.0.1:0", *options],
            stderr=subprocess.PIPE, text=True)
        found = None
        while not found:
            line = self.process.stderr.readline()
            if not line:
                sys.exit("the server did not start")
            found = re.search(r": serving .* at (\S+)$", line.strip())
        self.url = urllib.parse.urlsplit(found[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.log = self.process.communicate(timeout=60)[1]
        assert self.process.returncode == 0

    def ask(self, method, path, body=None, headers={}):
        connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=60)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer, text

    def post(self, body, kind=PROTOBUF, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask("POST", PATH, body, {"Content-Type": kind, **headers})


def as_json(message):
    """The message as protobuf's JSON, by llvm-lidia."""
    with open("message.otlp", "wb") as file:
        file.write(message)
    return json.loads(subprocess.run(
        ["llvm-lidia", "profile", "-q", "--no-cache", "message.otlp", "--format=otlp-json"],
        check=True, stdout=subprocess.PIPE).stdout)


def read(name):
    with open(os.path.join(os.environ["INPUTS"], name), "rb") as file:
        return file.read()


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def without_dictionary(data):
    """The fields of ProfilesData other than the tables."""
    rest, at = [], 0
    while at != len(data):
        tag, after = varint(data, at)
        size, after = varint(data, after)
        if tag >> 3 != 2:
            rest.append(data[at:after + size])
        at = after + size
    return rest


def check_names(server):
    message, text = read("main.otlp"), read("main.otlp.json")
    answer, body = server.post(message, X_Scope_OrgID="tenant", Authorization="Basic abc")
    second = server.post(text, "application/json")[0]
    third = server.post(gzip.compress(message), Content_Encoding="gzip")[0]
    print(f"binary: {answer.status}, json: {second.status}, gzip: {third.status}")
    (path, headers, named), (_, _, named_json), (_, packed_headers, packed) = Behind.got
    assert path == PATH and packed_headers["Content-Encoding"] == "gzip"
    tree = as_json(named)
    print("the same message three times:",
          gzip.decompress(packed) == named and tree == json.loads(named_json))
    print("samples and unknown fields are as before:",
          without_dictionary(named) == without_dictionary(message)
          and b"\x9a\x06\x04kept" in named and b"\xf8\x3f\x07" in named)
    tables = tree["dictionary"]
    line = next(location for location in tables["locationTable"]
                if location.get("address") == str(0x20018c))["lines"][0]
    function = tables["functionTable"][line["functionIndex"]]
    strings = tables["stringTable"]
    print(strings[function["nameStrindex"]], "inlined at",
          strings[function["filenameStrindex"]] + ":" + line["line"])
    print("headers:", *(f"{name}={headers[name]}"
                        for name in ("content-type", "x-scope-orgid", "authorization")))
    print("answer:", body, answer.headers["Content-Type"])
    return named


def check_unchanged(server, named):
    message = read("main.otlp")
    other = message.replace(b"324553affe6364f7347d3807579ba10fe664ac68",
                            b"324553affe6364f7347d3807579ba10fe664ac69")
    no_addresses = b"".join(without_dictionary(message)) + b"\x12\x02\x2a\x00"
    bomb = gzip.compress(bytes(80 << 20))
    packed = gzip.compress(message)
    damaged = packed[:100] + bytes(20) + packed[120:]
    for what, body, headers in [
            ("named before", named, {}), ("no addresses", no_addresses, {}),
            ("empty", b"\x12\x00", {}), ("unknown build ID", other, {}),
            ("damaged", message[:-3], {}),
            ("damaged gzip", damaged, {"Content_Encoding": "gzip"}),
            ("gzip bomb", bomb, {"Content_Encoding": "gzip"}),
            ("another coding", message, {"Content_Encoding": "zstd"}),
            ("JSON with unknown names", b'{"dictionary": {"newTable": []}}',
             {"kind": "application/json"}),
            ("not JSON", b"{", {"kind": "application/json"})]:
        Behind.got.clear()
        status = server.post(body, **headers)[0].status
        got = [sent for _, _, sent in Behind.got]
        print(f"{what}:", status, "unchanged" if got == [body] else f"CHANGED {got!r:.300}")


def check_failures(server, behind):
    message = read("main.otlp")
    for status in (500, 503, 429, 302, 403, 413):
        Behind.got.clear()
        Behind.status = status
        answer = server.post(message)[0]
        more = ", the last unchanged" if len(Behind.got) == 2 and Behind.got[1][2] == message else ""
        print(f"status {status}: {answer.status} Retry-After {answer.headers['Retry-After']}, "
              f"sent {len(Behind.got)}{more}")
    Behind.status = 200
    port = behind.server_port
    behind.shutdown()
    behind.server_close()
    Behind.got.clear()
    answer = server.post(message)[0]
    print(f"closed: {answer.status} Retry-After {answer.headers['Retry-After']}")
    behind = listen(port)
    server.post(b"\x12\x00")
    print("nothing came later:", [sent for _, _, sent in Behind.got] == [b"\x12\x00"])
    return behind


def check_refusals(server):
    print("text/plain:", server.post(b"", "text/plain")[0].status)
    print("GET:", server.ask("GET", PATH)[0].status)
    print("from another page:", server.post(b"", Origin="http://other.example")[0].status)


def check_metrics(server):
    text = server.ask("GET", "/metrics")[1].decode()
    lines = [line for line in text.splitlines()
             if re.match("lidia_(profile|forwards)", line)]
    total = sum(int(line.split()[1]) for line in lines
                if re.match("lidia_profile_(locations|misses)_total", line))
    for line in lines:
        if line.startswith("lidia_profiles"):
            print(line)
    # main.otlp has six locations; it was named three times, and taken once more with names,
    # and once with another build ID.
    print("every location of what was taken is counted once:", total == 5 * 6)
    for line in lines:
        if re.match("lidia_(forwards|profile_misses)", line):
            print(line)


def check_limits(behind):
    message = read("main.otlp")
    Behind.got.clear()
    with Serve(behind, "--max-bodies=4k") as server:
        answer = server.post(message)[0]
        print(f"without memory: {answer.status} Retry-After {answer.headers['Retry-After']}, "
              f"sent {len(Behind.got)}")
    results = []
    with Serve(behind, "--max-bodies=50k") as server:
        def send():
            answer = server.post(message)[0]
            results.append((answer.status, answer.headers["Retry-After"]))
        threads = [threading.Thread(target=send) for _ in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    taken = results.count((200, None))
    print("40 at once with little memory: each was taken once or refused with Retry-After:",
          taken == len(Behind.got) and taken + results.count((503, "1")) == 40)


def check_access(behind):
    secret = "0123456789abcdef"
    with open("token", "w") as file:
        file.write(secret)
    message = read("main.otlp")
    bearer = {"Authorization": "Bearer " + secret}
    Behind.got.clear()
    with Serve(behind, "--read-token=token") as server:
        statuses = [server.post(message)[0].status, server.post(message, **bearer)[0].status]
        print(f"with tokens: {statuses[0]}, {statuses[1]}, "
              f"authorization={Behind.got[0][1]['Authorization']}")
    with Serve(behind, "--public", "--write-token=token", "--cache-dir=cache") as server:
        print(f"public: {server.post(message)[0].status}, "
              f"{server.post(message, **bearer)[0].status}")
    with Serve() as server:
        print("without --forward:", server.post(message)[0].status)


def check_hashes(behind):
    """main.otlp has a library, /opt/pie, of which only the htlhash is known."""
    message = read("main.otlp")
    Behind.got.clear()
    with Serve(behind, "--store=hashes") as server:
        server.post(message)
        server.post(message.replace(b"667dae67104c3b89", b"667dae67104c3b80"))
        text = server.ask("GET", "/metrics")[1].decode()
    tables = as_json(Behind.got[0][2])["dictionary"]
    strings = tables["stringTable"]
    names = [strings[tables["functionTable"][line["functionIndex"]]["nameStrindex"]]
             for location in tables["locationTable"] if location.get("address") == str(0x224)
             for line in location["lines"]]
    print("by htlhash:", *names)
    print("another htlhash:", "unchanged" if b"667dae67104c3b80" in Behind.got[1][2]
          and b"visible" not in Behind.got[1][2] else "CHANGED")
    for line in text.splitlines():
        if re.match("lidia_profile_(locations|misses)_total", line):
            print(line)


def main():
    behind = listen()
    option = f"--forward=http://127.0.0.1:{behind.server_port}"
    with Serve(option) as server:
        named = check_names(server)
        check_unchanged(server, named)
        behind = check_failures(server, behind)
        check_refusals(server)
        check_metrics(server)
    print(f"log: {len(re.findall('warning: --forward', server.log))} times failing, "
          f"{server.log.count('takes profiles again')} times back")
    check_hashes(option)
    check_limits(option)
    check_access(option)


main()
