"""A folder as a bucket of S3 that counts requests, for measuring.

Any keys are right, and every object is a file. Its own memory and time do not depend on
how many objects are asked for: names are read once, when it starts."""

import bisect
import collections
import contextlib
import datetime
import http.server
import os
import threading
import time
import urllib.parse

MOST_KEYS = 1000


def names_in(folder):
    found = []
    for where, _, files in os.walk(folder):
        below = os.path.relpath(where, folder)
        found += [file if below == "." else f"{below}/{file}" for file in files]
    return sorted(found)


class Bucket(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, folder, delay, handler=None):
        super().__init__(("127.0.0.1", 0), handler or Handler)
        self.folder, self.names, self.delay = folder, names_in(folder), delay
        self.requests, self.lock = collections.Counter(), threading.Lock()

    def list(self, query):
        """A part of the list of objects, as XML."""
        prefix = query.get("prefix", "")
        most = min(int(query.get("max-keys", MOST_KEYS)), MOST_KEYS)
        after = query.get("continuation-token", query.get("start-after", ""))
        with self.lock:
            at = max(bisect.bisect_left(self.names, prefix),
                     bisect.bisect_right(self.names, after))
            found = self.names[at:at + most + 1]
        found = [name for name in found if name.startswith(prefix)]
        parts = ["<ListBucketResult><EncodingType>url</EncodingType>"]
        for name in found[:most]:
            with contextlib.suppress(FileNotFoundError):
                status = os.stat(os.path.join(self.folder, name))
                when = datetime.datetime.fromtimestamp(status.st_mtime, datetime.timezone.utc)
                parts.append(f"<Contents><Key>{urllib.parse.quote(name)}</Key><LastModified>"
                             f"{when:%Y-%m-%dT%H:%M:%S}.000Z</LastModified>"
                             f"<Size>{status.st_size}</Size></Contents>")
        if len(found) > most:
            parts.append("<IsTruncated>true</IsTruncated><NextContinuationToken>"
                         f"{found[most - 1]}</NextContinuationToken>")
        return "".join(parts + ["</ListBucketResult>"]).encode()

    def add(self, name):
        with self.lock:
            at = bisect.bisect_left(self.names, name)
            if self.names[at:at + 1] != [name]:
                self.names.insert(at, name)

    def remove(self, name):
        with self.lock:
            at = bisect.bisect_left(self.names, name)
            if self.names[at:at + 1] == [name]:
                del self.names[at]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def begin(self):
        """The name of the object, without the bucket, and the query."""
        time.sleep(self.server.delay)
        url = urllib.parse.urlsplit(self.path)
        name = urllib.parse.unquote(url.path).lstrip("/").partition("/")[2]
        query = dict(urllib.parse.parse_qsl(url.query))
        with self.server.lock:
            self.server.requests["LIST" if "list-type" in query else self.command] += 1
        return name, query

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for header, value in headers.items():
            self.send_header(header.replace("_", "-"), value)
        self.send_header("Content-Length", headers.get("size", len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def path_of(self, name):
        return os.path.join(self.server.folder, name)

    def do_GET(self):
        name, query = self.begin()
        if "list-type" in query:
            return self.answer(200, self.server.list(query))
        try:
            with open(self.path_of(name), "rb") as file:
                content = file.read()
        except OSError:
            return self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        wanted = self.headers.get("Range")
        if not wanted:
            return self.answer(200, content)
        first, _, last = wanted.partition("=")[2].partition("-")
        start = int(first) if first else max(0, len(content) - int(last))
        end = min(int(last) + 1 if first and last else len(content), len(content))
        return self.answer(206, content[start:end], ETag=f'"{name}"',
                           Content_Range=f"bytes {start}-{end - 1}/{len(content)}")

    def do_HEAD(self):
        name, _ = self.begin()
        self.answer(200 if os.path.isfile(self.path_of(name)) else 404)

    def do_PUT(self):
        name, _ = self.begin()
        content = self.rfile.read(int(self.headers["Content-Length"]))
        path = self.path_of(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            with open(path, "xb" if self.headers.get("If-None-Match") else "wb") as file:
                file.write(content)
        except FileExistsError:
            return self.answer(412, b"<Error><Code>PreconditionFailed</Code></Error>")
        self.server.add(name)
        return self.answer(200)

    def do_DELETE(self):
        name, _ = self.begin()
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.path_of(name))
        self.server.remove(name)
        self.answer(204)


@contextlib.contextmanager
def serving(folder, delay=0.0):
    """Serves FOLDER in another thread, each request after DELAY seconds. Gives the server; its
    requests are counted by kind."""
    with Bucket(folder, delay) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
