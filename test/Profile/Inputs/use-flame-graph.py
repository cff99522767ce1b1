#!/usr/bin/env python3
"""Uses a flame graph like a user and prints the results: use-flame-graph.py STEPS PAGE
[SCREENSHOT]

STEPS is one of the functions below. Positions are those in the page of flame.txt."""

import os
import sys

from browser import Browser, SourceHost

WIDTH, HEIGHT, ROW = 1000, 600, 18


class Graph(Browser):
    def __init__(self):
        super().__init__(WIDTH, HEIGHT)

    def say(self, what, selector="", expression="element.textContent"):
        """Prints a fact about the page: the text of an element."""
        self.settle()
        found = self.run(f"(() => {{ const element = "
                         f"document.querySelector({selector!r}); "
                         f"return {expression}; }})()" if selector else expression)
        print(f"{what}: {found}")

    def hottest(self):
        self.say("hottest", ".hottest", "element.innerText.replace(/\\s+/g, ' ')")

    def place(self, share, row):
        """The point at SHARE of the axis, from 0 to 1, in a row."""
        top = self.run("document.querySelector('#stage').getBoundingClientRect().top")
        return share * WIDTH, top + (row + 0.5) * ROW

    def point_at(self, share, row):
        self.move(*self.place(share, row))
        self.say("tip", "#tip", "element.hidden ? 'none' : element.innerText"
                                ".replaceAll('\\n', ' | ')")

    def zoom_at(self, share, row):
        self.click(*self.place(share, row))
        self.say("zoomed", "#path", "element.hidden ? 'no' : element.innerText"
                                    ".replace(/\\s+/g, ' ')")

    def details(self):
        self.say("details", "#details dl", "[...element.children].map((e) => "
                 "e.textContent + (e.tagName === 'DT' ? '=' : '; ')).join('')")

    def search(self, text):
        # The previous text is selected, and so replaced.
        self.press("f", control=True)
        self.type(text)
        self.say(f"search {text}", "#matched", "element.value")

    def colours(self, share, row):
        """The number of colours in the right part of a box, where there is no text."""
        x, y = self.place(share, row)
        top = self.place(0, 0)[1] - ROW / 2
        return self.run(
            "(() => { const p = document.querySelector('canvas').getContext('2d')"
            f".getImageData({int(x)}, {int(y - top) - 6}, 12, 12).data; const seen = new Set();"
            "for (let i = 0; i < p.length; i += 4)"
            " seen.add([p[i], p[i + 1], p[i + 2], p[i + 3]].join());"
            "return [...seen]; })()")


def read(graph, page):
    graph.open(page)
    graph.say("title", expression="document.title")
    graph.say("sum", "#sum")
    graph.hottest()
    # The root and the process, main, write and parse, ...
    graph.point_at(0.9, 0)
    graph.point_at(0.1, 2)
    graph.point_at(0.1, 4)
    graph.point_at(0.55, 4)
    graph.point_at(0.9, 4)
    graph.point_at(0.7, 9)
    print("colours of lex:", len(graph.colours(0.3, 4)))
    print("colours of lex inlined:", len(graph.colours(0.9, 4)) > 1)


def threads(graph, page):
    """One process or thread alone, and in order of time."""
    def choose_and_say(name, value):
        choose(graph, name, value)
        graph.say(f"{name} {value}", "#sum")

    graph.open(page)
    graph.say("threads", "#thread", "element.hidden ? 'none' : "
              "[...element.options].map((o) => o.value + '=' + o.text).join('; ')")
    graph.say("times", "#mode option[value=time]", "!element.hidden")
    for value in ("1", "p10", "2", "0"):
        choose_and_say("thread", value)
    graph.point_at(0.9, 1)
    graph.point_at(0.9, 3)
    graph.say("address", expression="location.hash")
    choose_and_say("mode", "time")
    for share in (0.1, 0.5, 0.9):
        graph.point_at(share, 3)
    choose_and_say("thread", "")
    graph.say("mode", "#mode", "element.value")
    # The thread with the largest value.
    choose_and_say("mode", "time")
    graph.say("thread", "#thread", "element.value")
    graph.open(page, "#thread=2&view=table")
    graph.say("opened", "#flat tbody", "[...element.rows].map((row) => "
              "[...row.cells].map((cell) => cell.textContent).join(', ')).join(' | ')")
    graph.open(page, "#thread=77&view=time")
    graph.say("unknown", expression="chosen + mode")


def selection(graph, page):
    """pprof's focus, ignore, show and hide."""
    def say():
        graph.settle()
        graph.say("", expression="[...SELECTION.map((id) => byID(id).value), "
                                 "byID('sum').textContent].join(' | ')")

    graph.open(page)
    graph.click_on_middle("#choose")
    # The first box has the focus.
    graph.type("push_back")
    say()
    graph.say("address", expression="location.hash")
    graph.point_at(0.5, 5)
    graph.open(page, "#ignore=parse")
    say()
    graph.say("open", "#selection", "!element.hidden")
    graph.open(page, "#hide=parse|program")
    say()
    for row in (1, 2, 3):
        graph.point_at(0.05, row)
    choose(graph, "mode", "inverted")
    graph.point_at(0.05, 1)
    graph.point_at(0.05, 2)
    choose(graph, "mode", "table")
    rows(graph, "table")
    graph.open(page, "#show=lex&view=table")
    say()
    rows(graph, "table")
    # A file, a module, nothing at all, and no expression.
    for query in ("focus=lex.h", "focus=libc.so", "focus=no+such", "focus=%28"):
        graph.open(page, "#" + query)
        say()
    graph.say("invalid", "#focus", "element.getAttribute('aria-invalid')")
    graph.resize(360, 600)
    graph.say("narrow", expression="document.documentElement.scrollWidth <= innerWidth")


def say_threads(graph):
    graph.say("threads", "#thread", "[...element.options].map((o) => o.value + '=' + o.text)"
              ".join('; ')")
    graph.say("times", "#mode option[value=time]", "!element.hidden")


def labelled(graph, page):
    graph.open(page, "#thread=0")
    say_threads(graph)
    graph.say("sum", "#sum")


def links(graph, page):
    graph.open(page)
    graph.zoom_at(0.9, 3)
    graph.say("links", "#details dl", "[...element.querySelectorAll('a')].map((a) => "
              "a.textContent + ' ' + a.href + ' ' + a.rel).join('; ')")
    graph.zoom_at(0.1, 5)
    graph.say("links", "#details dl", "element.querySelectorAll('a').length")


def click_link(graph, page):
    """A click on the line of a box opens its source on the web."""
    host, page = SourceHost.start_for(page)
    graph.open(page)
    graph.zoom_at(0.9, 3)
    url = graph.opened_by(lambda: graph.click_on_middle("#details dl a"))
    print("opened:", url.replace(host, "HOST/"))


def zoom(graph, page):
    graph.open(page)
    graph.zoom_at(0.9, 3)
    graph.details()
    graph.say("address", expression="location.hash")
    graph.point_at(0.01, 4)
    graph.point_at(0.01, 1)
    graph.zoom_at(0.1, 5)
    graph.details()
    # A caller.
    graph.zoom_at(0.5, 2)
    graph.run("document.querySelector('#path button').click()")
    graph.say("all", "#path", "element.hidden")
    graph.zoom_at(0.9, 3)
    graph.press("Escape")
    graph.say("escape", "#path", "element.hidden")
    graph.run("history.back()")
    graph.say("back", "#path [aria-current]")
    graph.run("document.querySelector('#reset').click()")
    graph.say("reset", "#path", "element.hidden")
    graph.open(page, "#zoom=3&search=lex&type=0&up=1")
    graph.say("opened", "#path [aria-current]")
    graph.say("opened", "#matched", "element.value")
    graph.say("opened", "#sum")
    # An address that does not fit this page.
    graph.open(page, "#zoom=999&type=-1&search=(")
    graph.say("other", "#path", "element.hidden")
    graph.say("other", "#sum")


def search(graph, page):
    graph.open(page)
    for text in ("lex", "ns::", "^std::|\\[libc", "LEX", "Token", "file:LEX|stl",
                 "file:lex", "module:libc", "nothing", "("):
        graph.search(text)
    graph.say("invalid", "#search", "element.getAttribute('aria-invalid')")
    graph.press("Escape")
    graph.say("escape", "#matched", "element.value")
    before = graph.colours(0.3, 3)
    graph.press("/")
    graph.type("lex")
    graph.settle()
    print("colours changed:", graph.colours(0.3, 3) != before)
    for _ in range(3):
        graph.press("Enter")
        graph.details()
    graph.press("Escape")
    graph.zoom_at(0.9, 3)
    graph.search("push_back")
    graph.search("parse|push_back")
    graph.search("main")


def keys(graph, page):
    graph.open(page)
    graph.run("document.querySelector('canvas').focus()")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight",
                "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowLeft"):
        graph.press(key)
        print(key, end=" ")
        graph.say("selected", "#details dd")
    graph.press("Enter")
    graph.say("enter", "#path [aria-current]")
    graph.press("Home")
    graph.say("home", "#details dd")
    graph.press("?")
    graph.say("help", "#helptext", "element.open")
    graph.press("Escape")
    graph.say("help", "#helptext", "element.open")
    graph.say("zoom", "#path [aria-current]")


def show(graph, page):
    """Other types, directions, colours and sizes."""
    graph.open(page)
    light = graph.colours(0.3, 4)
    graph.use_colours("dark")
    graph.settle()
    dark = graph.colours(0.3, 4)
    print("dark:", sum(map(int, dark[0].split(",")[:3])) <
          sum(map(int, light[0].split(",")[:3])))
    graph.use_colours("light")
    graph.run("const type = document.querySelector('#type'); type.value = 0;"
              "type.dispatchEvent(new Event('change'))")
    graph.say("type", "#sum")
    graph.run("document.querySelector('#turn').click()")
    bottom = graph.run("document.querySelector('#stage').clientHeight") / ROW
    graph.point_at(0.9, bottom - 1)
    graph.point_at(0.9, bottom - 4)
    graph.resize(400, 500)
    graph.say("narrow", "#stage", "element.scrollWidth <= element.clientWidth && "
              "document.documentElement.scrollWidth <= innerWidth")
    graph.resize(WIDTH, HEIGHT, scale=2)
    graph.say("dense", "canvas", "[element.width, element.clientWidth]")


def names(graph, page):
    """Shorter forms of a name. Boxes without a module are grey."""
    graph.open(page)
    for name in ("a::B<c::D>::e<int>(f::G*) const", "bool std::operator<<char>(int)",
                 "std::operator<< <char>(int)", "x::operator<<(y::Z)", "a::operator()(int)",
                 "a::b(int)::{lambda(int)#1}::operator()(int) const [clone .isra.0]",
                 "(anonymous namespace)::f(int)", "<a::B<C> as d::E>::f",
                 "core::ops::function::FnOnce<fn(u8) -> a::B>::call_once",
                 "a::b<c>::insert::hf7e6023099111dc5",
                 "github.com/x/y.(*Z[...]).F", "[libc.so.6]", "a<b(", "f" * 5000):
        forms = graph.run(f"shortNames({name!r})")
        print(*(form if len(form) < 1000 else len(form) for form in forms), sep=" | ")
    print("colours:", *(graph.run(f"/^hsl\\(\\S+ (\\S+)/.exec(fillOf({box}))[1]")
                        for box in (1, 2)))


def hostile(graph, page):
    graph.open(page)
    graph.say("title", expression="document.title")
    graph.say("type", "#type option:last-child")
    graph.zoom_at(0.1, 1)
    graph.zoom_at(0.1, 2)
    graph.point_at(0.9, 3)
    graph.zoom_at(0.1, 3)
    graph.details()
    graph.search("<")
    graph.say("scripts", expression="document.scripts.length")
    graph.say("images", expression="document.images.length")
    graph.say("run", expression="window.wasRun")
    # Things that the policy forbids.
    graph.run("const s = document.createElement('script'); s.textContent ="
              "'window.wasRun = 1'; document.head.append(s); "
              "const i = document.createElement('img'); i.src = 'x.png';"
              "document.body.append(i);"
              "fetch('https://localhost/').catch(() => 0)")
    graph.say("run", expression="window.wasRun")


def large(graph, page):
    graph.open(page)
    graph.say("boxes", expression="tree.count")
    graph.say("drawn", "canvas", "element.dataset.drawn")
    # A box that is too narrow to be drawn can still be selected and zoomed to.
    graph.point_at(0.9, 2)
    graph.zoom_at(0.9, 2)
    graph.say("drawn", "canvas", "element.dataset.drawn")
    graph.run("document.querySelector('#reset').click()")
    graph.search("function_1234$")


def none(graph, page):
    graph.open(page)
    graph.say("details", "#details")
    graph.search("all")
    graph.zoom_at(0.5, 0)


def choose(graph, name, value):
    """Chooses a value from a list."""
    graph.run(f"(() => {{ const list = document.querySelector('#{name}'); list.value = "
              f"{value!r}; list.dispatchEvent(new Event('change')); }})()")


def rows(graph, what):
    graph.say(what, "#flat tbody", "[...element.rows].map((row) => [...row.cells]"
              ".map((cell) => cell.textContent).join(', ')).join(' | ')")


def views(graph, page):
    """Inverted, as a table, and a function with its callers and callees."""
    graph.open(page)
    graph.say("legend", "#legend", "element.innerText.replace(/\\s+/g, ' ')")
    choose(graph, "mode", "inverted")
    graph.point_at(0.1, 1)
    graph.point_at(0.1, 2)
    graph.point_at(0.1, 3)
    graph.zoom_at(0.1, 1)
    choose(graph, "mode", "table")
    rows(graph, "table")
    graph.run("document.querySelectorAll('#flat th button')[0].click()")
    rows(graph, "by name")
    graph.say("sorted", "#flat th[aria-sort]",
              "element.textContent + ' ' + element.getAttribute('aria-sort')")
    graph.search("lex|push")
    rows(graph, "found")
    graph.press("Escape")
    graph.run("document.querySelector('#flat tbody button').click()")
    graph.details()
    graph.say("address", expression="location.hash")
    # The process and main are above it.
    graph.point_at(0.5, 0)
    graph.point_at(0.5, 1)
    graph.point_at(0.5, 2)
    graph.press("Escape")
    graph.say("back", "#mode", "element.value")
    graph.zoom_at(0.1, 4)
    graph.press("s")
    graph.details()
    graph.point_at(0.1, 0)
    graph.point_at(0.1, 1)
    graph.point_at(0.9, 4)
    graph.run("history.back()")
    graph.say("back", "#mode", "element.value")
    graph.open(page, "#view=sandwich&function=ns%3A%3Awrite(int)&module=%2Fbin%2Fprogram")
    graph.details()
    graph.open(page, "#view=sandwich&function=no&module=")
    graph.say("unknown", "#mode", "element.value")


def compare(graph, page):
    """Two profiles."""
    graph.open(page)
    graph.say("legend", "#legend", "element.innerText.replace(/\\s+/g, ' ')")
    graph.hottest()
    graph.point_at(0.1, 4)
    graph.point_at(0.9, 3)
    red, blue = graph.colours(0.3, 4)[0], graph.colours(0.9, 3)[0]
    print("grown is red:", int(red.split(",")[0]) > int(red.split(",")[2]))
    print("shrunk is blue:", int(blue.split(",")[0]) < int(blue.split(",")[2]))
    choose(graph, "mode", "table")
    rows(graph, "table")


def compared_threads(graph, page):
    """One thread of two profiles."""
    graph.open(page)
    say_threads(graph)
    for name in ("main", "other"):
        choose(graph, "thread", graph.run(
            "String(threads.findIndex(([name]) => name === " + repr(name) + "))"))
        graph.say(name, "#sum")
        if name == "main":
            choose(graph, "mode", "table")
            rows(graph, "table")


with Graph() as graph:
    graph.use_colours("light")
    globals()[sys.argv[1]](graph, sys.argv[2])
    if len(sys.argv) > 3:
        graph.screenshot(sys.argv[3])
    for event in graph.events:
        print(event)
