"""Arrow arrays as input and output: arrow.py BINARY FOLDER"""

import os
import pickle
import random
import sys
import unittest

import duckdb
import numpy
import pandas
import polars
import pyarrow as pa

import lidia

BINARY, FOLDER = sys.argv[1:]
PATH = os.path.join(FOLDER, "inline.lidia")
ARCHIVE = lidia.convert(BINARY, PATH, columns=True)
ID = ARCHIVE.build_id
UNKNOWN_ID = "00" * 20
TEXT = pa.dictionary(pa.int32(), pa.utf8())
FRAMES = pa.list_(pa.struct([("function", TEXT), ("file", TEXT),
                             ("line", pa.uint32()), ("inlined", pa.bool_())]))


def expected(address):
    """The expected contents of a row, from a plain lookup."""
    if address is None:
        return None
    found = ARCHIVE.lookup(address % 2**64)
    return [{"function": f.function, "file": f.file, "line": f.line,
             "inlined": f.inlined} for f in found] or None


def some_addresses(count, seed=1):
    source = random.Random(seed)
    return [source.choice([None, source.randrange(0x400170, 0x400210), 5])
            for _ in range(count)]


class TypesTest(unittest.TestCase):
    def setUp(self):
        self.symbolizer = lidia.Symbolizer([ARCHIVE])

    def test_result_type(self):
        frames = ARCHIVE.symbolize(pa.array([0x40017C], pa.uint64()))
        self.assertEqual(pa.array(frames).type, FRAMES)
        self.assertEqual(len(frames), 1)
        self.assertEqual(repr(frames), "<lidia.Array of frames, 1 rows>")
        pa.array(frames).validate(full=True)

    def test_addresses(self):
        rows = some_addresses(1000)
        for type in pa.uint64(), pa.int64():
            given = pa.array(rows, type)
            frames = pa.array(ARCHIVE.symbolize(given))
            frames.validate(full=True)
            self.assertEqual(frames.to_pylist(), [expected(row) for row in rows])
            # Slices have offsets in values and in bits.
            for first, count in ((1, 999), (7, 20), (8, 0), (13, 987)):
                part = pa.array(ARCHIVE.symbolize(given.slice(first, count)))
                part.validate(full=True)
                self.assertEqual(part.to_pylist(), frames.to_pylist()[first:first + count])
        kernel = pa.array([-1, -2**63], pa.int64())
        self.assertEqual(pa.array(ARCHIVE.symbolize(kernel)).to_pylist(), [None, None])
        for empty in (pa.array([], pa.uint64()), pa.nulls(3, pa.uint64())):
            self.assertEqual(pa.array(ARCHIVE.symbolize(empty)).null_count, len(empty))

    def test_other_addresses(self):
        for wrong in (pa.array([1], pa.int32()), pa.array([1.0]), pa.array(["a"]),
                      pa.array([1], pa.uint64()).dictionary_encode(),
                      pa.table({"a": [1]}), pa.array([[1]])):
            with self.assertRaisesRegex(TypeError, "uint64 or int64, not "):
                ARCHIVE.symbolize(wrong)
        for wrong in (7, None, "text", b"bytes", numpy.array([1, 2], dtype="int32"),
                      numpy.array([1.0]), numpy.array([[1]]), numpy.arange(8)[::2]):
            with self.assertRaisesRegex(TypeError, "must be an Arrow array"):
                ARCHIVE.symbolize(wrong)

    def test_build_ids(self):
        texts = [ID, None, ID.upper(), UNKNOWN_ID, "xyz", "", "ab" * 500, ID]
        addresses = pa.array([0x40017C] * len(texts), pa.uint64())
        full = expected(0x40017C)
        text_rows = [full, None, full, None, None, None, None, full]
        raw = [bytes.fromhex(t) if t and t != "xyz" else None if t is None else b""
               for t in texts]
        columns = [pa.array(texts, type) for type in
                   (pa.utf8(), pa.large_utf8(), pa.string_view())]
        columns += [pa.array(raw, type) for type in
                    (pa.binary(), pa.large_binary(), pa.binary_view())]
        columns += [pa.DictionaryArray.from_arrays(
            pa.array([0, 1, 2, 3, 4, 5, 6, 0], index), pa.array(texts[:7]))
            for index in (pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(),
                          pa.uint32(), pa.int64(), pa.uint64())]
        for column in columns:
            with self.subTest(type=column.type):
                frames, reasons = self.symbolizer.symbolize(column, addresses,
                                                            with_reasons=True)
                frames, reasons = pa.array(frames), pa.array(reasons)
                frames.validate(full=True)
                reasons.validate(full=True)
                self.assertEqual(frames.to_pylist(), text_rows)
                why = reasons.to_pylist()
                self.assertEqual([why[i] for i in (0, 1, 2, 7)], [None] * 4)
                self.assertIn(UNKNOWN_ID, why[3])
                self.assertIn("too long", why[6])
                # With different offsets.
                part = self.symbolizer.symbolize(column.slice(3), addresses.slice(3))
                self.assertEqual(pa.array(part).to_pylist(), text_rows[3:])
        fixed = pa.array([bytes.fromhex(ID), None], pa.binary(20))
        self.assertEqual(
            pa.array(self.symbolizer.symbolize(fixed, addresses[:2])).to_pylist(),
            [full, None])
        for one in (ID, bytes.fromhex(ID)):
            self.assertEqual(
                pa.array(self.symbolizer.symbolize(one, addresses)).to_pylist(),
                [full] * len(texts))
        self.assertEqual(pa.array(self.symbolizer.symbolize(
            pa.nulls(2), addresses[:2])).to_pylist(), [None, None])

    def test_other_build_ids(self):
        addresses = pa.array([1], pa.uint64())
        for wrong in (pa.array([1]), pa.array([[ID]]), pa.array([1.5])):
            with self.assertRaisesRegex(TypeError, "build IDs must be utf8"):
                self.symbolizer.symbolize(wrong, addresses)
        with self.assertRaisesRegex(ValueError, "2 build IDs and 1 addresses"):
            self.symbolizer.symbolize(pa.array([ID, ID]), addresses)
        with self.assertRaisesRegex(ValueError, "not a build ID"):
            self.symbolizer.symbolize("xyz", addresses)

    def test_chunks(self):
        rows = some_addresses(100)
        chunks = [rows[:1], rows[1:1], rows[1:60], rows[60:]]
        addresses = pa.chunked_array([pa.array(c, pa.uint64()) for c in chunks])
        ids = pa.chunked_array([[ID] * 50, [ID] * 50])
        frames = self.symbolizer.symbolize(ids, addresses)
        self.assertIsInstance(frames, lidia.ChunkedArray)
        frames = pa.chunked_array(frames)
        frames.validate(full=True)
        self.assertEqual([len(c) for c in frames.chunks], [len(c) for c in chunks])
        self.assertEqual(frames.to_pylist(), [expected(row) for row in rows])
        nothing = pa.chunked_array([], pa.uint64())
        self.assertEqual(len(pa.chunked_array(ARCHIVE.symbolize(nothing))), 0)

    def test_returns(self):
        addresses = pa.array([0x40017D, 0x40017C], pa.uint64())
        self.assertEqual(
            pa.array(ARCHIVE.symbolize(addresses, are_returns=True)).to_pylist(),
            [expected(0x40017C), expected(0x40017B)])


class ArchivesTest(unittest.TestCase):
    """An error in an archive affects only its rows."""

    def reasons(self, source, ids):
        addresses = pa.array([0x40017C] * len(ids), pa.uint64())
        frames, reasons = lidia.Symbolizer(source).symbolize(
            pa.array(ids), addresses, with_reasons=True)
        return ([row is not None for row in pa.array(frames).to_pylist()],
                pa.array(reasons).to_pylist())

    def test_mapping(self):
        text = os.path.join(FOLDER, "text")
        with open(text, "w", encoding="ascii") as file:
            file.write("no archive " * 50)
        found, why = self.reasons(
            {ID: ARCHIVE, "aa": PATH, b"\xbb": text, "cc": "/missing"},
            [ID, "aa", "bb", "cc", "dd", ID])
        self.assertEqual(found, [True, True, False, False, False, True])
        self.assertIn("text", why[2])
        self.assertIn("/missing", why[3])
        self.assertIn("dd", why[4])
        with self.assertRaises(ValueError):
            lidia.Symbolizer({"no hexadecimal": PATH})
        with self.assertRaises(TypeError):
            lidia.Symbolizer(["text"])

    def test_store(self):
        store = os.path.join(FOLDER, "store")
        self.assertRaises(FileNotFoundError, lidia.Symbolizer, store)
        other = "ff" * 20
        added = lidia.add_to_store(store, [BINARY, os.path.join(FOLDER, "none")])
        self.assertEqual(added[:3], (1, 0, 0))
        self.assertEqual(len(added.failures), 1)
        self.assertEqual(lidia.add_to_store(store, [BINARY]).present, 1)
        # An archive with the wrong name.
        names = [os.path.join(store, ".build-id", build_id[:2],
                              build_id[2:] + ".lidia.zst") for build_id in (ID, other)]
        os.makedirs(os.path.dirname(names[1]))
        os.link(*names)
        found, why = self.reasons(store, [ID, other, UNKNOWN_ID])
        self.assertEqual(found, [True, False, False])
        self.assertIn("build ID", why[1])
        self.assertIn(UNKNOWN_ID, why[2])
        symbolizer = lidia.Symbolizer(store)
        self.assertEqual(symbolizer.lookup(ID, 0x40017C), ARCHIVE.lookup(0x40017C))
        self.assertRaises(FileNotFoundError, symbolizer.lookup, UNKNOWN_ID, 1)

    def test_no_address(self):
        frames, why = ARCHIVE.symbolize(pa.array([5, None], pa.uint64()),
                                        with_reasons=True)
        self.assertEqual(pa.array(why).to_pylist(),
                         ["no information about the address", None])


class LibrariesTest(unittest.TestCase):
    """The same with arrays from and to other libraries."""

    def setUp(self):
        self.rows = some_addresses(500, seed=2)
        self.expected = [expected(row) for row in self.rows]
        self.symbolizer = lidia.Symbolizer([ARCHIVE])

    def test_polars(self):
        frame = polars.DataFrame({"build_id": [ID] * 500, "address": self.rows},
                                 schema={"build_id": polars.String,
                                         "address": polars.UInt64})
        frames = polars.Series(self.symbolizer.symbolize(frame["build_id"],
                                                         frame["address"]))
        self.assertEqual(frames.to_list(), self.expected)
        names = frame.with_columns(frames=frames).select(
            polars.col("frames").list.first().struct.field("function").cast(
                polars.String))
        self.assertEqual(names["function"].to_list(),
                         [row and row[0]["function"] for row in self.expected])
        categories = frame["build_id"].cast(polars.Categorical)
        self.assertEqual(polars.Series(self.symbolizer.symbolize(
            categories, frame["address"])).to_list(), self.expected)

    def test_pandas(self):
        frame = pandas.DataFrame({
            "build_id": pandas.Series([ID] * 500, dtype="string[pyarrow]"),
            "address": pandas.Series(self.rows, dtype="uint64[pyarrow]")})
        frames = pa.chunked_array(self.symbolizer.symbolize(frame["build_id"],
                                                            frame["address"]))
        self.assertEqual(frames.to_pylist(), self.expected)
        column = pandas.Series(frames, dtype=pandas.ArrowDtype(frames.type))
        self.assertEqual(column.isna().sum(), self.expected.count(None))

    def test_duckdb(self):
        samples = pa.table({"build_id": [ID] * 500,
                            "address": pa.array(self.rows, pa.uint64())})
        columns = duckdb.sql("select build_id, address from samples").to_arrow_table()
        symbolized = columns.append_column("frames", pa.chunked_array(
            self.symbolizer.symbolize(columns["build_id"], columns["address"])))
        found = duckdb.sql("select frames[1].function as name, count(*) as samples "
                           "from symbolized where frames is not null group by name "
                           "order by name").fetchall()
        names = [row[0]["function"] for row in self.expected if row]
        self.assertEqual(found, [(n, names.count(n)) for n in sorted(set(names))])
        self.assertEqual(len(symbolized), 500)

    def test_numpy(self):
        addresses = pa.array(numpy.array([0x40017C], dtype="uint64"))
        self.assertEqual(pa.array(ARCHIVE.symbolize(addresses)).to_pylist(),
                         [expected(0x40017C)])

    def test_pickle(self):
        again = pickle.loads(pickle.dumps(lidia.Archive(PATH, demangle=False)))
        self.assertEqual(again.lookup(0x40017C), ARCHIVE.lookup(0x40017C))
        for source in ({ID: PATH}, {ID: lidia.Archive(PATH)}, iter([lidia.Archive(PATH)])):
            symbolizer = lidia.Symbolizer(source, max_memory=1 << 20, on_store_error="null")
            again = pickle.loads(pickle.dumps(symbolizer))
            self.assertEqual(again.lookup(ID, 0x40017C), ARCHIVE.lookup(0x40017C))
            self.assertEqual(again.figures()["max_memory"], 1 << 20)
        with open(PATH, "rb") as file, self.assertRaisesRegex(TypeError, "open it by path"):
            pickle.dumps(lidia.Archive(file))

    def test_lists(self):
        one = expected(0x40017C)
        for addresses in (numpy.array([0x40017C, 1], dtype="uint64"),
                          numpy.array([0x40017C, 1]), [0x40017C, 1], (0x40017C, 1)):
            self.assertEqual(pa.array(ARCHIVE.symbolize(addresses)).to_pylist(), [one, None])
        rows = [0x40017C] * 9 + [None, 2**64 - 1]
        self.assertEqual(pa.array(ARCHIVE.symbolize(rows)).to_pylist(), [one] * 9 + [None] * 2)
        self.assertEqual(len(ARCHIVE.symbolize([])), 0)
        found = self.symbolizer.symbolize([ID, ID.upper(), None, bytes.fromhex(ID)],
                                          [0x40017C] * 4)
        self.assertEqual(pa.array(found).to_pylist(), [one, one, None, one])
        self.assertEqual(len(self.symbolizer.symbolize([], [])), 0)
        _, reasons = self.symbolizer.symbolize(["abc"], [1], with_reasons=True)
        self.assertIn("odd number of digits", pa.array(reasons)[0].as_py())
        for wrong, error in (([2**64], OverflowError), ([-1], OverflowError),
                             (["a"], TypeError), ([1.5], TypeError)):
            with self.assertRaises(error):
                ARCHIVE.symbolize(wrong)
        # The array outlives its variable.
        self.assertEqual(pa.array(ARCHIVE.symbolize(
            numpy.array([0x40017C] * 100000))).to_pylist(), [one] * 100000)


unittest.main(argv=sys.argv[:1])
