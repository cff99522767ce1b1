"""figures.py STORE: symbolizes from STORE, and checks the symbolizer's figures."""
import sys

import lidia

FOUND = "166acf827f01aa2a2feae66d3efb2f57ab5355d1"
MISSING = "00112233445566778899"

is_far = "://" in sys.argv[1]
symbolizer = lidia.Symbolizer(sys.argv[1])
before = symbolizer.figures()
assert before["archives"] == before["opened"] == before["missing"] == 0, before
for _ in range(3):
    assert symbolizer.lookup(FOUND, 0x400170)[0].function == "one"
for _ in range(2):
    try:
        symbolizer.lookup(MISSING, 0)
        assert False
    except FileNotFoundError:
        pass
figures = symbolizer.figures()
print({name: figures[name] for name in ("archives", "opened", "reused", "missing", "failed")})
print(figures["missing_build_ids"])
assert 0 < figures["open_seconds"] < 600
assert figures["requests"] >= 2 if is_far else figures["requests"] == 0, figures
assert (figures["bytes_read"] > 500) == is_far, figures
assert "\nlidia_store_missing_total 2\n" in symbolizer.metrics()
assert f"\nlidia_store_requests_total {figures['requests']}\n" in symbolizer.metrics()
if is_far:
    try:
        symbolizer.record_use()
        assert False
    except PermissionError as error:
        print(error)
else:
    symbolizer.record_use()

# Without a store.
symbolizer = lidia.Symbolizer({FOUND: "a.lidia"})
symbolizer.lookup(FOUND, 0x400170)
assert set(symbolizer.figures()) == {"archives", "max_archives", "memory", "max_memory"}
assert symbolizer.metrics() == ""
try:
    symbolizer.record_use()
    assert False
except ValueError as error:
    print(error)
