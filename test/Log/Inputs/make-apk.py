#!/usr/bin/env python3
"""Writes a zip file like an APK: make-apk.py OUTPUT [--KIND] NAME=FILE...

KIND is stored (the default), deflated, streamed (the same, with sizes in the table only),
bomb (the file and 200 MB of zero bytes, deflated), encrypted, method (an unknown one), far
(the file's header is beyond the end), checksum (a wrong one) or outside (the names lead out
of every folder). Kinds of damage concern the last file.
"""

import io
import sys
import zipfile


class Stream(io.RawIOBase):
    """A file in which no position can be set."""

    def __init__(self, path):
        super().__init__()
        self.file = open(path, "wb")

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)

    def close(self):
        self.file.close()
        super().close()


def main():
    output, *rest = sys.argv[1:]
    kind = rest.pop(0)[2:] if rest[0].startswith("--") else "stored"
    is_deflated = kind in ("deflated", "streamed", "bomb")
    method = zipfile.ZIP_DEFLATED if is_deflated else zipfile.ZIP_STORED
    to = Stream(output) if kind == "streamed" else output
    with zipfile.ZipFile(to, "w", method) as file:
        file.writestr("AndroidManifest.xml", "<manifest/>")
        for pair in rest:
            name, source = pair.split("=")
            if kind == "outside":
                name = "../../" + name
            with open(source, "rb") as contents:
                data = contents.read() + (bytes(200_000_000) if kind == "bomb" else b"")
            file.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data, method)
    if kind == "streamed":
        to.close()
    with open(output, "rb") as file:
        data = bytearray(file.read())
    entry = data.rindex(b"PK\x01\x02")
    header = int.from_bytes(data[entry + 42:entry + 46], "little")
    if kind == "encrypted":
        data[header + 6] |= 1
    elif kind == "method":
        data[entry + 10] = 99
    elif kind == "checksum":
        data[entry + 16] ^= 1
    elif kind == "far":
        data[entry + 42:entry + 46] = b"\xff" * 4
    with open(output, "wb") as file:
        file.write(data)


main()
