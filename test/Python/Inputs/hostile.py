"""Arrow arrays that no library makes: hostile.py BINARY [COUNT]

The arrays are made with ctypes, with an error in each. Every detectable error must
raise an exception, and nothing may end the process.
"""

import ctypes
import random
import struct
import sys

import lidia

COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
ARCHIVE = lidia.convert(sys.argv[1])
ID = ARCHIVE.build_id
ROWS = 16


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.c_void_p),
    ("dictionary", ctypes.POINTER(Schema)), ("release", RELEASE_SCHEMA),
    ("private_data", ctypes.c_void_p)]
Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p), ("dictionary", ctypes.POINTER(Array)),
    ("release", RELEASE_ARRAY), ("private_data", ctypes.c_void_p)]
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
released = []


@RELEASE_SCHEMA
def release_schema(schema):
    schema.contents.release = RELEASE_SCHEMA()
    released.append("schema")


@RELEASE_ARRAY
def release_array(array):
    array.contents.release = RELEASE_ARRAY()
    released.append("array")


class Column:
    """An array with buffers of exactly the size that it needs."""

    def __init__(self, format, buffers, length=ROWS, dictionary=None):
        self.dictionary = dictionary
        self.memory = [ctypes.create_string_buffer(b, len(b)) if b is not None else None
                       for b in buffers]
        self.pointers = (ctypes.c_void_p * max(len(buffers), 1))(*[
            ctypes.addressof(m) if m is not None else None for m in self.memory])
        self.schema = Schema(format=format, release=release_schema)
        self.array = Array(length=length, null_count=-1, n_buffers=len(buffers),
                           buffers=ctypes.cast(self.pointers,
                                               ctypes.POINTER(ctypes.c_void_p)),
                           release=release_array)
        if dictionary:
            self.schema.dictionary = ctypes.pointer(dictionary.schema)
            self.array.dictionary = ctypes.pointer(dictionary.array)

    def __arrow_c_array__(self, requested_schema=None):
        return (new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None),
                new_capsule(ctypes.addressof(self.array), b"arrow_array", None))


def good_addresses():
    return Column(b"L", [None, struct.pack("<16Q", *[0x40017C] * ROWS)])


def offsets_column(random):
    wide = random.random() < 0.5
    texts = [random.choice([ID, "", "00" * 20, "x" * 300]) for _ in range(ROWS)]
    places = [0]
    for text in texts:
        places.append(places[-1] + len(text))
    if random.random() < 0.7:
        # Any offset that decreases or is negative is detected.
        places[random.randrange(1, ROWS)] = random.choice([-1, -2**31, -5])
    return Column(random.choice([b"U", b"Z"] if wide else [b"u", b"z"]),
                  [None, struct.pack("<17" + "iq"[wide], *places),
                   "".join(texts).encode() or b"\0"])


def view_column(random):
    data = (ID + "00" * 20).encode()
    views = b""
    for _ in range(ROWS):
        if random.random() < 0.3:
            views += struct.pack("<i12s", random.randrange(13), b"ab" * 6)
        else:
            views += struct.pack(
                "<i4sii", random.choice([40, 41, 80, 81, 2**31 - 1, -1, -2**31]), b"166a",
                random.choice([0, 0, 0, 1, -1, 2**31 - 1, -2**31]),
                random.choice([0, 0, 40, 41, -1, 2**31 - 1, -2**31]))
    return Column(random.choice([b"vu", b"vz"]),
                  [None, views, data, struct.pack("<q", random.choice(
                      [len(data), 0, -1, -2**63]))])


def dictionary_column(random):
    values = Column(b"u", [None, struct.pack("<3i", 0, 40, 80),
                           (ID + "00" * 20).encode()], length=2)
    letter = random.choice("bBhHiIqQ")
    low = -(1 << 7) if letter.islower() else 0
    indices = [random.choice([0, 1, 1, 0, 2, 100, low]) for _ in range(ROWS)]
    return Column(b"cCsSiIlL"["bBhHiIqQ".index(letter)].to_bytes(1, "little"),
                  [None, struct.pack(f"<16{letter}", *indices)], dictionary=values)


def fixed_column(random):
    size = random.choice([0, 1, 20, 64, 65])
    column = Column(b"w:%d" % size, [None, bytes(max(size, 1) * ROWS)])
    if random.random() < 0.3:
        column.schema.format = random.choice(
            [b"w:", b"w:-1", b"w:99999999999999999999", b"w:20x", b"w", b"", None])
    return column


def address_column(random):
    return random.choice([good_addresses, lambda: Column(b"l", [
        bytes(random.randrange(256) for _ in range(2)), bytes(8 * ROWS)])])()


def damage(random, column):
    """Makes a field wrong in a detectable way."""
    array = column.array
    if column.dictionary and random.random() < 0.3:
        array = column.dictionary.array
    member, values = random.choice([
        ("length", [-1, -2**63, 2**63 - 1, 2**40, 0, 1]),
        ("null_count", [-2, -2**63, 2**63 - 1, ROWS + 1]),
        ("offset", [-1, -2**63, 2**63 - 1]),
        ("n_buffers", [0, 1, -1, -2**63, 2**63 - 1]),
        ("n_children", [1, -1, 2**63 - 1]),
        ("buffers", [None]),
        ("buffer", [0, 1, 2]),
        ("dictionary", [None, good_addresses()]),
        ("format", [b"u", b"+s", b"g", b"n", b"\xff", b"", None, b"tsn:UTC"]),
        ("release", [None])])
    value = random.choice(values)
    if member == "buffer":
        if value < len(column.memory):
            column.pointers[value] = None
    elif member == "format":
        # Not a type whose buffers would be larger.
        if value != b"u" or len(column.memory) == 0:
            column.schema.format = value
    elif member == "dictionary":
        column.other = value
        array.dictionary = ctypes.pointer(value.array) if value else None
    elif member == "release":
        array.release = RELEASE_ARRAY()
    elif member == "buffers":
        array.buffers = None
    else:
        setattr(array, member, value)


def main():
    source = random.Random(4)
    symbolizer = lidia.Symbolizer([ARCHIVE])
    seen = {}
    for number in range(COUNT):
        ids = source.choice([offsets_column, view_column, dictionary_column,
                             fixed_column])(source)
        addresses = address_column(source)
        for _ in range(source.randrange(3)):
            damage(source, source.choice([ids, addresses]))
        try:
            frames, _ = symbolizer.symbolize(ids, addresses, with_reasons=True)
            what = f"answers of {len(frames)} rows"
        except (TypeError, ValueError) as error:
            what = f"{type(error).__name__}: {error}"
        seen[what] = seen.get(what, 0) + 1
    for what in ("16 rows", "offsets", "buffer", "index", "length is", "nulls",
                 "children", "dictionary is missing", "was used already", "missing",
                 "must be utf8", "build IDs and"):
        assert any(what in text for text in seen), (what, seen)
    # Each array that was taken was released exactly once.
    print(f"{COUNT} calls, {len(seen)} outcomes")
    unreleased = good_addresses()
    before = len(released)
    ARCHIVE.symbolize(unreleased)
    assert len(released) == before + 2 and not unreleased.array.release


main()
