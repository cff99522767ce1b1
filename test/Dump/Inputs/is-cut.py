"""is-cut.py FILE TEXT: checks that TEXT, printed from FILE, is truncated at the limit
of lidia/Symbolize/TextLimit.h for whole files, or shortly after."""
import os
import sys

file, text = map(os.path.getsize, sys.argv[1:])
limit = file * 100 + (16 << 20)
assert limit < text < limit + (2 << 20), (file, text)
