"""Pictures of any kind, as predict sees them."""
import json
import os
import struct
import unittest
import zlib

from command import CommandTest
from test_data import png


def coloured(width, height, colour, opacity=None):
    """A PNG of one colour, with or without an opacity."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    pixel = bytes(colour) + (b"" if opacity is None else bytes([opacity]))
    rows = (b"\0" + pixel * width) * height
    kind = 2 if opacity is None else 6
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Pictures(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.model = None

    def setUp(self):
        super().setUp()
        if Pictures.model is None:
            for label, base in (("dark", 0), ("light", 180)):
                for i in range(20):
                    self.write(f"photos/{label}/{i}.png", png(12, 12, value=base + i))
            self.run_command("train", "photos", "--backbone", "tiny", "--steps", "10", "--size", "12", "--method",
                             "supervised", "--threads", "1", "--out", "run", "--set", "run.report=false")
            Pictures.model = (self.folder / "run/best.safetensors").read_bytes()
        self.write("model.safetensors", Pictures.model)

    def predict(self, *pictures, code=0, input=None):
        out, error = self.run_command("predict", "model.safetensors", *pictures, "--format", "jsonl", code=code,
                                      input=input)
        return [json.loads(line) for line in out.splitlines()], error

    def test_more_than_one_batch_keeps_its_order(self):
        names = [f"many/{i:03}.png" for i in range(300)]
        for i, name in enumerate(names):
            self.write(name, png(12, 12, value=i % 200))
        rows, _ = self.predict("many")
        self.assertEqual([row["file"] for row in rows], names)
        # A picture is told the same wherever it stands.
        again, _ = self.predict(names[270], names[3])
        for row in again:
            other = next(r for r in rows if r["file"] == row["file"])
            self.assertEqual(row["class"], other["class"])
            self.assertAlmostEqual(row["probability"], other["probability"], places=5)

    def test_size_and_kind_of_a_picture_do_not_matter(self):
        self.write("small.png", coloured(3, 3, (200, 200, 200)))
        self.write("wide.png", coloured(90, 20, (200, 200, 200)))
        self.write("opaque.png", coloured(12, 12, (200, 200, 200), opacity=255))
        rows, _ = self.predict("small.png", "wide.png", "opaque.png")
        for row in rows[1:]:
            self.assertAlmostEqual(row["probability"], rows[0]["probability"], places=5)

    def test_what_cannot_be_seen_is_white(self):
        self.write("clear.png", coloured(12, 12, (0, 0, 0), opacity=0))
        self.write("white.png", coloured(12, 12, (255, 255, 255)))
        clear, white = self.predict("clear.png", "white.png")[0]
        self.assertAlmostEqual(clear["probability"], white["probability"], places=5)
        self.assertEqual(clear["class"], white["class"])

    def test_an_ending_says_nothing(self):
        self.write("picture.jpg", png(12, 12, value=5))
        self.write("no ending", png(12, 12, value=5))
        rows, _ = self.predict("picture.jpg", "no ending")
        self.assertAlmostEqual(rows[0]["probability"], rows[1]["probability"], places=6)

    def test_every_picture_that_cannot_be_read_has_a_row_that_says_why(self):
        self.write("empty.png", b"")
        self.write("cut.png", png(12, 12)[:50])
        self.write("text.png", "hello")
        self.write("good.png", png(12, 12))
        rows, error = self.predict("empty.png", "cut.png", "text.png", "none.png", "good.png", code=2)
        why = {row["file"]: row.get("error") for row in rows}
        self.assertIn("the file is empty", why["empty.png"])
        self.assertIn("the PNG is broken or cut short", why["cut.png"])
        self.assertIn("it starts with 'hello'", why["text.png"])
        self.assertIn("No such file", why["none.png"])
        self.assertFalse(why["good.png"])
        self.assertIn("4 of 5 pictures could not be read", error)

    def test_odd_names_are_rows_like_any_other(self):
        self.write("good.png", png(12, 12))
        self.write("folder/good.png", png(12, 12))
        (self.folder / "circle.png").symlink_to("circle.png")
        # Each folder links to the next one: after forty links the kernel follows no more.
        for i in range(50):
            (self.folder / f"links/{i}").mkdir(parents=True)
            (self.folder / f"links/{i}/next").symlink_to(f"../{i + 1}")
        (self.folder / "folder/links").symlink_to("../links/0")
        long = "x" * 300 + ".png"
        rows, error = self.predict(long, "circle.png", "folder", "good.png/below.png", "good.png", code=2)
        why = {row["file"]: row.get("error") for row in rows}
        self.assertIn("File name too long", why[long])
        self.assertIn("Too many levels of symbolic links", why["circle.png"])
        self.assertIn("Not a directory", why["good.png/below.png"])
        closed, = [name for name in why if name.startswith("folder/links/next")]
        self.assertIn("Too many levels of symbolic links", why[closed])
        self.assertFalse(why["good.png"] or why["folder/good.png"])
        self.assertIn("4 of 6 pictures could not be read", error)

    def test_a_pipe_is_not_waited_for(self):
        os.mkfifo(self.folder / "pipe.png")
        rows, _ = self.predict("pipe.png", code=2)
        self.assertIn("not a regular file", rows[0]["error"])

    def test_names_from_standard_input_may_have_empty_lines_between(self):
        self.write("a b.png", png(12, 12))
        rows, _ = self.predict("-", input="\na b.png\n\r\na b.png\r\n")
        self.assertEqual([row["file"] for row in rows], ["a b.png", "a b.png"])

    def test_nothing_to_predict_is_a_mistake(self):
        (self.folder / "empty").mkdir()
        self.fail_command("predict", "model.safetensors", "empty", message="there are no pictures to predict")
        self.fail_command("predict", "model.safetensors", message="PICTURES is required")
        self.fail_command("predict", "model.safetensors", "a.png", "--format", "xml", message="--format")


if __name__ == "__main__":
    unittest.main()
