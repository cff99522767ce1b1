#!/usr/bin/env python3
"""Writes the OTLP profiles that the tests read: write-otlp.py INPUTS OUT

INPUTS is the folder test/Inputs. The script writes OUT.otlp and OUT.otlp.json, the same
message in binary and as JSON. The writer is protobuf for Python, with the messages of
the package opentelemetry-proto, so that our reader is tested with files from another
writer:

    python3 -m venv venv && venv/bin/pip install opentelemetry-proto==1.45.2
    venv/bin/python write-otlp.py ../../Inputs main

The JSON is protobuf's own, with OTLP's two exceptions: IDs are hexadecimal digits, and
fields that protobuf does not know are omitted."""

import base64
import hashlib
import json
import os
import struct
import sys

from google.protobuf import json_format
from opentelemetry.proto.profiles.v1development import profiles_pb2 as otlp

inputs, out = sys.argv[1:]
data = otlp.ProfilesData()
tables = data.dictionary


def number(table, make, known={}):
    """The index of an entry in a table. Adds the entry if it is new."""
    entry = make if isinstance(make, str) else make.SerializeToString(True)
    index = known.setdefault(id(table), {})
    if entry not in index:
        index[entry] = len(table)
        table.append(make)
    return index[entry]


def string(text):
    return number(tables.string_table, text)


def attribute(key, unit="", **value):
    entry = otlp.KeyValueAndUnit(key_strindex=string(key), unit_strindex=string(unit))
    for name, content in value.items():
        setattr(entry.value, name, content)
    return number(tables.attribute_table, entry)


def htlhash(path):
    """The htlhash in OpenTelemetry's specification of profiles, "Mappings"."""
    with open(path, "rb") as file:
        content = file.read()
    digest = hashlib.sha256(content[:4096] + content[-4096:]
                            + struct.pack(">Q", len(content))).digest()
    return digest[:16].hex()


def mapping(path, start, limit, offset, file=None, gnu=None):
    entry = otlp.Mapping(memory_start=start, memory_limit=limit, file_offset=offset,
                         filename_strindex=string(path))
    if gnu:
        entry.attribute_indices.append(
            attribute("process.executable.build_id.gnu", string_value=gnu))
    if file:
        entry.attribute_indices.append(
            attribute("process.executable.build_id.htlhash",
                      string_value=htlhash(os.path.join(inputs, file))))
    return number(tables.mapping_table, entry)


def location(where, address, lines=(), frame="native"):
    entry = otlp.Location(mapping_index=where, address=address)
    for name, line in lines:
        function = number(tables.function_table,
                          otlp.Function(name_strindex=string(name),
                                        filename_strindex=string("app.py")))
        entry.lines.add(function_index=function, line=line)
    entry.attribute_indices.append(
        attribute("profile.frame.type",
                  string_value_strindex=string(frame)))
    return number(tables.location_table, entry)


def stack(*locations):
    return number(tables.stack_table, otlp.Stack(location_indices=locations))


string("")
for table, empty in ((tables.mapping_table, otlp.Mapping()),
                     (tables.location_table, otlp.Location()),
                     (tables.function_table, otlp.Function()),
                     (tables.stack_table, otlp.Stack()),
                     (tables.attribute_table, otlp.KeyValueAndUnit())):
    number(table, empty)
tables.link_table.add(trace_id=bytes(16), span_id=bytes(8))
tables.link_table.add(trace_id=bytes(range(16)), span_id=bytes(range(8)))

program = mapping("/a.out", 0x200000, 0x201000, 0, "inline-clang-O2-dwarf5.elf",
                  "324553affe6364f7347d3807579ba10fe664ac68")
# Like OpenTelemetry's profiler: the addresses are those of the file, even if the linker
# made them differ from file offsets.
library = mapping("/opt/pie", 0, 0x1000, 0, "pie.elf")
other = mapping("/opt/lld", 0x5000, 0x6000, 0x2000, "shared.elf")
vdso = mapping("[vdso]", 0x7f0000, 0x7f1000, 0)
# A field that other versions of the schema may have.
tables.mapping_table[program].MergeFromString(b"\xf8\x3f\x07")
ten = location(program, 0x20018c)
one = location(program, 0x200180)
script = location(0, 0, [("run", 5), ("main", 9)], "cpython")
pie = location(library, 0x224)
lld = location(other, 0x5010)
time = location(vdso, 0x7f0010)
tables.location_table[ten].MergeFromString(b"\x9a\x06\x04kept")

resource = data.resource_profiles.add(schema_url="https://opentelemetry.io/schemas/1.37.0")
tags = resource.resource.attributes
tags.add(key="service.name").value.string_value = "caf\u00e9"
tags.add(key="ratio").value.double_value = 0.25
tags.add(key="zero").value.int_value = 0
tags.add(key="large").value.int_value = -(1 << 60)
tags.add(key="none").value.SetInParent()
tags.add(key="bytes").value.bytes_value = b"\x00\xff\xfe"
nested = tags.add(key="nested").value.kvlist_value.values.add(key="list")
nested.value.array_value.values.add().bool_value = False
nested.value.array_value.values.add().array_value.SetInParent()
scope = resource.scope_profiles.add()
scope.scope.name = "tests"

red = attribute("thread.name", string_value="red")
cpu = scope.profiles.add(time_unix_nano=1700000000000000000, duration_nano=10 ** 9,
                         period=10, profile_id=bytes(range(16, 32)),
                         original_payload_format="none", original_payload=b"\xfb\xff")
cpu.sample_type.type_strindex = cpu.period_type.type_strindex = string("cpu")
cpu.sample_type.unit_strindex = cpu.period_type.unit_strindex = string("nanoseconds")
cpu.samples.add(stack_index=stack(ten, script), values=[15, 5],
                attribute_indices=[red, attribute("thread.id", "1", int_value=7)])
cpu.samples.add(stack_index=stack(one, script), values=[30], link_index=1)
cpu.samples.add(stack_index=stack(pie, lld), values=[10])
off = scope.profiles.add()
off.sample_type.type_strindex = string("off_cpu")
off.sample_type.unit_strindex = string("count")
off.samples.add(stack_index=stack(time), attribute_indices=[red],
                timestamps_unix_nano=[1700000000000000001, 1700000000000000002])

with open(out + ".otlp", "wb") as file:
    file.write(data.SerializeToString(True))


def fix_ids(value):
    if isinstance(value, list):
        for item in value:
            fix_ids(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name in ("traceId", "spanId", "profileId"):
                value[name] = base64.b64decode(item).hex()
            else:
                fix_ids(item)


tree = json.loads(json_format.MessageToJson(data))
fix_ids(tree)
with open(out + ".otlp.json", "w") as file:
    json.dump(tree, file, indent=1)
    file.write("\n")
