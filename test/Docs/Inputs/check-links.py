#!/usr/bin/env python3
"""Prints the broken relative links of Markdown files.

Usage: check-links.py FOLDER

Reads the Markdown files in FOLDER and in its docs/. The exit status is 1 if a link
leads to a file or a heading that does not exist.
"""

import os
import re
import sys


def prose(path):
    """The text of a page without code blocks."""
    with open(path, encoding="utf-8") as file:
        return re.sub(r"^```.*?^```$", "", file.read(), flags=re.M | re.S)


def anchors(path):
    """The anchors that GitHub makes of headings."""
    result = set()
    for heading in re.findall(r"^#+ +(.*)$", prose(path), re.M):
        text = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        unique, count = text, 0
        while unique in result:
            count += 1
            unique = f"{text}-{count}"
        result.add(unique)
    return result


def broken_links(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, heading = link.partition("#")
        target = os.path.join(os.path.dirname(page), file) if file else page
        if not os.path.exists(target):
            yield f"no such file: {link}"
        elif heading and heading not in anchors(target):
            yield f"no such heading: {link}"


def main():
    os.chdir(sys.argv[1])
    pages = []
    for folder, _, names in os.walk("docs"):
        pages += [os.path.join(folder, n) for n in names]
    pages = sorted(n for n in os.listdir(".") + pages if n.endswith(".md"))
    status = 0
    for page in pages:
        for problem in broken_links(page):
            print(f"{page}: {problem}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
