"""lidia.symbolize_pprof: pprof.py IN OUT CACHE [key=value]..."""

import sys
import warnings

import lidia

given, out, cache = sys.argv[1:4]
options = dict(option.split("=", 1) for option in sys.argv[4:])
if "binaries" in options:
    options["binaries"] = [options["binaries"]]
if "folders" in options:
    options["folders"] = [options["folders"]]
# A perf recording also becomes a pprof profile.
symbolize = (lidia.symbolize_profile if given.endswith(".data")
             else lidia.symbolize_pprof)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    result = symbolize(given, cache=cache, **options)
for warning in caught:
    assert warning.category is lidia.ConversionWarning
    print(warning.message)
with open(given, "rb") as file:
    data = file.read()
texts = []
assert symbolize(data, cache=cache, warnings=texts, **options) == result
assert len(texts) == len(caught)
with open(out, "wb") as file:
    file.write(result)
