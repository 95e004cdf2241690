"""Data at the edge of sense: each trains, or is refused with a reason."""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib

PENUMBRA = os.environ["PENUMBRA"]


def png(width, height, value, channels=1):
    """A picture of one colour, grey or RGB."""
    def chunk(kind, content):
        return (struct.pack(">I", len(content)) + kind + content
                + struct.pack(">I", zlib.crc32(kind + content)))

    rows = (b"\0" + bytes([value]) * (width * channels)) * height
    kind = {1: 0, 3: 2}[channels]
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class OddData(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="penumbra-odd-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, content):
        path = self.folder / "photos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def train(self, *settings, data=None, code=0, message="", keep=False):
        command = [PENUMBRA, "train", data or str(self.folder / "photos"), "--steps", "3", "--threads",
                   "1", "--out", str(self.folder / "run"), "--set", "run.report=false", "--set", "run.backbone=tiny"]
        result = subprocess.run([*command, *settings], capture_output=True, text=True, timeout=300, cwd=self.folder,
                                env={**os.environ, "PENUMBRA_DATA": str(self.folder)})
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(message, result.stderr)
        if not keep:
            shutil.rmtree(self.folder / "run", ignore_errors=True)

    def write_classes(self, names, each, make):
        for c, name in enumerate(names):
            for i in range(each):
                self.write(f"{name}/{i}.png", make(c, i))

    def test_pictures_of_one_pixel(self):
        self.write_classes("ab", 12, lambda c, i: png(1, 1, 100 * c + i))
        for backbone in ("tiny", "fast_4"):
            for method in ("fixmatch", "penumbra"):
                self.train("--method", method, "--set", f"run.backbone={backbone}")

    def test_pictures_that_are_all_the_same(self):
        self.write_classes("ab", 12, lambda c, i: png(8, 8, 77))
        self.train("--method", "penumbra")
        self.train("--method", "generations", "--set", "run.backbone=fast_4")

    def test_large_pictures_keep_their_size_when_asked(self):
        self.write_classes("ab", 8, lambda c, i: png(512, 512, 100 * c + i, 3))
        self.train("--size", "512", "--set", "train.batch=2", "--set", "method.ratio=1")

    def test_a_thousand_classes(self):
        self.write_classes([f"class{i}" for i in range(1000)], 3, lambda c, i: png(4, 4, (c + i) % 256))
        self.train("--set", "train.batch=8", "--method", "penumbra")

    def test_nothing_unlabelled(self):
        self.write_classes("ab", 12, lambda c, i: png(8, 8, 100 * c + i))
        for method in ("supervised", "fixmatch", "label_propagation"):
            self.train("--method", method)

    def test_a_batch_larger_than_the_data(self):
        self.write_classes("ab", 5, lambda c, i: png(8, 8, 100 * c + i))
        self.train("--set", "train.batch=500", "--method", "mixmatch")

    def test_batches_of_one_picture_and_so_of_one_class(self):
        methods = re.findall(r"(?m)^(\w+)  ", subprocess.run([PENUMBRA, "list", "methods"], check=True,
                                                             capture_output=True, text=True).stdout)
        self.assertGreater(len(methods), 10)
        for method in methods:
            with self.subTest(method):
                self.train("--method", method, "--labels", "8", "--set", "train.batch=1", data="blobs")

    def test_batches_of_one_picture_whose_last_maps_are_one_pixel(self):
        for backbone in ("resnet18", "fast_8"):
            for kernels in ("own", "libtorch"):
                with self.subTest(backbone=backbone, kernels=kernels):
                    self.train("--method", "supervised", "--labels", "8", "--set", "train.batch=1", "--kernels", kernels,
                               "--set", f"run.backbone={backbone}", data="blobs")

    def test_one_to_four_channels(self):
        for channels in "1234":
            for backbone in ("fast_8", "wrn_10_1"):
                self.train("--labels", "8", "--set", f"data.channels={channels}", "--set", f"run.backbone={backbone}",
                           data="blobs")

    def test_pictures_for_models_of_one_to_four_channels(self):
        self.write("grey.png", png(40, 40, 9))
        self.write("colour.png", png(40, 40, 9, 3))
        for channels in "1234":
            with self.subTest(channels):
                self.train("--labels", "8", "--set", f"data.channels={channels}", data="blobs", keep=True)
                result = subprocess.run([PENUMBRA, "predict", "run", "photos", "--format", "csv", "--threads", "1"],
                                        capture_output=True, text=True, timeout=300, cwd=self.folder)
                possible = channels in "13"  # a picture file has no other
                self.assertEqual(result.returncode, 0 if possible else 2, result.stderr)
                refused = f"pictures have one or three channels, this model takes {channels}"
                self.assertEqual(result.stdout.count(refused), 0 if possible else 2, result.stdout)
                shutil.rmtree(self.folder / "run")

    def test_a_split_without_unlabelled_pictures_or_without_a_class(self):
        self.write_classes("ab", 6, lambda c, i: png(8, 8, 100 * c + i))
        names = [f"{name}/{i}.png" for name in "ab" for i in range(6)]
        split = self.folder / "split.csv"

        def write_split(part_of):
            split.write_text("index,part,file\n" + "".join(f"{i},{part_of(i)},{name}\n" for i, name in enumerate(names)))

        write_split(lambda i: "validation" if i % 6 == 0 else "labelled")
        for method in ("fixmatch", "penumbra", "generations"):
            self.train("--method", method, "--split", str(split), code=2, message="method 'supervised' needs none")
        self.train("--method", "supervised", "--split", str(split))
        # Class b has no labelled picture: it is never predicted, but nothing breaks.
        write_split(lambda i: "labelled" if i < 5 else "unlabelled")
        self.train("--split", str(split))

    def test_one_class_is_refused(self):
        self.write_classes("a", 12, lambda c, i: png(8, 8, i))
        self.train(code=2, message="penumbra: ")

    def test_as_many_certificates_as_features_and_no_more(self):
        self.write_classes("ab", 12, lambda c, i: png(8, 8, 100 * c + i))
        self.train("--method", "penumbra", "--set", "method.certificates=32")
        self.train("--method", "penumbra", "--set", "method.certificates=33", code=2,
                   message="certificates = 33: expected at most 32, the number of features")


if __name__ == "__main__":
    unittest.main()
