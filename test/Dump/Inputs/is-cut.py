"""is-cut.py FILE TEXT: whether TEXT, printed of FILE, is cut at the limit of
lidia/Symbolize/TextLimit.h for whole files, or a bit behind."""
import os
import sys

file, text = map(os.path.getsize, sys.argv[1:])
limit = file * 100 + (16 << 20)
assert limit < text < limit + (2 << 20), (file, text)
