"""Headless Chromium, controlled through its DevTools protocol over a pipe."""

import base64
import fcntl
import http.server
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

# The limit for one command. Chromium starts in a second, or in ten on a busy machine.
TIMEOUT = 240

# Runs a program with two descriptors as 3 and 4.
MOVE_DESCRIPTORS = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""

# The coordinates of the middle of an element, as a JavaScript expression.
MIDDLE = ("(() => { const box = document.querySelector('%s').getBoundingClientRect();"
          "return [box.left + box.width / 2, box.top + box.height / 2]; })()")


class Browser:
    def __init__(self, width=1200, height=800):
        self.folder = tempfile.mkdtemp(prefix="lidia-browser-")
        # Chromium reads commands from descriptor 3 and writes answers to 4.
        theirs_in, self.commands = self.pipe()
        self.answers, theirs_out = self.pipe()
        # Without a sandbox, which needs privileges that containers lack. The pages are
        # ours.
        self.process = subprocess.Popen(
            [sys.executable, "-c", MOVE_DESCRIPTORS, str(theirs_in), str(theirs_out),
             "chromium", "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
             "--disable-quic", "--disable-background-networking",
             "--disable-component-update", "--disable-sync",
             "--remote-debugging-pipe", f"--window-size={width},{height}",
             "--user-data-dir=" + self.folder, "about:blank"],
            pass_fds=(theirs_in, theirs_out), start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.received = b""
        self.count = 0
        self.session = None
        self.clicks = 0
        # Errors and requests in order.
        self.events = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(domain + ".enable")
        self.resize(width, height)

    @staticmethod
    def pipe():
        """A pipe with descriptors other than Chromium's."""
        ends = os.pipe()
        high = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in ends]
        for end in ends:
            os.close(end)
        return high

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def receive(self):
        deadline = time.monotonic() + TIMEOUT
        while b"\0" not in self.received:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                raise SystemExit("chromium does not answer")
            data = os.read(self.answers, 1 << 20)
            if not data:
                raise SystemExit("chromium has ended")
            self.received += data
        message, self.received = self.received.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.note(answer)

    def note(self, event):
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.events.append("exception: " + details.get("exception", {}).get(
                "description", details["text"]))
        elif (method == "Log.entryAdded" and
              parameters["entry"]["level"] == "error"):
            self.events.append("log: " + parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            self.events.append("request: " + url.split(":", 1)[0])
        elif method == "Page.javascriptDialogOpening":
            self.events.append("dialog: " + parameters["message"])

    def open(self, path, fragment=""):
        """Opens a file, and returns when its scripts have run."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url="file://" + os.path.abspath(path) + fragment)
        while not self.run("document.readyState === 'complete' && "
                           "location.protocol === 'file:'"):
            time.sleep(0.05)

    def open_url(self, url):
        """Opens a page of a server, and returns when its scripts have run."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=url)
        while not self.run("document.readyState === 'complete' && "
                           "location.protocol.startsWith('http')"):
            time.sleep(0.05)

    def wait_for(self, expression):
        """Waits until a JavaScript expression is true."""
        deadline = time.monotonic() + TIMEOUT
        # An element returned by value is an object without fields.
        while not self.run(f"!!({expression})"):
            if time.monotonic() > deadline:
                raise SystemExit("never true: " + expression)
            time.sleep(0.05)

    def run(self, expression):
        """The value of a JavaScript expression."""
        answer = self.send("Runtime.evaluate", expression=expression,
                           returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def settle(self):
        """Waits until everything has been drawn."""
        self.run("new Promise((done) => requestAnimationFrame(() => "
                 "requestAnimationFrame(done)))")

    def resize(self, width, height, scale=1):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=False)

    def use_colours(self, scheme):
        """SCHEME: light or dark."""
        self.send("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def move(self, x, y):
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x, y):
        self.clicks += 1
        self.move(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y,
                      button="left", clickCount=1)

    def click_on_middle(self, selector):
        self.click(*self.run(MIDDLE % selector))

    def opened_by(self, click):
        """The URL of the window that CLICK opens."""
        def windows():
            session, self.session = self.session, None
            targets = self.send("Target.getTargets")["targetInfos"]
            self.session = session
            return {target["targetId"]: target["url"] for target in targets
                    if target["type"] == "page"}

        known = windows()
        click()
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            for target, url in windows().items():
                if target not in known and url.startswith("http"):
                    return url
            time.sleep(0.05)
        raise SystemExit("no window was opened")

    def press(self, key, control=False):
        codes = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38,
                 "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "Tab": 9}
        code = codes.get(key) or ord(key.upper())
        event = {"key": key, "windowsVirtualKeyCode": code,
                 "modifiers": 2 if control else 0}
        text = "\r" if key == "Enter" else key
        if len(text) == 1 and not control:
            event["text"] = text
        self.send("Input.dispatchKeyEvent", type="keyDown", **event)
        self.send("Input.dispatchKeyEvent", type="keyUp", **event)

    def type(self, text):
        self.send("Input.insertText", text=text)

    def screenshot(self, path):
        image = self.send("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(image))


class SourceHost(http.server.BaseHTTPRequestHandler):
    """A web server with source files, for links that name its PLACE."""
    PLACE = "http://127.0.0.1:1/"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(b"source")

    def log_message(self, *_):
        pass

    @classmethod
    def start_for(cls, page):
        """Starts a server, and returns its URL and a copy of the file PAGE that names it."""
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), cls)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/"
        with open(page, encoding="utf-8") as file:
            text = file.read()
        copy = page + ".linked.html"
        with open(copy, "w", encoding="utf-8") as file:
            file.write(text.replace(cls.PLACE, url))
        return url, copy
