#!/usr/bin/env python3
"""Writes a zip file like an APK: make-apk.py OUTPUT [--KIND] NAME=FILE...

KIND is stored (the default), deflated, bomb (100 MB of zero bytes, deflated, instead of
the file), encrypted, method (an unknown one), far (the file's header is beyond the end)
or outside (the names lead out of every folder).
"""

import sys
import zipfile


def main():
    output, *rest = sys.argv[1:]
    kind = rest.pop(0)[2:] if rest[0].startswith("--") else "stored"
    method = zipfile.ZIP_DEFLATED if kind in ("deflated", "bomb") else zipfile.ZIP_STORED
    with zipfile.ZipFile(output, "w", method) as file:
        file.writestr("AndroidManifest.xml", "<manifest/>")
        for pair in rest:
            name, source = pair.split("=")
            if kind == "outside":
                name = "../../" + name
            with open(source, "rb") as contents:
                data = contents.read() if kind != "bomb" else bytes(100_000_000)
            file.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data, method)
    with open(output, "rb") as file:
        data = bytearray(file.read())
    entry = data.rindex(b"PK\x01\x02")
    header = int.from_bytes(data[entry + 42:entry + 46], "little")
    if kind == "encrypted":
        data[header + 6] |= 1
    elif kind == "method":
        data[entry + 10] = 99
    elif kind == "far":
        data[entry + 42:entry + 46] = b"\xff" * 4
    with open(output, "wb") as file:
        file.write(data)


main()
