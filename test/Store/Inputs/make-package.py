#!/usr/bin/env python3
"""Makes a package from files.

    make-package.py KIND OUTPUT [FILE=MEMBER...]

KIND is deb, rpm, apk, tar or tar.gz, or an invalid Debian package:

    strange       has links, devices, folders, absolute names, and names with "..", before
                  the members
    zeros         is a file of 4 GB of zeros, compressed
    sparse        is a file of 2^62 bytes, of which it has only the last
    long-name     is an RPM package with a name of 64 MB
    twice         is compressed twice
    no-data       has no data.tar
    short=N       is truncated after N bytes
"""

import gzip
import io
import lzma
import struct
import sys
import tarfile


def tar(members, strange=False):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as t:
        if strange:
            for kind, name, link in ((tarfile.SYMTYPE, "./usr", "/etc"),
                                     (tarfile.LNKTYPE, "./hard", "/etc/passwd"),
                                     (tarfile.CHRTYPE, "./device", ""),
                                     (tarfile.FIFOTYPE, "./pipe", ""),
                                     (tarfile.DIRTYPE, "./folder", "")):
                info = tarfile.TarInfo(name)
                info.type = kind
                info.linkname = link
                t.addfile(info)
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return out.getvalue()


def ar(members):
    out = b"!<arch>\n"
    for name, data in members:
        out += f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode()
        out += data + b"\n" * (len(data) % 2)
    return out


def deb(data, ending=".xz"):
    control = gzip.compress(tar([("./control", b"Package: a\n")]))
    return ar([("debian-binary", b"2.0\n"), ("control.tar.gz", control)] +
              ([("data.tar" + ending, data)] if data is not None else []))


def rpm(members):
    out = b""
    for index, (name, data) in enumerate(members + [("TRAILER!!!", b"")]):
        text = name.encode() + b"\0"
        fields = (index + 1, 0o100644, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(text), 0)
        header = b"070701" + b"".join(b"%08x" % f for f in fields) + text
        out += header + b"\0" * (-len(header) % 4) + data + b"\0" * (-len(data) % 4)
    lead = b"\xed\xab\xee\xdb\3\0" + struct.pack(">hh66shh16s", 0, 1, b"a-1", 1, 5, b"")
    header = b"\x8e\xad\xe8\1\0\0\0\0" + struct.pack(">II", 0, 0)
    return lead + header + header + gzip.compress(out)


def zeros():
    """A tar of a large file. Only the start is made and repeated."""
    size = 4 << 30
    info = tarfile.TarInfo("./zeros")
    info.size = size
    packer = lzma.LZMACompressor(preset=1)
    out = packer.compress(info.tobuf(format=tarfile.GNU_FORMAT) + b"\x7fELF")
    piece = b"\0" * (1 << 24)
    # As much as the time allows; the reader must stop long before.
    for _ in range(40):
        out += packer.compress(piece)
    return out + packer.flush()


def sparse():
    """An old GNU header: a map with a piece at the end, and the real size."""
    info = tarfile.TarInfo("./sparse")
    info.size = 512
    block = bytearray(info.tobuf(format=tarfile.GNU_FORMAT)[:512])
    block[156:157] = b"S"
    block[386:398] = b"\x80\0\0\0" + struct.pack(">Q", (1 << 62) - 512)
    block[398:410] = b"%011o\0" % 512
    block[483:495] = b"\x80\0\0\0" + struct.pack(">Q", 1 << 62)
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block) + b"x" * 512 + b"\0" * 1024


def main(kind, output, *pairs):
    members = []
    for pair in pairs:
        path, name = pair.split("=", 1)
        with open(path, "rb") as file:
            members.append((name, file.read()))
    kind, _, count = kind.partition("=")
    data = {
        "deb": lambda: deb(lzma.compress(tar(members))),
        "rpm": lambda: rpm(members),
        "long-name": lambda: rpm([("n" * 2**26, b"x")]),
        # Signature and control have no end mark of their own.
        "apk": lambda: b"".join(gzip.compress(t) for t in (
            tar([(".SIGN.RSA.key", b"x")])[:1024], tar([(".PKGINFO", b"x")])[:1024],
            tar(members))),
        "tar": lambda: tar(members),
        "tar.gz": lambda: gzip.compress(tar(members)),
        "strange": lambda: deb(lzma.compress(tar(members, strange=True))),
        "zeros": lambda: deb(zeros()),
        "sparse": lambda: deb(lzma.compress(sparse())),
        "twice": lambda: deb(lzma.compress(lzma.compress(tar(members)))),
        "no-data": lambda: deb(None),
        "short": lambda: deb(lzma.compress(tar(members)))[:int(count)],
    }[kind]()
    with open(output, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main(*sys.argv[1:])
