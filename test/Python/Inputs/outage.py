"""A store on a web server that stops answering: outage.py STORE PROFILE"""

import contextlib
import http.server
import os
import signal
import sys
import threading
import time

os.environ.update(LIDIA_HTTP_TIMEOUT="1", no_proxy="127.0.0.1")

import pyarrow as pa

import lidia

STORE, PROFILE = sys.argv[1:]
GCC = "166acf827f01aa2a2feae66d3efb2f57ab5355d1"
CLANG = None  # set by main
#: By build ID; others have none.
ADDRESSES = {}


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves the store. Requests from number `fails_from` on fail in the way `how`."""

    protocol_version = "HTTP/1.1"
    how = None
    fails_from = 0
    count = 0
    until = float("inf")
    released = threading.Event()

    def log_message(self, *args):
        pass

    def do_GET(self):
        Handler.count += 1
        if self.how and Handler.count >= self.fails_from and time.monotonic() < self.until:
            if self.how == "silent":
                self.released.wait(60)
                self.close_connection = True
                return
            self.answer(503, b"")
            return
        try:
            with open(os.path.join(STORE, self.path.lstrip("/")), "rb") as file:
                content = file.read()
        except OSError:
            self.answer(404, b"")
            return
        first, last = self.headers["Range"].removeprefix("bytes=").split("-")
        last = min(int(last), len(content) - 1)
        self.answer(206, content[int(first):last + 1],
                    ("Content-Range", f"bytes {first}-{last}/{len(content)}"))

    def answer(self, status, body, *headers):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # a client that hangs up


@contextlib.contextmanager
def server():
    """The URL of a server, which can be closed early."""
    Handler.how, Handler.count = None, 0
    Handler.fails_from, Handler.until = 0, float("inf")
    Handler.released.clear()
    with Server(("127.0.0.1", 0), Handler) as opened:
        threading.Thread(target=opened.serve_forever, daemon=True).start()
        opened.url = f"http://127.0.0.1:{opened.server_port}"
        yield opened
        Handler.released.set()
        opened.shutdown()


def symbolize(symbolizer, ids, **options):
    addresses = [ADDRESSES.get(number, 0x400180) for number in ids]
    return symbolizer.symbolize(pa.array(ids), pa.array(addresses, pa.uint64()), **options)


def error_of(call):
    try:
        call()
    except OSError as error:
        return error
    raise AssertionError("no error")


def check_short_outage(expected):
    with server() as s:
        symbolizer = lidia.Symbolizer(s.url)
        Handler.how, Handler.until = "503", time.monotonic() + 3
        found = pa.array(symbolize(symbolizer, [GCC, CLANG])).to_pylist()
        assert found == expected, found
        assert symbolizer.figures()["retries"] > 3
        print("answers after an outage")


def check_long_outage():
    os.environ["LIDIA_STORE_TIMEOUT"] = "1"
    with server() as s:
        raising = lidia.Symbolizer(s.url)
        nulls = lidia.Symbolizer(s.url, on_store_error="null")
        Handler.how = "503"
        error = error_of(lambda: symbolize(raising, [GCC, CLANG]))
        print("raises:", "HTTP status 503" if "503" in str(error) else error)
        assert "503" in str(error_of(lambda: raising.lookup(GCC, 0x400180)))
        frames, reasons, misses = symbolize(nulls, [GCC, CLANG], with_reasons=True,
                                            with_misses=True)
        print("null:", frames.misses)
        assert pa.array(misses).to_pylist() == ["no_answer"] * 2
        assert all("503" in reason for reason in pa.array(reasons).to_pylist())
        assert nulls.figures()["unanswered"] == 2, nulls.figures()
        assert "\nlidia_store_unanswered_total 2\n" in nulls.metrics()
        # Not remembered for long.
        Handler.how = None
        deadline = time.monotonic() + 60
        while symbolize(nulls, [GCC]).misses and time.monotonic() < deadline:
            time.sleep(0.5)
        assert symbolize(raising, [GCC]).misses == {}
    with server() as s:
        raising = lidia.Symbolizer(s.url)
    error = error_of(lambda: symbolize(raising, [GCC]))
    print("raises:", "refused" if "connect" in str(error) else error)


def check_silence():
    with server() as s:
        nulls = lidia.Symbolizer(s.url, on_store_error="null")
        Handler.how = "silent"
        ids = [f"{number:040x}" for number in range(1, 51)]
        before = time.monotonic()
        assert symbolize(nulls, ids).misses == {"no_answer": 50}
        # One wait is four attempts of a second, with pauses; several threads wait.
        assert time.monotonic() - before < 40
        assert Handler.count < 100, Handler.count
        print("50 build IDs wait once")


def check_others():
    """Reasons that concern a single archive never raise."""
    damaged = "00112233445566778899"
    os.makedirs(f"{STORE}/.build-id/00")
    with open(f"{STORE}/.build-id/00/{damaged[2:]}.lidia.zst", "wb") as file:
        file.write(b"\x28\xb5\x2f\xfd" + bytes(100))
    with server() as s:
        misses = symbolize(lidia.Symbolizer(s.url), ["ab" * 20, damaged]).misses
        print("missing and damaged:", misses)


def check_failure_in_the_middle(expected):
    """The server fails after each number of requests, one after the other."""
    for fails_from in range(1, 8):
        with server() as s:
            symbolizer = lidia.Symbolizer(s.url)
            Handler.count, Handler.fails_from = 0, fails_from
            Handler.how, Handler.until = "503", time.monotonic() + 0.5
            assert pa.array(symbolize(symbolizer, [GCC, CLANG])).to_pylist() == expected
    print("a failure while an archive is read")


def check_interrupts():
    os.environ["LIDIA_HTTP_TIMEOUT"] = os.environ["LIDIA_STORE_TIMEOUT"] = "50"
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with server() as s:
        symbolizer = lidia.Symbolizer(s.url)
        pausing = lidia.Symbolizer(s.url)
        calls = [lambda: symbolize(symbolizer, [GCC]), lambda: lidia.Symbolizer(s.url),
                 lambda: lidia.symbolize_profile(PROFILE, store=s.url),
                 lambda: symbolize(pausing, [GCC])]
        for call in calls:
            Handler.how = "503" if call is calls[-1] else "silent"
            timer = threading.Timer(3, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            before = time.monotonic()
            try:
                call()
                raise AssertionError("not interrupted")
            except KeyboardInterrupt:
                assert 2.5 < time.monotonic() - before < 20
            timer.join()
        print("Ctrl-C ends", len(calls), "kinds of waits")
        # The symbolizer is as before.
        Handler.released.set()
        Handler.how = None
        assert symbolize(symbolizer, [GCC]).misses == {}


def check_profile():
    os.environ.update(LIDIA_HTTP_TIMEOUT="1", LIDIA_STORE_TIMEOUT="0")
    with server() as s:
        Handler.how, Handler.fails_from = "503", 2
        error = error_of(lambda: lidia.symbolize_profile(PROFILE, store=s.url))
        assert "503" in str(error), error
        print("profile raises")
        Handler.count = 0
        warnings = []
        profile = lidia.symbolize_profile(PROFILE, store=s.url, on_store_error="null",
                                          warnings=warnings)
        assert profile and any("503" in text for text in warnings), warnings
        print("profile without the store")


def main():
    global CLANG
    CLANG, = [folder + name.removesuffix(".lidia.zst")
              for folder in os.listdir(f"{STORE}/.build-id")
              for name in os.listdir(f"{STORE}/.build-id/{folder}")
              if not GCC.startswith(folder)]
    for number in (GCC, CLANG):
        archive = lidia.Archive(f"{STORE}/.build-id/{number[:2]}/{number[2:]}.lidia.zst")
        ADDRESSES[number] = archive.functions()[0].entries[0]
    expected = pa.array(symbolize(lidia.Symbolizer(STORE), [GCC, CLANG])).to_pylist()
    assert None not in expected
    check_short_outage(expected)
    check_long_outage()
    check_silence()
    check_others()
    check_failure_in_the_middle(expected)
    check_interrupts()
    check_profile()


main()
