#!/usr/bin/env python3
"""Uses the page of a server, or a report in a file, like a user, and prints the
results: use-page.py STEPS URL-OR-FILE [ARGUMENT...]

STEPS is one of the functions below."""

import contextlib
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "Profile", "Inputs"))
from browser import MIDDLE, TIMEOUT, Browser, SourceHost  # noqa: E402


class Page(Browser):
    def __init__(self):
        super().__init__(1200, 800)

    def go(self, where, fragment=""):
        if where.startswith("http"):
            self.open_url(where + fragment)
        else:
            self.open(where, fragment)

    def text(self, selector):
        return self.run(f"(document.querySelector({json.dumps(selector)}) || "
                        "{}).textContent || ''")

    def say(self, what, selector):
        print(f"{what}: " + self.text(selector).replace("\n", " | "))

    def click_on(self, selector):
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def answered(self, questions=None):
        """Waits for an answer; if QUESTIONS is given, for one to a later question."""
        if questions is not None:
            self.wait_for(f"asked > {questions} && !document.getElementById('go').disabled")
        self.wait_for("!document.getElementById('result').hidden || "
                      "document.getElementById('status').className === 'error'")

    def symbolize(self, text):
        """Pastes a text. A text that is pasted into an empty field is symbolized at
        once."""
        questions = self.run("asked")
        self.run("const input = document.getElementById('input'); input.focus();"
                 f"input.value = {json.dumps(text)};"
                 "document.getElementById('go').click()")
        self.answered(questions)

    def throw(self, path, name=None):
        """Drops a file on the page."""
        with open(path, "rb") as file:
            data = list(file.read())
        name = json.dumps(name or os.path.basename(path))
        self.run("(() => { const data = new DataTransfer();"
                 f"data.items.add(new File([new Uint8Array({data})], {name}));"
                 "for (const kind of ['dragenter', 'dragover', 'drop'])"
                 " document.body.dispatchEvent(new DragEvent(kind, { bubbles: true,"
                 " cancelable: true, dataTransfer: data })); })()")

    def drop(self, path, name=None):
        """Drops a file on the page, and waits for the answer."""
        questions = self.run("asked")
        self.throw(path, name)
        self.answered(questions)

    def report(self):
        self.say("status", "#status")
        self.say("title", "#title")
        self.say("figures", "#figures")
        self.say("missing", "#missing")
        self.say("warnings", "#warnings")
        self.say("text", "#log")
        print("stacks:", self.run(
            "[...document.querySelectorAll('details')].map((d) => "
            "d.querySelector('summary').textContent + ': ' + "
            "[...d.querySelectorAll('li')].map((li) => li.textContent).join(' / '))"
            ".join(' || ')"))

    @contextlib.contextmanager
    def in_graph(self):
        """Within, run() refers to the flame graph. Its frame has another process,
        because its sandbox gives it its own origin."""
        outer = self.session
        self.session = None
        frames = []
        while not frames:
            frames = [target["targetId"] for target in
                      self.send("Target.getTargets")["targetInfos"]
                      if target["type"] == "iframe"]
        self.session = self.send("Target.attachToTarget", targetId=frames[0],
                                 flatten=True)["sessionId"]
        for domain in ("Runtime", "Log"):
            self.send(domain + ".enable")
        self.wait_for("document.readyState === 'complete' && "
                      "document.querySelector('canvas').dataset.drawn > 0")
        yield outer
        self.session = outer

    def click_in_graph(self, outer, place):
        """Clicks like a mouse: the browser finds out what is there. PLACE is an
        expression for the coordinates in the frame. A busy browser does not know yet
        where the frame is, and gives the click to the page around it: then the click is
        repeated, and counts once."""
        self.run("window.pressed = false;"
                 "addEventListener('mousedown', () => window.pressed = true,"
                 " {capture: true, once: true})")
        clicks = self.clicks + 1
        deadline = time.monotonic() + TIMEOUT
        while True:
            x, y = self.run(place)
            inner, self.session = self.session, outer
            left, top = self.run("(() => { const frame = document.querySelector('iframe');"
                                 "const box = frame.getBoundingClientRect();"
                                 "return [box.left + frame.clientLeft,"
                                 " box.top + frame.clientTop]; })()")
            self.click(left + x, top + y)
            self.session = inner
            self.clicks = clicks
            for _ in range(20):
                if self.run("window.pressed"):
                    return
                time.sleep(0.1)
            if time.monotonic() > deadline:
                sys.exit("the frame gets no click at " + place)

    def finish(self):
        for event in self.events:
            print(event)


def first(page, where):
    """The first view, its example, and a text of which nothing is known."""
    page.go(where)
    page.wait_for("document.getElementById('known').textContent")
    print("intro:", " ".join(page.text("#intro").split()))
    page.click_on("#example")
    page.answered()
    page.say("example", "#title")
    page.say("figures", "#figures")
    page.say("crash", "#crash")
    folded = page.run("document.getElementById('input').offsetParent === null")
    shown = page.run("!document.getElementById('intro').hidden")
    page.click_on("#unfold")
    print(f"intro: {shown} folded: {folded} unfolded:",
          page.run("document.getElementById('input').offsetParent !== null"))
    print("title of the window:", page.run("document.title"))
    page.symbolize("    #0 0x55ddcafb1f49  (/bin/b+0x10) (BuildId: 00112233)")
    print("none known:", page.text("#figures"), page.text("#advice"))


def search(page, where, path, token):
    """A program that is dropped as a question, and searches in a large store."""
    page.go(where)
    page.wait_for("document.getElementById('known').textContent")
    page.throw(path)
    page.wait_for("document.querySelector('#status button')")
    page.say("program", "#status")
    page.click_on("#status button")
    page.wait_for("document.activeElement.id === 'token'")
    page.type(token)
    page.press("Enter")
    page.wait_for("document.querySelector('#results li')")
    page.say("stored", "#results li")
    page.click_on("#results a")
    page.wait_for("document.querySelector('#archives h2')")
    print("archive:", page.run("[...document.querySelectorAll('#archives > h2, #archives > p')]"
                               ".slice(0, 3).map((e) => e.textContent).join(' | ')"))
    page.go(where, "#store=libc")
    page.wait_for("document.querySelector('#archives table')")
    print("libc:", page.run("[...document.querySelectorAll('#archives tbody tr')]"
                            ".map((row) => row.cells[0].textContent).join(' ')"))
    page.go(where, "#store=")
    page.wait_for("document.querySelector('#archives table')")
    rows = "document.querySelectorAll('#archives tbody tr').length"
    counts = [page.run(rows)]
    for _ in range(2):
        page.click_on("#archives p button")
        page.wait_for(f"{rows} > {counts[-1]}")
        counts.append(page.run(rows))
    print("pages:", *counts)
    print("different:", page.run("new Set([...document.querySelectorAll('#archives tbody .id')]"
                                 ".map((cell) => cell.textContent)).size") == counts[-1])


def paste(page, where, path):
    page.go(where)
    with open(path, encoding="utf-8") as file:
        page.symbolize(file.read())
    page.report()
    print("focus:", page.run("document.activeElement.id"))


def link(page, where, path):
    """A link contains the question, and asks it again."""
    page.go(where)
    with open(path, encoding="utf-8") as file:
        page.symbolize(file.read())
    page.click_on("#link")
    page.wait_for("location.hash.startsWith('#text=')")
    fragment = page.run("location.hash")
    page.say("text", "#log")
    page.go(where, fragment)
    page.answered()
    page.say("again", "#log")
    print("field:", page.run("document.getElementById('input').value").replace("\n", " | "))
    page.go(where, "#text=rubbish")
    page.wait_for("document.getElementById('status').className === 'error'")
    page.say("damaged", "#status")


def name(page, where, path, build_id):
    """Assigns a build ID to a module that has none."""
    page.go(where)
    with open(path, encoding="utf-8") as file:
        page.symbolize(file.read())
    page.report()
    page.run("document.querySelector('#missing input').value = " + json.dumps(build_id))
    page.click_on("#missing li button")
    page.wait_for("document.getElementById('missing').hidden")
    page.report()


def drop(page, where, *paths):
    page.go(where)
    for path in paths:
        page.drop(path)
        page.report()
        print("frame:", page.run("(document.querySelector('iframe') || {}).title"))


def report(page, where):
    page.go(where)
    page.answered()
    page.report()
    print("frame:", page.run("(document.querySelector('iframe') || {}).title"))
    print("form:", page.run("document.getElementById('form').hidden"))


def links(page, where, selector=None):
    """Clicks on the first link to a source in a report, which may be in its flame graph."""
    host, where = SourceHost.start_for(where)
    page.go(where)
    page.answered()
    if selector:
        print("links:", page.run("[...document.querySelectorAll(" + json.dumps(selector) +
                                 ")].map((a) => a.textContent + ' ' + a.rel).join('; ')"))
        url = page.opened_by(lambda: page.click_on_middle(selector))
    else:
        with page.in_graph() as outer:
            page.click_in_graph(outer, MIDDLE % ".hottest button")
            page.wait_for("document.querySelector('#details dl a')")
            url = page.opened_by(lambda: page.click_in_graph(
                outer, MIDDLE % "#details dl a"))
    print("opened:", url.replace(host, "HOST/"))


def graph(page, where, path):
    """Drops a profile. Its flame graph is drawn in a frame."""
    page.go(where)
    page.drop(path)
    with page.in_graph():
        print("boxes:", page.run("document.querySelector('canvas').dataset.drawn"))
        print("sum:", page.run("document.getElementById('sum').textContent"))


def hottest(page, where, path=None):
    """Drops a profile, unless the page is a report of one, and finds its hottest
    function, the line of it and its callers. The number of clicks is printed before what
    they show."""
    page.go(where)
    if path:
        page.drop(path)
    else:
        page.answered()
    page.say("title", "#title")
    def details():
        return page.run("[...document.querySelectorAll('#details dd')].slice(0, 2)"
                        ".map((e) => e.textContent).join(' | ')")

    with page.in_graph() as outer:
        print(f"after {page.clicks} clicks:", page.text(".hottest button"))
        page.click_in_graph(outer, MIDDLE % ".hottest button")
        page.wait_for("mode === 'sandwich'")
        print(f"after {page.clicks} clicks:", details())
        print("callers:", *sorted(page.run("[...Array(tree.count).keys()].filter((box) => "
                                           "isCaller(box) && tree.depth[box] === 1).map(nameOf)")))
        # The caller with the largest value is above the left end of the function.
        page.click_in_graph(outer, "(() => { const box = stage.getBoundingClientRect();"
                            "return [box.left + extent(tree.callers)[0] + 3, box.top +"
                            " rowTop(rowOf(tree.callers)) - stage.scrollTop + ROW / 2]; })()")
        page.wait_for("view !== 0")
        print(f"after {page.clicks} clicks:", details())


def store(page, where, build_id):
    page.go(where, "#store=")
    page.wait_for("document.querySelector('#archives table')")
    page.say("archives", "#archives tbody")
    page.run("document.getElementById('query').value = " + json.dumps(build_id[:5]))
    page.click_on("#find button")
    page.wait_for("location.hash !== '#store=' && document.querySelector('#archives table')")
    print("hash:", page.run("location.hash"))
    page.click_on("#archives tbody a")
    page.wait_for("document.querySelector('#archives form')")
    page.say("functions", "#archives tbody")
    page.go(where, f"#archive={build_id}&kind=functions&find=chain")
    page.wait_for("document.querySelector('#archives form')")
    page.say("chain", "#archives tbody")
    page.go(where, f"#archive={build_id}&kind=files&find=INLINE")
    page.wait_for("document.querySelector('#archives form')")
    page.say("files", "#archives ul")
    page.go(where, f"#archive={build_id}&at=0x400197")
    page.wait_for("document.querySelector('#archives h3')")
    page.say("function", "#archives")
    page.go(where, "#store=SHARED.e")
    page.wait_for("document.querySelector('#archives table')")
    page.say("by name", "#archives tbody")
    page.go(where, "#store=none.so")
    page.wait_for("document.querySelector('#archives p')")
    page.say("none", "#archives")
    page.go(where, f"#archive={build_id}&at=zz")
    page.wait_for("document.getElementById('found').className === 'error'")
    page.say("error", "#found")
    print("uploads:", not page.run("document.getElementById('upload').hidden"))


def upload(page, where, token, path, name, function):
    """A file is dropped on the store, found by its name, and its source is shown."""
    page.go(where, "#store=")
    page.wait_for("!document.getElementById('upload').hidden")
    page.say("at first", "#archives")
    page.throw(path, name)
    page.wait_for("document.getElementById('uploading').className === 'error'")
    page.say("without a token", "#uploading")
    print("focus:", page.run("document.activeElement.id"))
    page.type(token)
    page.throw(path, name)
    page.wait_for("document.querySelector('#results li') && "
                  "document.querySelector('#archives table')")
    page.say("results", "#results")
    page.say("archives", "#archives tbody td")
    print("kept:", page.run("localStorage.length + sessionStorage.length"),
          "in the address:", token in page.run("location.href"))
    print("images:", page.run("document.images.length"), "run:", page.run("window.wasRun"))
    page.click_on("#results a")
    page.wait_for("document.querySelector('#archives form')")
    page.run(f"document.querySelector('#archives input').value = {json.dumps(function)}")
    page.run("document.querySelector('#archives form').requestSubmit()")
    page.wait_for("location.hash.includes('find=' + " + json.dumps(function) + ") && "
                  "document.querySelector('#archives td a')")
    page.click_on("#archives td a")
    page.wait_for("document.querySelector('#archives h3')")
    page.say("source", ".source")
    page.say("with code", ".source .has-code")


def refused(page, where, token, path):
    page.go(where, "#store=")
    page.wait_for("!document.getElementById('upload').hidden")
    page.run("document.getElementById('token').value = " + json.dumps(token))
    page.throw(path)
    page.wait_for("document.getElementById('uploading').className === 'error'")
    page.say("refused", "#uploading")


def hostile(page, where, *paths):
    page.go(where)
    for path in paths:
        page.drop(path, "<img src=x onerror='window.wasRun = 1'>")
        page.settle()
        page.say("title", "#title")
        print("images:", page.run("document.images.length"),
              "scripts:", page.run("document.scripts.length"),
              "run:", page.run("window.wasRun"))
    # The policy blocks code that is put into the page anyway.
    page.run("(() => { const script = document.createElement('script');"
             "script.textContent = 'window.wasRun = 2'; document.body.append(script);"
             "document.body.insertAdjacentHTML('beforeend',"
             " '<img src=x onerror=\"window.wasRun = 3\">'); })()")
    page.settle()
    print("run:", page.run("window.wasRun"))
    page.run("fetch('https://localhost/').catch(() => {})")
    page.settle()


def large(page, where, path, what):
    """The page contains all of a large file, and still responds."""
    page.go(where)
    page.drop(path)
    page.say("figures", "#figures")
    print("shown:", page.run(what))
    page.run("document.getElementById('toStore').click()")
    page.wait_for("!document.getElementById('store').hidden")
    print("answers: True")


def accessible(page, where, path):
    """The roles and names that a screen reader gets from the page."""
    page.send("Accessibility.enable")
    page.go(where)
    page.drop(path)
    for node in page.send("Accessibility.getFullAXTree")["nodes"]:
        role = node.get("role", {}).get("value")
        name = node.get("name", {}).get("value", "")
        if not node.get("ignored") and role in (
                "button", "textbox", "link", "heading", "navigation", "main", "region",
                "searchbox", "list", "status", "DisclosureTriangle") and (
                    name or role == "main"):
            print(f"{role}: {name}")


def main():
    with Page() as page:
        globals()[sys.argv[1]](page, *sys.argv[2:])
        page.finish()


if __name__ == "__main__":
    main()
