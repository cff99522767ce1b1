"""Checks what notebooks show: notebook.py BINARY PROFILE PAGE [TEST...]

Writes the HTML of a profile to PAGE, as a notebook contains it, for a browser."""

import html.parser
import pickle
import sys
import unittest

import lidia

BINARY, PROFILE, PAGE = sys.argv[1:4]
HOSTILE = "<script>alert(1)</script>\"'&amp;$x$\u202e\x1b[31m\0\udcff"
SHOWN = "<script>alert(1)</script>\"'&amp;$x$\\u202e\\x1b[31m\\x00\\udcff"
TABLE = {"table", "caption", "thead", "tbody", "tr", "th", "td", "code"}


class Reader(html.parser.HTMLParser):
    """The tags, the attributes and the texts of cells."""

    def __init__(self, document):
        super().__init__()
        self.tags, self.attributes, self.texts, self.rest = [], [], [], ""
        self.feed(document)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag in ("code", "caption", "th", "td", "pre"):
            self.texts.append("")

    def handle_data(self, data):
        if self.texts:
            self.texts[-1] += data


class NotebookTest(unittest.TestCase):
    def table(self, value):
        reader = Reader(value._repr_html_())
        self.assertLessEqual(set(reader.tags), TABLE)
        self.assertLessEqual({name for name, _ in reader.attributes},
                             {"scope", "style", "colspan"})
        return reader.texts

    def frame(self, name):
        return lidia.Frame(name, "/src/" + name, 1, None, True)

    def test_lookup(self):
        archive = lidia.convert(BINARY, columns=True)
        frames = archive.lookup(0x400197)
        self.assertIsInstance(frames, lidia.Frames)
        self.assertEqual(frames, [frames[0], frames[1]])
        self.assertEqual(pickle.loads(pickle.dumps(frames)), frames)
        self.assertIsInstance(archive.lookup_batch([0x400197])[0], lidia.Frames)
        texts = [text for text in self.table(frames) if text]
        self.assertEqual(texts, ["Function", "File", "Inlined", "one", "/src/inline.c:23:43", "inlined",
                                 "chain", "/src/inline.c:26:13"])
        self.assertEqual(self.table(archive.lookup(1)), ["Function", "File", "Inlined"])
        self.assertIn("one", self.table(frames[0]))

    def test_hostile_names(self):
        frame = self.frame(HOSTILE)
        for value in (frame, lidia.Frames([frame])):
            self.assertIn(SHOWN, self.table(value))
            self.assertIn("/src/" + SHOWN + ":1", self.table(value))
        stack_frame = lidia.StackFrame(0x10, HOSTILE, lidia.Frames([frame]), HOSTILE, 0x20,
                                       HOSTILE, 0, False, False)
        self.assertEqual(self.table(stack_frame).count(SHOWN), 3)
        self.assertIn(SHOWN + "+0x20", self.table(stack_frame))
        texts = self.table(lidia.Stack([stack_frame, stack_frame], HOSTILE, 0x30))
        self.assertEqual(texts.count(SHOWN), 6)
        self.assertIn(f"end: {SHOWN} at 0x30", texts)
        # Not even a value of the wrong type.
        self.assertIn(SHOWN, self.table(frame._replace(file=None, line=HOSTILE)))

    def test_nothing_known(self):
        frame = lidia.Frame(None, None, None, None, False)
        self.assertIn("??", self.table(frame))
        empty = lidia.StackFrame(0x10, None, lidia.Frames(), "[anon]", None, None, 0, False,
                                 False)
        self.assertIn("??", self.table(lidia.Stack([empty], "complete", None)))

    def test_bounds(self):
        self.assertLess(len(self.frame("<" * 1_000_000)._repr_html_()), 20_000)
        many = lidia.Frames([self.frame("f")] * 100_000)
        self.assertLess(len(many._repr_html_()), 1_000_000)
        self.assertIn("and 99000 more", self.table(many))

    def test_profile(self):
        profile = lidia.symbolize_profile(PROFILE, warnings=[])
        self.assertIsInstance(profile, bytes)
        page = lidia.symbolize_profile(bytes(profile), format="html", warnings=[])
        for value in (profile, page, lidia.Profile(profile)):
            reader = Reader(value._repr_html_())
            self.assertEqual(reader.tags, ["iframe"])
            attributes = dict(reader.attributes)
            self.assertEqual(attributes["sandbox"], "allow-scripts")
            self.assertEqual(attributes["srcdoc"], page.decode())
            self.assertEqual(set(attributes), {"title", "sandbox", "allow", "style", "srcdoc"})
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write("<!doctype html><title>A notebook</title>" + profile._repr_html_())

    def test_other_formats(self):
        for name in ("folded", "top", "text"):
            value = lidia.symbolize_profile(PROFILE, format=name, warnings=[])
            reader = Reader(value._repr_html_())
            self.assertEqual(reader.tags, ["pre"])
            self.assertIn("script", reader.texts[0])
        value = lidia.symbolize_profile(PROFILE, format="speedscope", warnings=[])
        self.assertIsNone(value._repr_html_())
        many = lidia.Profile(b"<b>\n" * 10_000)
        many.format = "folded"
        self.assertTrue(many._repr_html_().endswith("&lt;b&gt;\nand 9000 more lines</pre>"))
        # More than a notebook should store.
        large = lidia.Profile(b"<" * (33 << 20))
        large.format = "html"
        self.assertLess(len(large._repr_html_()), 1000)
        # Input that is not a profile is an error, as elsewhere.
        with self.assertRaises(lidia.Error):
            lidia.Profile(b"no profile")._repr_html_()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
