"""Stores of many archives, without making each: copies of an archive that differ in the
build ID."""

import ctypes
import ctypes.util
import hashlib
import os
import struct
import subprocess
import sys
import tempfile

SEEK_TABLE_MAGIC = 0x8F92EAB1
SKIPPABLE_MAGIC = 0x184D2A5E
CHECKSUMS_IN_TABLE = 0x80
# ZSTD_c_checksumFlag
CHECKSUM_PARAMETER = 201


def build_id(number):
    return hashlib.sha1(b"%d" % number).digest()


def object_name(identifier):
    digits = identifier.hex()
    return f".build-id/{digits[:2]}/{digits[2:]}.lidia.zst"


class Compressor:
    """Compresses an archive of up to 64 KiB as docs/Format.md describes."""

    def __init__(self):
        self.zstd = ctypes.CDLL(ctypes.util.find_library("zstd"))
        self.zstd.ZSTD_createCCtx.restype = ctypes.c_void_p
        self.zstd.ZSTD_compress2.restype = ctypes.c_size_t
        self.context = ctypes.c_void_p(self.zstd.ZSTD_createCCtx())
        self.zstd.ZSTD_CCtx_setParameter(self.context, CHECKSUM_PARAMETER, 1)
        self.room = ctypes.create_string_buffer(1 << 17)

    def __call__(self, content):
        size = self.zstd.ZSTD_compress2(
            self.context, self.room, ctypes.c_size_t(len(self.room)), content,
            ctypes.c_size_t(len(content)))
        frame = self.room.raw[:size]
        # The frame ends with the checksum of its content.
        table = struct.pack("<II", len(frame), len(content)) + frame[-4:]
        table += struct.pack("<IBI", 1, CHECKSUMS_IN_TABLE, SEEK_TABLE_MAGIC)
        return frame + struct.pack("<II", SKIPPABLE_MAGIC, len(table)) + table


def small_archive(tool, binary):
    """The archive of BINARY, and its build ID. Checksums would differ in each copy."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "archive.lidia")
        subprocess.run([tool, "--columns", "--no-crc", binary, "-o", path], check=True)
        with open(path, "rb") as file:
            content = file.read()
        subprocess.run([tool, "store", "add", "-q", folder, path], check=True)
        name = next(name for _, _, files in os.walk(os.path.join(folder, ".build-id"))
                    for name in files)
        where = next(where for where, _, files in os.walk(folder) if name in files)
    own = bytes.fromhex(os.path.basename(where) + name.partition(".")[0])
    if len(content) > 1 << 16 or content.count(own) != 1 or len(own) != 20:
        sys.exit(f"{binary}: expected a small binary with a build ID of 20 bytes")
    return content, own


def write(path, content):
    try:
        with open(path, "wb") as file:
            file.write(content)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path))
        write(path, content)


def fill(tool, binary, store, numbers):
    """Writes the archives NUMBERS to the folder STORE, and the names of their binaries."""
    content, own = small_archive(tool, binary)
    compress = Compressor()
    for number in numbers:
        identifier = build_id(number)
        digits = identifier.hex()
        write(os.path.join(store, object_name(identifier)),
              compress(content.replace(own, identifier)))
        write(os.path.join(store, f".names/{digits[:2]}/{digits[2:]}-program{number}"), b"")
