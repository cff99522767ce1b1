#!/usr/bin/env python3
"""Runs a command while a web server on this machine serves the files of a folder.

    with-store.py [--log=FILE] [--tls=FILE] [--delay=MILLISECONDS] KIND FOLDER --
                  COMMAND...

URL in COMMAND stands for the server's URL. When the command has ended, FILE gets a line
with the server's counts:

    requests: 7 rounds: 3 bytes: 12345 credentials: 0

Each response takes MILLISECONDS with --delay. With --tls, the server uses https, with the
certificate and the key in FILE.

A round is a group of requests that came together. Only "rounds" counts them: it answers
when no further request has come for half a second.

KIND is the server's behaviour:

    ok            answers requests for ranges
    rounds        the same, and counts rounds
    flaky         answers each range with status 500 first, and then correctly
    down          always answers with status 503
    gone=N        the same from the Nth request on; answers before
    ignore        sends the whole file
    more          sends more bytes than announced
    endless       sends bytes without end
    less          announces less than was requested, and sends that
    short         sends less than announced, and signals the end
    cut           hangs up in the middle
    other         sends another range
    huge          says that the file has 2^62 bytes
    unsaid        does not say which range it sends
    encoded       compresses
    multipart     sends the range as a part of a message of MIME type
                  multipart/byteranges
    trailer       says after the body that it was another range
    headers       sends headers without end
    line          sends a header without end
    continue      sends answers with status 100 without end
    page          sends an error's text without end
    old           answers without a status or headers, as HTTP/0.9
    silent        never answers
    stall         sends half, and then nothing
    drip          sends a byte now and then
    loop          redirects to itself
    redirect      redirects once, and then answers
    away          redirects to a file
    elsewhere     redirects to another server on this machine, without TLS, which
                  answers; "credentials" counts the requests there that have some
    denied        answers with status 403
    replaced      has another ETag from the third request on, and heeds If-Match
    swapped       the same, and ignores If-Match
    touched       has no ETag, and another Last-Modified from the third request on
    grown         has no ETag, and another size from the third request on
    mixed         has another ETag in each answer
    s3            checks the signature of each request: the keys are those of
                  Amazon's documentation (KEYS), the folder is the bucket "bucket",
                  whose lists have one object
    s3-404        answers each request with status 404 and the code of a wrong key
    s3-gone=N     the same as s3, but from the Nth request on the keys have expired
    s3-moved      says that the bucket is in another region
    s3-new        redirects for a while, like a new bucket
"""

import collections
import functools
import gzip
import hashlib
import hmac
import http.server
import os
import re
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

LIMIT = 100
KEYS = {"AKIAIOSFODNN7EXAMPLE": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
REGION = "eu-central-1"
TOKEN = "a/session+token=="
QUIET = 0.5


@functools.lru_cache
def read_file(path):
    """The content of a file, and its ETag."""
    with open(path, "rb") as file:
        content = file.read()
    return content, '"%s"' % hashlib.md5(content).hexdigest()


class Counts:
    def __init__(self):
        self.lock = threading.Lock()
        self.requests = self.rounds = self.bytes = self.credentials = 0
        self.seen = collections.Counter()
        self.last_arrival = self.round_of = 0

    def arrive(self, key):
        """The number of this request, and of earlier equal ones."""
        with self.lock:
            self.requests += 1
            self.seen[key] += 1
            self.last_arrival = time.monotonic()
            return self.requests, self.seen[key]

    def wait_for_round(self):
        """Returns when the round of this request is complete."""
        with self.lock:
            mine = self.rounds
        while True:
            with self.lock:
                rest = self.last_arrival + QUIET - time.monotonic()
                if self.rounds != mine:
                    return
                if rest <= 0:
                    self.rounds += 1
                    return
            time.sleep(rest)

    def sent(self, count):
        with self.lock:
            self.bytes += count


def signature_error(method, path, headers):
    """The reason why a request is not signed according to Amazon's "Signature Version
    4", or None."""
    found = re.fullmatch(
        r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, *"
        r"SignedHeaders=([^,]+), *Signature=([0-9a-f]{64})",
        headers.get("Authorization", ""))
    if not found:
        return "AuthorizationHeaderMalformed"
    key, date, region, signed, signature = found.groups()
    if key not in KEYS or region != REGION:
        return "InvalidAccessKeyId"
    names = signed.split(";")
    needed = ["host", "x-amz-content-sha256", "x-amz-date"]
    if headers.get("x-amz-security-token"):
        needed.append("x-amz-security-token")
    if names != sorted(names) or not set(needed) <= set(names):
        return "SomeHeaderIsNotSigned"
    if headers.get("x-amz-security-token", TOKEN) != TOKEN:
        return "InvalidToken"
    when = headers.get("x-amz-date", "")
    if not when.startswith(date + "T"):
        return "RequestTimeTooSkewed"
    payload = headers.get("x-amz-content-sha256", "")
    if payload != hashlib.sha256(b"").hexdigest():
        return "XAmzContentSHA256Mismatch"
    path, _, query = path.partition("?")
    canonical = "\n".join(
        [method, urllib.parse.quote(urllib.parse.unquote(path), safe="/-_.~"), query]
        + [f"{n}:{' '.join(headers.get(n, '').split())}" for n in names]
        + ["", signed, payload])
    scope = f"{date}/{region}/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", when, scope,
                      hashlib.sha256(canonical.encode()).hexdigest()])
    secret = ("AWS4" + KEYS[key]).encode()
    for part in (date, region, "s3", "aws4_request", text):
        secret = hmac.new(secret, part.encode(), hashlib.sha256).digest()
    return None if secret.hex() == signature else "SignatureDoesNotMatch"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    kind = folder = counts = elsewhere = None
    delay = 0

    def log_message(self, *args):
        pass

    def refuse(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def path_of_file(self):
        path = urllib.parse.unquote(self.path.partition("?")[0]).lstrip("/")
        if self.kind.startswith("s3"):
            path = path.removeprefix("bucket/")
        return os.path.join(self.folder, path)

    def list_one(self):
        """A list with the first object, by name, that begins with the prefix."""
        query = urllib.parse.parse_qs(self.path.partition("?")[2])
        found = []
        for folder, _, names in os.walk(self.folder):
            found += [os.path.relpath(os.path.join(folder, n), self.folder) for n in names]
        first = min((n for n in found if n.startswith(query["prefix"][0])), default=None)
        return "<ListBucketResult>" + (
            f"<Contents><Key>{first}</Key><Size>1</Size></Contents>" if first else "")

    def do_GET(self):
        number, times = self.counts.arrive((self.path, self.headers.get("Range")))
        kind = self.kind
        time.sleep(self.delay / 1000)
        if kind.startswith("s3-gone=") and number >= int(kind.partition("=")[2]):
            return self.refuse(400, b"<Error><Code>ExpiredToken</Code>")
        if kind == "s3" or kind.startswith("s3-gone="):
            if error := signature_error("GET", self.path, self.headers):
                return self.refuse(403, f"<Error><Code>{error}</Code>".encode())
            if "list-type=2" in self.path:
                return self.refuse(200, self.list_one().encode())
        elif kind == "s3-404":
            return self.refuse(404, b"<Error><Code>XAdminUserNotFound</Code>")
        elif kind == "s3-new":
            return self.refuse(307, b"<Error><Code>TemporaryRedirect</Code>")
        elif kind == "s3-moved":
            return self.refuse(301, x_amz_bucket_region="ap-south-1")
        if kind.startswith("gone=") and number >= int(kind.partition("=")[2]):
            return self.refuse(503)
        if kind == "down" or (kind == "flaky" and times == 1):
            return self.refuse(503 if kind == "down" else 500)
        if kind == "denied":
            return self.refuse(403)
        if kind == "loop":
            return self.refuse(302, Location=self.path)
        if kind == "redirect" and not self.path.startswith("/to/"):
            return self.refuse(307, Location="/to" + self.path)
        if kind == "redirect":
            self.path = self.path[len("/to"):]
        if kind == "away":
            return self.refuse(302, Location="file:///etc/passwd")
        if kind == "elsewhere":
            return self.refuse(302, Location=self.elsewhere + self.path)
        if kind == "page":
            self.send_response(404)
            self.end_headers()
            while True:
                self.wfile.write(b"sorry " * 10000)
        if kind == "line":
            self.wfile.write(b"HTTP/1.1 206 Partial Content\r\nX-More: ")
            while True:
                self.wfile.write(b"x" * 10000)
        if kind == "continue":
            while True:
                self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)
        if kind == "old":
            self.close_connection = True
            return self.wfile.write(b"hello there\n")
        if kind == "silent":
            time.sleep(LIMIT)
        if kind == "headers":
            self.send_response(206)
            for i in range(100000):
                self.send_header("X-More", "x" * 1000)
                self.flush_headers()
        if kind == "rounds":
            self.counts.wait_for_round()
        try:
            content, etag = read_file(self.path_of_file())
        except OSError:
            return self.refuse(404)
        self.answer(content, etag, number)

    def answer(self, content, etag, number):
        kind, late = self.kind, number > 2
        if late and kind in ("replaced", "swapped"):
            etag = '"another"'
        if kind == "mixed":
            etag = f'"{number}"'
        if kind != "swapped" and self.headers.get("If-Match", etag) != etag:
            return self.refuse(412)
        total = len(content)
        if kind == "grown" and late:
            content += b"x"
            total += 1
        asked = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if kind == "ignore" or not asked:
            self.counts.sent(total)
            return self.refuse(200, content, ETag=etag)
        first, last = asked.groups()
        end = min(int(last) + 1, total) if first and last else total
        first = int(first) if first else max(0, total - int(last))
        if first >= end:
            return self.refuse(416, Content_Range=f"bytes */{total}")
        if kind == "other":
            first += 1
        if kind == "less":
            end -= 1
        body = content[first:end]
        if kind == "huge":
            total = 1 << 62
            if not asked[1]:
                body = bytes(int(asked[2]))
                first = total - len(body)
            else:
                body = bytes(int(asked[2]) + 1 - first)
            end = first + len(body)
        self.send_response(206)
        if kind != "unsaid":
            self.send_header("Content-Range", f"bytes {first}-{end - 1}/{total}")
        if kind not in ("touched", "grown"):
            self.send_header("ETag", etag)
        if kind in ("touched", "grown"):
            self.send_header("Last-Modified", "Thu, 01 Jan 1970 00:00:0%d GMT"
                             % (late and kind == "touched"))
        if kind == "encoded":
            self.send_header("Content-Encoding", "gzip")
            body = gzip.compress(body)
        if kind == "multipart":
            self.send_header("Content-Type", "multipart/byteranges; boundary=x")
        if kind == "trailer":
            return self.send_chunk(body, f"Content-Range: bytes 7-{total - 1}/{total}")
        self.send_body(body)

    def send_chunk(self, body, trailer):
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Trailer", "Content-Range")
        self.end_headers()
        self.wfile.write(b"%x\r\n%s\r\n0\r\n%s\r\n\r\n"
                         % (len(body), body, trailer.encode()))

    def send_body(self, body):
        kind = self.kind
        if kind == "more":
            body += b"x" * 100
        if kind == "short":
            body = body[:-1]
        if kind == "endless":
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            while True:
                self.wfile.write(body)
                self.counts.sent(len(body))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        half = len(body) // 2
        if kind == "cut":
            self.close_connection = True
            body = body[:half]
        elif kind == "stall":
            self.wfile.write(body[:half])
            self.wfile.flush()
            time.sleep(LIMIT)
        elif kind == "drip":
            for byte in body:
                self.wfile.write(bytes([byte]))
                time.sleep(0.2)
        self.wfile.write(body)
        self.counts.sent(len(body))


class Elsewhere(Handler):
    """Answers, and counts requests with credentials."""

    def do_GET(self):
        with self.counts.lock:
            self.counts.credentials += any(
                name.lower() in ("authorization", "cookie", "x-amz-security-token")
                for name in self.headers)
        self.answer(*read_file(self.path_of_file()), number=1)


class QuietServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        pass  # a client that hangs up, as it should


def serve(handler, tls=None):
    """Starts a server. Returns its URL."""
    server = QuietServer(("127.0.0.1", 0), handler)
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls)
        server.socket = context.wrap_socket(server.socket, server_side=True,
                                            do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http{'s' if tls else ''}://127.0.0.1:{server.server_port}"


def main(arguments):
    split = arguments.index("--")
    mine, command = arguments[:split], arguments[split + 1:]
    options = dict(a[2:].split("=", 1) for a in mine if a.startswith("--"))
    Handler.kind, Handler.folder = [a for a in mine if not a.startswith("--")]
    Handler.counts = counts = Counts()
    Handler.delay = int(options.get("delay", "0"))
    url = serve(Handler, options.get("tls"))
    Elsewhere.kind = "ok"
    Handler.elsewhere = serve(Elsewhere)
    # Ignore the user's proxy.
    environment = dict(os.environ, no_proxy="127.0.0.1")
    if Handler.kind.startswith("s3"):
        key, secret = next(iter(KEYS.items()))
        environment.setdefault("AWS_ACCESS_KEY_ID", key)
        environment.setdefault("AWS_SECRET_ACCESS_KEY", secret)
        environment.setdefault("AWS_REGION", REGION)
        environment["AWS_ENDPOINT_URL_S3"] = url
    status = subprocess.run([a.replace("URL", url) for a in command],
                            env=environment, timeout=LIMIT).returncode
    if "log" in options:
        with open(options["log"], "w") as log:
            log.write(f"requests: {counts.requests} rounds: {counts.rounds} "
                      f"bytes: {counts.bytes} credentials: {counts.credentials}\n")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
