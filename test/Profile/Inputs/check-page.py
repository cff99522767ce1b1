#!/usr/bin/env python3
"""Reads a flame graph like a browser and prints its contents, or fails: check-page.py
PAGE"""

import base64
import hashlib
import html.parser
import json
import sys


class Page(html.parser.HTMLParser):
    """The texts of scripts and styles, which end at the first "</script" or
    "</style", and the policy."""

    def __init__(self):
        super().__init__()
        self.texts = {"script": [], "style": []}
        self.current = None
        self.policy = ""

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in self.texts:
            self.current = tag
            self.texts[tag].append("")
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        for name in attributes:
            assert not name.startswith("on") and name not in ("style", "src", "href")

    def handle_endtag(self, tag):
        self.current = None

    def handle_data(self, data):
        if self.current:
            self.texts[self.current][-1] += data


# Strictly UTF-8.
with open(sys.argv[1], encoding="utf-8", newline="") as file:
    text = file.read()
page = Page()
page.feed(text)
page.close()
data, script = page.texts["script"]
for what, content in (("style", page.texts["style"][0]), ("script", script)):
    digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    page.policy = page.policy.replace(f"'sha256-{digest}'", f"(hash of the {what})")
assert "<" not in data
assert all(c == "\n" or c.isprintable() for c in data)
profile = json.loads(data)
count = len(profile["depth"])
assert len(profile["function"]) == count
assert all(len(values) == count for values in profile["self"])

print("scripts:", len(page.texts["script"]))
print("policy:", page.policy)
print(f"boxes: {count}, deepest: {max(profile['depth'], default=0)}")
print("total:", ", ".join(str(sum(values)) for values in profile["self"]))
print("default:", profile["default"])
print("title:", profile["title"])
for name, unit in profile["types"]:
    print("type:", name, unit)
for string in profile["strings"]:
    print("string:", string)
