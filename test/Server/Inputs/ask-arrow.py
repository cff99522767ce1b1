"""ask-arrow.py URL BINARY FOLDER: sends tables of pyarrow to /v1/frames, and compares the
answers with those in JSON and with the module's. The server allows 1,000 addresses."""

import json
import os
import random
import sys
import unittest
import urllib.error
import urllib.request

import pandas
import polars
import pyarrow as pa

import lidia

URL, BINARY, FOLDER = sys.argv[1:]
ARCHIVE = lidia.convert(BINARY, os.path.join(FOLDER, "inline.lidia"))
ID = ARCHIVE.build_id
UNKNOWN_ID = "00" * 20
MEDIA_TYPE = "application/vnd.apache.arrow.stream"
MISSING = "the store has no such archive"
NOT_COVERED = "no information about the address"


def post(body, content, accept, query=""):
    request = urllib.request.Request(URL + "/v1/frames" + query, body, {
        "Content-Type": content, "Accept": accept})
    with urllib.request.urlopen(request) as answer:
        return answer.headers["Content-Type"], answer.read()


def stream(table, **options):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, **options) as writer:
        for batch in table.to_batches():
            writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def read(body):
    table = pa.ipc.open_stream(body).read_all()
    table.validate(full=True)
    return table


def ask(table, query=""):
    body = table if isinstance(table, bytes) else stream(table)
    content, answer = post(body, MEDIA_TYPE, MEDIA_TYPE, query)
    assert content == MEDIA_TYPE, content
    return read(answer)


def ask_json(modules):
    body = json.dumps({"modules": modules}).encode()
    return json.loads(post(body, "application/json", "application/json")[1])["modules"]


def refused(body):
    try:
        post(body, MEDIA_TYPE, MEDIA_TYPE)
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())["error"]
    raise AssertionError("it is not refused")


def without_columns(frames):
    """Frames of JSON in the form of the table's. All but the last are inlined."""
    return [{"function": f.get("function"), "file": f.get("file"), "line": f.get("line"),
             "inlined": f is not frames[-1]} for f in frames] or None


def some_rows(count, seed=1):
    source = random.Random(seed)
    return pa.table({
        "build_id": pa.array([source.choice([None, ID, ID.upper(), UNKNOWN_ID])
                              for _ in range(count)]),
        "address": pa.array([source.choice([None, source.randrange(0x400170, 0x400210), 5])
                             for _ in range(count)], pa.uint64())})


class TableTest(unittest.TestCase):
    def test_same_as_the_module(self):
        rows = some_rows(1000)
        symbolizer = lidia.Symbolizer([ARCHIVE])
        for query, flag in ("", False), ("?return_addresses=true", True):
            answer = ask(rows, query)
            self.assertEqual(answer.column_names, ["frames", "reason"])
            frames, reasons = symbolizer.symbolize(
                rows["build_id"], rows["address"], are_returns=flag, with_reasons=True)
            frames = pa.chunked_array(frames)
            self.assertEqual(answer.schema.field("frames").type, frames.type)
            self.assertEqual(answer["frames"].to_pylist(), frames.to_pylist())
            reasons = [MISSING if why and "archive" in why else why
                       for why in pa.chunked_array(reasons).to_pylist()]
            self.assertEqual(answer["reason"].to_pylist(), reasons)
            self.assertIn(MISSING, reasons)
            self.assertIn(NOT_COVERED, reasons)

    def test_same_as_json(self):
        addresses = list(range(0x400170, 0x400210))
        expected = ask_json([{"build_id": ID, "addresses": addresses}])[0]["frames"]
        answer = ask(pa.table({"build_id": [ID] * len(addresses),
                               "address": pa.array(addresses, pa.uint64())}))
        self.assertEqual(answer["frames"].to_pylist(),
                         [without_columns(frames) for frames in expected])
        self.assertGreater(max(len(frames) for frames in expected), 1)

    def test_types(self):
        rows = some_rows(300)
        expected = ask(rows).to_pylist()
        texts = rows["build_id"].combine_chunks()
        values = [text and bytes.fromhex(text) for text in texts.to_pylist()]
        columns = [texts.cast(pa.large_utf8()), texts.cast(pa.string_view()),
                   texts.dictionary_encode(), pa.array(values, pa.binary()),
                   pa.array(values, pa.large_binary()), pa.array(values, pa.binary(20)),
                   pa.array(values, pa.binary_view()),
                   pa.array(values, pa.binary()).dictionary_encode(),
                   texts.dictionary_encode().cast(pa.dictionary(pa.int8(), pa.utf8()))]
        addresses = rows["address"].combine_chunks()
        for column in columns:
            for address in addresses, addresses.cast(pa.int64()):
                table = pa.table({"address": address, "build_id": column})
                self.assertEqual(ask(table).to_pylist(), expected, column.type)
        nulls = pa.table({"build_id": pa.nulls(3), "address": addresses[:3]})
        self.assertEqual(ask(nulls).to_pylist(), [{"frames": None, "reason": None}] * 3)

    def test_other_columns(self):
        """Columns of all layouts before the two are passed over."""
        rows = some_rows(50)
        numbers = pa.array(range(50))
        texts = numbers.cast(pa.utf8())
        lists = pa.array([[i] * (i % 3) for i in range(50)])
        others = {
            "list": lists, "large_list": lists.cast(pa.large_list(pa.int64())),
            "fixed": pa.array([[i, i] for i in range(50)], pa.list_(pa.int64(), 2)),
            "struct": pa.array([{"a": i, "b": str(i)} for i in range(50)]),
            "map": pa.array([[("k", i)] for i in range(50)], pa.map_(pa.utf8(), pa.int64())),
            "view": texts.cast(pa.string_view()), "null": pa.nulls(50),
            "long": pa.array(["x" * 40] * 50, pa.string_view()),
            "bool": pa.array([True, None] * 25), "text": texts.dictionary_encode(),
            "ends": pa.RunEndEncodedArray.from_arrays([20, 50], ["a", "b"]),
            "sparse": pa.UnionArray.from_sparse(pa.array([0] * 50, pa.int8()), [numbers]),
            "dense": pa.UnionArray.from_dense(
                pa.array([0] * 50, pa.int8()), pa.array(range(50), pa.int32()), [numbers])}
        names = list(others) + ["build_id", "more", "address", "last"]
        columns = list(others.values()) + [
            rows["build_id"].combine_chunks().cast(pa.string_view()), texts,
            rows["address"].combine_chunks(), lists]
        self.assertEqual(ask(pa.table(columns, names)).to_pylist(), ask(rows).to_pylist())

    def test_batches(self):
        rows = some_rows(90)
        parts = pa.concat_tables([rows[:10], rows[10:10], rows[10:]])
        self.assertEqual(ask(parts).to_pylist(), ask(rows).to_pylist())
        # Each batch has its own dictionary.
        parts = [pa.table({"build_id": part["build_id"].combine_chunks().dictionary_encode(),
                           "address": part["address"]}) for part in (rows[:40], rows[40:])]
        self.assertEqual(ask(pa.concat_tables(parts)).to_pylist(), ask(rows).to_pylist())
        self.assertEqual(ask(rows[:0]).num_rows, 0)
        # Without the mark of the end.
        self.assertEqual(ask(stream(rows)[:-8]).to_pylist(), ask(rows).to_pylist())

    def test_invalid_build_ids(self):
        rows = pa.table({"build_id": ["xyz", "", "ab" * 65, ID],
                         "address": pa.array([0x40017C] * 4, pa.uint64())})
        answer = ask(rows)
        self.assertEqual(answer["reason"].to_pylist(), [
            "'xyz' is not a build ID: expected hexadecimal digits",
            "the build ID is empty", "the build ID is too long", None])
        self.assertEqual(answer["frames"].null_count, 3)

    def test_other_writers(self):
        rows = some_rows(100)
        expected = ask(rows).to_pylist()
        self.assertEqual(ask(polars.from_arrow(rows).write_ipc_stream(None).getvalue())
                         .to_pylist(), expected)
        frame = pandas.DataFrame({"build_id": rows["build_id"].to_pandas(),
                                  "address": rows["address"].to_pandas(
                                      types_mapper=pandas.ArrowDtype)})
        self.assertEqual(ask(pa.Table.from_pandas(frame)).to_pylist(), expected)
        # And another reader.
        answer = post(stream(rows), MEDIA_TYPE, MEDIA_TYPE)[1]
        self.assertEqual(polars.read_ipc_stream(answer).to_dicts(), expected)


class MixedTest(unittest.TestCase):
    def test_json_to_arrow(self):
        modules = [{"build_id": ID, "addresses": [0x400197, 5]},
                   {"build_id": UNKNOWN_ID, "addresses": [1]},
                   {"debug_id": "82CF6A16017F2AAA2FEAE66D3EFB2F570",
                    "addresses": [0x400198], "return_addresses": True},
                   {"build_id": UNKNOWN_ID, "addresses": []},
                   {"debug_id": "00CF6A16017F2AAA2FEAE66D3EFB2F570", "addresses": [1]}]
        content, answer = post(json.dumps({"modules": modules}).encode(),
                               "application/json", f"text/html, {MEDIA_TYPE};q=0.9")
        self.assertEqual(content, MEDIA_TYPE)
        one = [{"function": "one", "file": "/src/inline.c", "line": 23, "inlined": True},
               {"function": "chain", "file": "/src/inline.c", "line": 26, "inlined": False}]
        self.assertEqual(read(answer).to_pylist(), [
            {"frames": one, "reason": None}, {"frames": None, "reason": NOT_COVERED},
            {"frames": None, "reason": MISSING}, {"frames": one, "reason": None},
            {"frames": None, "reason": MISSING}])

    def test_arrow_to_json(self):
        rows = pa.table({"build_id": [ID, ID, UNKNOWN_ID, None, ID, ID],
                         "address": pa.array([0x400197, 5, 1, 1, 0x400197, None],
                                             pa.uint64())})
        content, answer = post(stream(rows), MEDIA_TYPE, "*/*")
        self.assertEqual(content, "application/json")
        by_json = ask_json([{"build_id": ID, "addresses": [0x400197, 5]},
                            {"build_id": UNKNOWN_ID, "addresses": [1]},
                            {"build_id": ID, "addresses": [0x400197]}])
        missing = {"found": False}
        self.assertEqual(json.loads(answer)["modules"],
                         by_json[:2] + [missing] + by_json[2:] + [missing])


class RefusedTest(unittest.TestCase):
    def check(self, body, status, message):
        self.assertEqual(refused(body), (status, message))

    def check_table(self, columns, status, message, **options):
        self.check(stream(pa.table(columns), **options), status, message)

    def test_types(self):
        addresses = pa.array([1], pa.uint64())
        self.check_table({"build_id": [ID]}, 400,
                         'the Arrow stream has no column "address"')
        self.check_table({"build_id": [ID], "address": ["1"]}, 415,
                         "addresses must be uint64 or int64, not utf8")
        self.check_table({"build_id": [1], "address": addresses}, 415,
                         "build IDs must be utf8, large_utf8, string_view, binary, "
                         "large_binary, binary_view, fixed_size_binary or a dictionary "
                         "of one of them, not int64")
        self.check(stream(pa.table([[ID], [ID], addresses],
                                   ["build_id", "build_id", "address"])), 400,
                   "a malformed Arrow stream: two columns have one name")

    def test_compression(self):
        rows = some_rows(500)
        self.check(stream(rows, options=pa.ipc.IpcWriteOptions(compression="zstd")), 415,
                   "the buffers of the Arrow stream are compressed: write them without "
                   "compression")

    def test_limits(self):
        self.check(stream(some_rows(1001)), 413, "too many addresses in one request")
        values = pa.array([f"{n:08x}" for n in range(1001)])
        rows = pa.table({"build_id": pa.DictionaryArray.from_arrays(pa.array([0]), values),
                         "address": pa.array([1], pa.uint64())})
        self.check(stream(rows), 413, "too many build IDs in the dictionaries")
        # Nulls take no memory.
        schema = pa.schema([("build_id", pa.null()), ("address", pa.uint64())])
        nulls = pa.record_batch([pa.nulls(1001), pa.nulls(1001, pa.uint64())], schema)
        self.check(stream(pa.Table.from_batches([nulls])), 413,
                   "too many addresses in one request")

    def test_cut_off(self):
        """Each prefix is refused, or is whole messages."""
        rows = some_rows(20)
        body = stream(rows)
        whole = 0
        for size in range(len(body)):
            try:
                answer = ask(body[:size])
                self.assertIn(answer.num_rows, (0, 20))
                whole += 1
            except urllib.error.HTTPError as error:
                self.assertEqual(error.code, 400)
        self.assertEqual(whole, 2)

    def test_damaged(self):
        """No byte of the metadata can do harm."""
        source = random.Random(1)
        body = stream(some_rows(20))
        for _ in range(300):
            damaged = bytearray(body)
            damaged[source.randrange(len(body))] ^= 1 << source.randrange(8)
            try:
                ask(bytes(damaged))
            except urllib.error.HTTPError as error:
                self.assertIn(error.code, (400, 413, 415))

    def test_other_formats(self):
        self.check(b"", 400, "a malformed Arrow stream: it is empty")
        sink = pa.BufferOutputStream()
        rows = some_rows(5)
        with pa.ipc.new_file(sink, rows.schema) as writer:
            writer.write_table(rows)
        self.check(sink.getvalue().to_pybytes(), 400,
                   "a malformed Arrow stream: a message is cut off, or no message")


unittest.main(argv=sys.argv[:1])
