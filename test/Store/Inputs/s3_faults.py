"""A proxy between a client and an S3 server that misbehaves.

FAULT is one of these. Other requests are forwarded:

    expired=N    from the Nth request on, the keys have expired
    expired=/X   the same from the first request on whose path contains this text
    slow-down    asks to try each request again, once
    unavailable  answers writes with status 503
    full         answers writes with status 507
    lost         executes writes, and hangs up before it answers
    cut          hangs up in the middle of uploads, once for each object
    stuck        accepts uploads, and never answers; writes the file "asked"
    two-deletes  executes the first request to remove an object when there is another one
    moved        says that the bucket is in another region
    page         answers requests for lists with an HTML page
    no-end       answers requests for lists endlessly
    again        says that each list continues at its beginning
    plus         lists one object, and another one after that; rejects a query with a plus,
                 which libcurl 8.13 signs wrongly, and returns a token with one
    outside      lists objects outside the request, and names that no object can have
"""

import collections
import http.client
import http.server
import threading
import time

LIMIT = 100

OUTSIDE = """<ListBucketResult><EncodingType>url</EncodingType>
<Contents><Key>%s</Key><Size>5</Size></Contents>
</ListBucketResult>"""
PLUS = """<ListBucketResult><EncodingType>url</EncodingType>
<Contents><Key>x/.build-id/%s/0123456789.lidia.zst</Key><Size>5</Size></Contents>
<IsTruncated>%s</IsTruncated>
<NextContinuationToken>a+b</NextContinuationToken></ListBucketResult>"""
NAMES = ["elsewhere/.build-id/ab/cdef.lidia", "x/.build-id/../../../etc/passwd",
         "x/.build-id/ab/CDEF.lidia", "x/.build-id/ab/%00%0a.lidia", "%", "",
         "x/.build-id/ab/%1b[31m.lidia.zst", "x/.build-id/ab/.lidia"]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fault = port = None
    lock = threading.Lock()
    requests = 0
    is_expired = False
    seen = collections.Counter()
    deleted = set()
    another = threading.Condition()

    def log_message(self, *args):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "connection", "date", "server",
                                    "transfer-encoding"):
                self.send_header(name, value)
        length = dict((n.lower(), v) for n, v in headers).get("content-length")
        self.send_header("Content-Length", length if self.command == "HEAD" and length
                         else str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, status, code, **headers):
        self.answer(status, f"<Error><Code>{code}</Code></Error>".encode(),
                    [(n.replace("_", "-"), v) for n, v in headers.items()])

    def hang_up(self):
        self.close_connection = True

    def pass_on(self, body):
        server = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        server.putrequest(self.command, self.path, skip_host=True,
                          skip_accept_encoding=True)
        for name, value in self.headers.items():
            server.putheader(name, value)
        server.endheaders(body or None)
        response = server.getresponse()
        status, found, headers = response.status, response.read(), response.getheaders()
        server.close()
        return status, found, headers

    def do_any(self):
        kind, _, number = self.fault.partition("=")
        with self.lock:
            Handler.requests += 1
            count = Handler.requests
            self.seen[self.command, self.path] += 1
            is_first = self.seen[self.command, self.path] == 1
        writes = self.command == "PUT"
        size = int(self.headers.get("Content-Length", "0"))
        if kind == "cut" and writes and is_first:
            self.rfile.read(size // 2)
            return self.hang_up()
        body = self.rfile.read(size)
        if kind == "expired":
            if number.startswith("/") and number in self.path:
                Handler.is_expired = True
            if self.is_expired or number.isdigit() and count >= int(number):
                return self.refuse(400, "ExpiredToken")
        if kind == "slow-down" and is_first:
            return self.refuse(503, "SlowDown")
        if kind == "unavailable" and writes:
            return self.refuse(503, "ServiceUnavailable")
        if kind == "full" and writes:
            return self.refuse(507, "XMinioStorageFull")
        if kind == "moved":
            return self.refuse(301, "PermanentRedirect", x_amz_bucket_region="ap-south-1")
        if kind == "stuck" and writes:
            with open("asked", "w", encoding="utf-8"):
                time.sleep(LIMIT)
            return self.hang_up()
        if kind == "two-deletes" and self.command == "DELETE" and not self.find_other():
            return self.refuse(403, "AccessDenied")
        if "list-type=2" in self.path and self.do_list(kind):
            return None
        status, found, headers = self.pass_on(body)
        if kind == "lost" and writes and is_first:
            return self.hang_up()
        return self.answer(status, found, headers)

    def find_other(self):
        """Waits for the request to remove another object. Returns whether it came."""
        with self.another:
            self.deleted.add(self.path)
            self.another.notify_all()
            return self.another.wait_for(lambda: len(self.deleted) > 1, LIMIT / 5)

    def do_list(self, kind):
        """Answers a request for a list. Returns whether it did."""
        if kind == "page":
            self.answer(200, b"<html>Welcome to the hotel's network</html>")
        elif kind == "again":
            self.answer(200, b"<ListBucketResult><IsTruncated>true</IsTruncated>"
                        b"<NextContinuationToken>x</NextContinuationToken>")
        elif kind == "plus" and "%2B" in self.path:
            self.refuse(403, "SignatureDoesNotMatch")
        elif kind == "plus":
            is_second = "start-after=" in self.path
            self.answer(200, (PLUS % (("cd", "false") if is_second else ("ab", "true"))).encode())
        elif kind == "outside":
            self.answer(200, "".join(OUTSIDE % name for name in NAMES).encode())
        elif kind == "no-end":
            self.send_response(200)
            self.end_headers()
            self.close_connection = True
            while True:
                self.wfile.write(b"<ListBucketResult>" * 10000)
        else:
            return False
        return True

    do_GET = do_HEAD = do_PUT = do_DELETE = do_any


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # a client that hangs up


def serve(fault, port):
    """Starts a proxy for the server on PORT. Returns its port."""
    Handler.fault, Handler.port = fault, port
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port
