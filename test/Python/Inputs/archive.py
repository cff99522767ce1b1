"""lidia.Archive and lidia.convert: archive.py BINARY FOLDER [TEST...]"""

import io
import os
import pickle
import sys
import threading
import unittest
import warnings

import lidia

BINARY, FOLDER = sys.argv[1:3]
CHAIN = ["ten", "nine", "eight", "seven", "six", "five", "four", "three", "two",
         "one", "chain"]


class ArchiveTest(unittest.TestCase):
    def setUp(self):
        self.path = os.path.join(FOLDER, "inline.lidia")
        if not os.path.exists(self.path):
            lidia.convert(BINARY, self.path, columns=True).close()

    def check(self, archive):
        frames = archive.lookup(0x40017C)
        self.assertEqual([frame.function for frame in frames], CHAIN)
        self.assertEqual(frames[0][:5], ("ten", "/src/inline.c", 9, 12, True))
        for frame in frames:
            self.assertEqual(frame.start + frame.offset, 0x40017C)
            self.assertLess(frame.offset, frame.size)
        self.assertLess(frames[0].size, frames[-1].size)
        self.assertEqual(str(frames[0]), "ten at /src/inline.c:9:12")
        self.assertFalse(frames[-1].inlined)
        self.assertEqual(archive.lookup(1), [])

    def test_sources(self):
        with open(self.path, "rb") as file:
            data = file.read()
        self.check(lidia.Archive(self.path))
        self.check(lidia.Archive(os.fsencode(self.path).decode()))
        self.check(lidia.Archive(self.path, copy=True))
        self.check(lidia.Archive(data))
        self.check(lidia.Archive(io.BytesIO(data)))
        with open(self.path, "rb") as file:
            archive = lidia.Archive(file)
            self.assertEqual(archive.name, self.path)
            self.check(archive)

    @unittest.skipUnless(os.environ.get("ARCHIVE_URL"), "no server of this test runs")
    def test_urls(self):
        url = os.environ["ARCHIVE_URL"]
        archive = lidia.Archive(url)
        self.assertEqual(archive.name, url)
        self.check(archive)
        with self.assertRaisesRegex(FileNotFoundError, "no such file"):
            lidia.Archive(url + "x")

    def test_batch_and_returns(self):
        archive = lidia.Archive(self.path)
        addresses = [0x400197, 1, 0x40017C, 0x400197]
        self.assertEqual(archive.lookup_batch(addresses),
                         [archive.lookup(address) for address in addresses])
        self.assertEqual(archive.lookup_batch(iter([])), [])
        # The offset is that of the return address.
        self.assertEqual([frame._replace(offset=frame.offset - 1)
                          for frame in archive.lookup(0x40017D, is_return=True)],
                         archive.lookup(0x40017C))
        symbolizer = lidia.Symbolizer([archive])
        for call in (archive.lookup, lambda address: archive.lookup_batch([1, address]),
                     lambda address: symbolizer.lookup(archive.build_id, address)):
            with self.assertRaisesRegex(TypeError, "an address must be an int, not str"):
                call("main")
            for address in (-1, 2 ** 64):
                with self.assertRaisesRegex(
                        OverflowError, "an address must be at least 0 and less than "
                                       f"2\\*\\*64, not {address}$"):
                    call(address)
            call(2 ** 64 - 1)

    def test_descriptions(self):
        self.assertRegex(lidia.__version__, r"^\d+\.\d+\.\d+$")
        symbolizer = lidia.Symbolizer([lidia.Archive(self.path)], max_archives=7,
                                      max_memory=1000)
        self.assertEqual(repr(symbolizer), "<lidia.Symbolizer, 0 of at most 7 archives "
                                           "open, 0 of at most 1000 bytes>")
        symbolizer.lookup("166acf827f01aa2a2feae66d3efb2f57ab5355d1", 0x40017C)
        self.assertEqual(repr(symbolizer), "<lidia.Symbolizer, 1 of at most 7 archives "
                                           "open, 0 of at most 1000 bytes>")

    def test_lists(self):
        archive = lidia.Archive(self.path)
        functions = {function.name: function for function in archive.functions()}
        self.assertEqual(len(functions["chain"].entries), 1)
        self.assertEqual(functions["ten"].entries, ())
        self.assertEqual(functions["chain"].file, "/src/inline.c")
        self.assertIn("/src/inline.c", archive.files())
        self.assertEqual(archive.build_id,
                         "166acf827f01aa2a2feae66d3efb2f57ab5355d1")
        archive.verify()

    def test_close(self):
        with lidia.Archive(self.path) as archive:
            self.assertFalse(archive.closed)
        self.assertTrue(archive.closed)
        self.assertIn("closed", repr(archive))
        for call in (lambda: archive.lookup(1), archive.functions,
                     lambda: archive.build_id):
            self.assertRaisesRegex(ValueError, "closed", call)

    def test_threads(self):
        archive = lidia.Archive(self.path)
        expected = archive.lookup(0x40017C)
        wrong = []

        def run():
            for _ in range(200):
                if archive.lookup(0x40017C) != expected:
                    wrong.append(1)

        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class ErrorTest(unittest.TestCase):
    def write(self, name, data):
        path = os.path.join(FOLDER, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def test_classes(self):
        for path in ("missing", os.path.join(FOLDER, "missing")):
            with self.assertRaises(FileNotFoundError) as caught:
                lidia.Archive(path)
            self.assertEqual(caught.exception.filename, path)
        text = self.write("text", b"no archive at all" * 20)
        with self.assertRaises(lidia.NotAnArchive) as caught:
            lidia.Archive(text)
        self.assertIsInstance(caught.exception, lidia.Error)
        self.assertEqual(caught.exception.file, text)
        self.assertTrue(str(caught.exception).startswith(text))
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((again.file, str(again)), (text, str(caught.exception)))
        with self.assertRaises(lidia.NotABinary):
            lidia.convert(text)
        with self.assertRaises(FileNotFoundError):
            lidia.convert(os.path.join(FOLDER, "missing"))
        with self.assertRaises(TypeError):
            lidia.Archive(17)

    def test_damaged(self):
        data = bytearray(lidia_bytes())
        data[200:260] = b"\xff" * 60
        with self.assertRaises(lidia.Error):
            lidia.Archive(bytes(data)).verify()
        with self.assertRaises(lidia.Error):
            lidia.Archive(lidia_bytes()[:100])

    def test_file_object_fails(self):
        class Broken(io.BytesIO):
            broken = False

            def read(self, size=-1):
                if self.broken:
                    raise RuntimeError("the cable is out")
                return super().read(size)

        file = Broken(lidia_bytes())
        file.broken = True
        with self.assertRaisesRegex(OSError, "the cable is out"):
            lidia.Archive(file)


def lidia_bytes():
    path = os.path.join(FOLDER, "bytes.lidia")
    lidia.convert(BINARY, path, columns=True).close()
    with open(path, "rb") as file:
        return file.read()


class ConvertTest(unittest.TestCase):
    def test_places(self):
        with lidia.convert(BINARY) as archive:
            self.assertEqual(len(archive.lookup(0x40017C)), 11)
        with open(BINARY, "rb") as file:
            data = file.read()
        with lidia.convert(data) as archive:
            self.assertEqual(len(archive.lookup(0x40017C)), 11)
        path = os.path.join(FOLDER, "packed.lidia.zst")
        with lidia.convert(BINARY, path, compress=True, threads=1) as archive:
            self.assertEqual(len(archive.lookup(0x40017C)), 11)
            self.assertEqual(len(archive.functions()),
                             len(lidia.convert(BINARY).functions()))
        with open(path, "rb") as file:
            self.assertEqual(file.read(4), b"\x28\xb5\x2f\xfd")
        default = lidia.convert(BINARY)
        self.assertEqual(default.lookup(0x40017C)[0][:5],
                         ("ten", "/src/inline.c", 9, None, True))
        for options in {"files": False}, {"files": False, "lines": False}:
            without = lidia.convert(BINARY, **options)
            self.assertEqual(without.lookup(0x40017C)[0][:5],
                             ("ten", None, None, None, True))

    def test_warnings(self):
        stripped = os.path.join(os.path.dirname(BINARY), "no-lines.elf")
        if not os.path.exists(stripped):
            return
        texts = []
        lidia.convert(stripped, warnings=texts)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            lidia.convert(stripped)
        self.assertEqual([str(w.message) for w in caught], texts)

    def test_unwritable(self):
        with self.assertRaises(OSError):
            lidia.convert(BINARY, os.path.join(FOLDER, "no", "such", "folder"))


unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
