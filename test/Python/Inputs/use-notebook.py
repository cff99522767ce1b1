#!/usr/bin/env python3
"""Uses the flame graph in a notebook's output, and prints its contents: use-notebook.py
PAGE [SCREENSHOT]"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../../Profile/Inputs"))
from browser import Browser


class Notebook(Browser):
    def enter_frame(self):
        """Makes run() evaluate in the frame, which may have a separate process."""
        self.wait_for("document.querySelector('iframe')")
        for target in self.send("Target.getTargets")["targetInfos"]:
            if target["type"] == "iframe":
                self.session = self.send("Target.attachToTarget", flatten=True,
                                         targetId=target["targetId"])["sessionId"]
                for domain in ("Page", "Runtime", "Log", "Network"):
                    self.send(domain + ".enable")
                return
        frame = self.send("Page.getFrameTree")["frameTree"]["childFrames"][0]["frame"]["id"]
        context = self.send("Page.createIsolatedWorld", frameId=frame)["executionContextId"]
        send = self.send
        self.send = lambda method, **parameters: send(
            method, **({"contextId": context} if method == "Runtime.evaluate" else {}),
            **parameters)


with Notebook(1000, 700) as notebook:
    notebook.open(sys.argv[1])
    whole = notebook.session
    notebook.enter_frame()
    notebook.wait_for("document.readyState === 'complete'")
    notebook.settle()
    print("scripts of names:", notebook.run("window.wasRun"))
    print("origin:", notebook.run("window.origin"))
    print("sum:", notebook.run("document.querySelector('#sum').textContent"))
    canvas = notebook.run("(() => { const c = document.querySelector('canvas');"
                          " const p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
                          " return new Set(new Uint32Array(p.buffer)).size; })()")
    print("drawn:", canvas > 3)
    notebook.click(500, 100)
    notebook.settle()
    print("zoomed:", notebook.run("!document.querySelector('#path').hidden"))
    if len(sys.argv) > 2:
        notebook.session = whole
        notebook.screenshot(sys.argv[2])
    for event in notebook.events:
        print(event)
