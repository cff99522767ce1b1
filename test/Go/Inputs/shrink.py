"""Makes a small fixture from a Go program.

usage: shrink.py PROGRAM OUTPUT.xz

The fixtures were made from chain.go by

    go build -trimpath -o chain chain.go
    shrink.py chain chain-VERSION.xz

with Debian's golang-1.19 and with the toolchains of Go 1.21.13 and 1.26.8
(GOTOOLCHAIN). The program is stripped. Code, initial data and types become zeros,
because readers of Go's tables do not use them. The rest is compressed.
"""

import json
import lzma
import subprocess
import sys
import tempfile

LLVM = "/usr/lib/llvm-19/bin/"


def main(program, output):
    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(["strip", "--strip-all", "-o",
                        stripped.name, program], check=True)
        with open(stripped.name, "rb") as f:
            data = bytearray(f.read())
        headers = subprocess.run([LLVM + "llvm-readelf", "-S",
                                  "--elf-output-style=JSON", stripped.name],
                                 check=True, stdout=subprocess.PIPE).stdout
    sections = {entry["Section"]["Name"]["Name"]: entry["Section"]
                for entry in json.loads(headers)[0]["Sections"]}
    table = sections[".gopclntab"]["Address"].to_bytes(8, "little")
    for section in sections.values():
        address, offset = section["Address"], section["Offset"]
        # The module data has the fields types, etypes, rodata and gofunc.
        module = data.find(table, offset, offset + section["Size"])
        if address and module >= 0 and section["Type"]["Name"] == "SHT_PROGBITS":
            layout = data[sections[".gopclntab"]["Offset"]]
            field = module + 8 * (35 if layout == 0xf0 else 37)
            rodata = sections[".rodata"]
            types, types_end, _, functions = (
                int.from_bytes(data[f:f + 8], "little") - rodata["Address"] +
                rodata["Offset"] for f in range(field, field + 32, 8))
            end = min(types_end, functions)
            if rodata["Offset"] <= types <= end <= len(data):
                data[types:end] = bytes(end - types)
    for name in (".text", ".typelink", ".itablink", ".data"):
        section = sections[name]
        start, size = section["Offset"], section["Size"]
        data[start:start + size] = bytes(size)
    with open(output, "wb") as f:
        f.write(lzma.compress(bytes(data), preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    main(*sys.argv[1:])
