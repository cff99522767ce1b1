"""lidia.symbolize_profile with formats: formats.py PPROF PERF-SCRIPT"""

import sys

import lidia

pprof, script = sys.argv[1:]


def symbolized(given, **options):
    return lidia.symbolize_profile(given, root=".", cache="cache", warnings=[], **options)


def content(path):
    with open(path, "rb") as file:
        return file.read()


assert symbolized(pprof, format="folded") == content("folded")
assert symbolized(script, format="folded") == content("perf")
assert symbolized(pprof, format="otlp") == content("x.otlp")
assert symbolized("x.otlp", format="folded") == content("folded")
# The input's own format, or pprof.
assert symbolized("x.otlp") == content("x.otlp")
assert symbolized(script)[:2] == b"\x1f\x8b"
for options in ({"format": "none"}, {"input_format": "html"}):
    try:
        symbolized(pprof, **options)
    except (ValueError, lidia.Error) as error:
        print(error)
try:
    symbolized(b"PERFILE2" + bytes(200))
except lidia.Damaged as error:
    print(str(error).split(": ", 1)[1])

# An archive without columns beside a binary is used if no columns are wanted.
lidia.convert("a.out", "a.out.lidia", columns=False)


def text(**options):
    return lidia.symbolize_profile(pprof, binaries=["a.out"], format="text", cache="cache",
                                   warnings=[], **options)


assert b"inline.c:23 (inlined)" in text(columns=False)
assert b"inline.c:23:38 (inlined)" in text()
