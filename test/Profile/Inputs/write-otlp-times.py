#!/usr/bin/env python3
"""Writes times.otlp, a profile of OpenTelemetry whose samples have times, by protobuf for
Python (see write-otlp.py):

    venv/bin/python write-otlp-times.py times.otlp

It has the threads and the stacks of threads.txt. Times are not in order, and one sample has
several. The values of "wall" have times, too; "samples" has times only."""

import sys

from opentelemetry.proto.profiles.v1development import profiles_pb2 as otlp

START = 1700000000000000000
NAMES = ["", "samples", "count", "wall", "nanoseconds", "main", "a", "b", "c", "/bin/x",
         "thread.name", "thread.id", "process.pid", "other"]
data = otlp.ProfilesData()
tables = data.dictionary
tables.string_table.extend(NAMES)
for table in (tables.mapping_table, tables.location_table, tables.function_table,
              tables.link_table, tables.attribute_table, tables.stack_table):
    table.add()
tables.mapping_table.add(memory_start=0x400000, memory_limit=0x410000,
                         filename_strindex=NAMES.index("/bin/x"))
stacks = {}
for address, names in ((0x401000, "a"), (0x403000, "b"), (0x404000, "c"), (0x402010, "main")):
    tables.function_table.add(name_strindex=NAMES.index(names))
    tables.location_table.add(mapping_index=1, address=address).lines.add(
        function_index=len(tables.function_table) - 1)
for name, locations in (("a", (1, 4)), ("b", (2,)), ("c", (3, 4))):
    stacks[name] = len(tables.stack_table)
    tables.stack_table.add(location_indices=locations)


def attributes(name, pid, tid):
    first = len(tables.attribute_table)
    for key, value in (("thread.name", name), ("process.pid", pid), ("thread.id", tid)):
        entry = tables.attribute_table.add(key_strindex=NAMES.index(key))
        if isinstance(value, str):
            entry.value.string_value = value
        else:
            entry.value.int_value = value
    return range(first, len(tables.attribute_table))


main, thread, other = (attributes("main", 10, 10), attributes("</script>", 10, 11),
                       attributes("other", 20, 20))
scope = data.resource_profiles.add().scope_profiles.add()
for kind, unit in (("samples", "count"), ("wall", "nanoseconds")):
    profile = scope.profiles.add(time_unix_nano=START, duration_nano=10 ** 7)
    profile.sample_type.type_strindex = NAMES.index(kind)
    profile.sample_type.unit_strindex = NAMES.index(unit)
    for who, stack, times, values in (
            (main, "a", (2000000, 0), (6, 5)), (thread, "b", (500000,), (7,)),
            (other, "b", (3250000,), (2,)), (main, "c", (1000000,), (5,))):
        profile.samples.add(stack_index=stacks[stack], attribute_indices=who,
                            timestamps_unix_nano=[START + time for time in times],
                            values=values if kind == "wall" else ())
with open(sys.argv[1], "wb") as file:
    file.write(data.SerializeToString(True))
