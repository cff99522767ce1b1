"""Writes small profiles that would need much memory or time: write-hostile.py KIND

The output is a description for write-pprof.py; for stacks, it is OTLP JSON."""

import json
import sys


def types():
    """A sample without values has one of each type."""
    print('string_table ""')
    print("repeat 20000 sample_type { type 0 } repeat 20000 sample { value 1 }")


def mappings():
    """Mappings that share a long name, each of which is a separate module."""
    print('string_table ""')
    print('string_table "%s"' % ("a" * 1000000))
    for I in range(5000):
        print('string_table "%020x"' % I)
        print("mapping { id %d memory_start %d memory_limit %d filename 1 build_id %d }"
              % (I + 1, 4096 * (I + 1), 4096 * (I + 2), I + 2))
        print("location { id %d mapping_id %d address %d }"
              % (I + 1, I + 1, 4096 * (I + 1)))
    print("sample_type { type 0 } sample { location_id 1 value 1 }")


def labels():
    """A sample with many values has its labels once; in OTLP, each value has them."""
    print('string_table ""')
    print("repeat 30000 sample_type { type 0 }")
    print("sample { repeat 30000 value 1 repeat 30000 label { num 1 } }")


def stacks():
    """Samples that share a stack, which a pprof profile has separately for each sample."""
    types = {"typeStrindex": 0}
    samples = [{"stackIndex": 1, "attributeIndices": [I], "values": ["1"]}
               for I in range(20000)]
    print(json.dumps({
        "resourceProfiles": [{"scopeProfiles": [{
            "profiles": [{"sampleType": types, "samples": samples}]}]}],
        "dictionary": {
            "stringTable": [""],
            "locationTable": [{}, {"address": "1"}],
            "stackTable": [{}, {"locationIndices": 1000000 * [1]}]}},
        separators=(",", ":")))


globals()[sys.argv[1]]()
