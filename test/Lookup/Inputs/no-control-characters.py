"""Fails if standard input has a control character other than newlines, a bidirectional
control, or bytes that are not UTF-8."""

import re
import sys

text = sys.stdin.buffer.read().decode("utf-8")
assert text
found = re.search(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", text)
assert not found, ascii(text)
