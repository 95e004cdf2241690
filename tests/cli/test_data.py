import gzip
import json
import pathlib
import signal
import struct
import subprocess
import tarfile
import time
import unittest
import zlib

from command import PENUMBRA, TEST_DATA, CommandTest, need_test_data


def png(width, height, value=128):
    """A grey PNG, made by hand."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    rows = b"".join(b"\0" + bytes([(value + 7 * x * y) % 256 for x in range(width)]) for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def idx(*sizes, content=b""):
    return bytes([0, 0, 8, len(sizes)]) + b"".join(struct.pack(">I", size) for size in sizes) + content


class Inspect(CommandTest):
    def make_folder(self, name="photos"):
        for label in ("cat", "dog"):
            for i in range(5):
                self.write(f"{name}/{label}/{i}.png", png(9, 7, value=i * 20 + ord(label[0])))

    def inspect(self, *arguments, code=0):
        out, _ = self.run_command("data", "inspect", *arguments, "--format", "json", code=code)
        return json.loads(out)

    def test_a_folder_of_pictures(self):
        self.make_folder()
        found = self.inspect("photos", "--size", "8")
        self.assertEqual((found["dataset"], found["train"], found["test"]), ("folder", 10, 0))
        self.assertEqual(found["classes"], ["cat", "dog"])
        self.assertEqual((found["height"], found["width"], found["channels"]), (8, 8, 3))
        self.assertEqual(found["problems"], [])
        out, _ = self.run_command("data", "inspect", "photos")
        self.assertIn("no problems", out)

    def test_all_problems_at_once_and_exit_code_2(self):
        self.make_folder()
        self.write("photos/cat/text.jpg", "hello")
        self.write("photos/dog/cut.png", png(9, 7)[:60])
        self.write("photos/dog/empty.webp", b"")
        found = self.inspect("photos", code=2)
        self.assertEqual(found["train"], 10)
        self.assertEqual(sorted(pathlib.Path(p["file"]).name for p in found["problems"]),
                         ["cut.png", "empty.webp", "text.jpg"])
        out, _ = self.run_command("data", "inspect", "photos", code=2)
        self.assertIn("3 problems", out)

    def test_a_name_that_is_not_utf8_stops_nothing(self):
        self.make_folder()
        self.write("photos/cat/\udcff.jpg", "hello")  # the byte 0xff
        problem, = self.inspect("photos", code=2)["problems"]
        self.assertIn("\n1 problem\n", self.run_command("data", "inspect", "photos", code=2)[0])
        self.assertTrue(problem["file"].endswith("\ufffd.jpg"), problem)

    def test_a_class_that_is_not_utf8_is_a_problem_before_the_training(self):
        self.make_folder()
        for i in range(5):
            self.write(f"photos/caf\udce9/{i}.png", png(9, 7, value=i * 20))  # the byte 0xe9, as Windows-1252 has it
        problem, = self.inspect("photos", code=2)["problems"]
        self.assertTrue(problem["file"].endswith("caf\ufffd"), problem)
        self.assertIn("is not UTF-8", problem["what"])
        self.write("table/1.png", png(9, 7))
        self.write("table/2.png", png(9, 7, value=9))
        self.write("table/labels.csv", b"file,label\n1.png,caf\xe9\n2.png,dog\n")
        problem = self.inspect("table", code=2)["problems"][0]
        self.assertEqual(problem["where"], "line 2")
        self.assertIn("save the table as UTF-8", problem["what"])

    def test_the_same_picture_in_train_and_test(self):
        for part in ("train", "test"):
            for label in ("cat", "dog"):
                for i in range(3):
                    value = 40 * i + 9 * len(part) + (20 if label == "dog" else 0)
                    self.write(f"photos/{part}/{label}/{i}.png", png(8, 8, value))
        self.write("photos/test/dog/same.png", (self.folder / "photos/train/dog/1.png").read_bytes())
        found = self.inspect("photos", code=2)
        self.assertEqual(len(found["problems"]), 1)
        self.assertIn("the same picture is in the training set", found["problems"][0]["what"])

    def test_what_is_no_data(self):
        self.fail_command("data", "inspect", "nowhere", message="no dataset or folder 'nowhere'")
        (self.folder / "empty").mkdir()
        self.fail_command("data", "inspect", "empty", message="empty")
        self.fail_command("data", "inspect", "cifar10", message="'penumbra data get cifar10' fetches it")
        self.fail_command("data", "inspect", "blobs", "--set", "data.sise=3", message="does not know 'sise'")
        self.fail_command("data", "inspect", "blobs", "--set", "method.x=3", message="no known section")

    def test_broken_benchmark_files_are_named_with_their_place(self):
        def problems(folder):
            return [(pathlib.Path(p["file"]).name, p["where"], p["what"])
                    for p in self.inspect(folder, code=2)["problems"]]
        record = bytes(3073)
        for i in range(1, 6):
            self.write(f"cifar/data_batch_{i}.bin", record * 2)
        self.write("cifar/test_batch.bin", record + b"\x0b" + bytes(3072) + b"xyz")
        self.write("cifar/batches.meta.txt", "\n".join("abcdefghij"))
        found = problems("cifar")
        self.assertIn(("test_batch.bin", "record 1", "label 11, expected 0 to 9"), found)
        self.assertIn(("test_batch.bin", "record 2"), [f[:2] for f in found])
        for part in ("train", "t10k"):
            self.write(f"mnist/{part}-images-idx3-ubyte", idx(2, 4, 4, content=bytes(32)))
            self.write(f"mnist/{part}-labels-idx1-ubyte.gz", gzip.compress(idx(2, content=b"\1\2"))[:-9])
        self.assertIn("cut short", problems("mnist")[0][2])
        self.write("svhn/train_32x32.mat", "MATLAB? no")
        self.write("svhn/test_32x32.mat", "")
        self.assertEqual({f[0] for f in problems("svhn")}, {"train_32x32.mat", "test_32x32.mat"})

    @need_test_data
    def test_real_data_has_the_counts_of_its_releases(self):
        for folder, name, train, test, classes in (
                ("cifar-10-batches-bin", "cifar10", 10000, 2000, 10),
                ("cifar-100-binary", "cifar100", 8000, 2000, 100), ("svhn", "svhn", 8000, 2000, 10)):
            found = self.inspect(f"{TEST_DATA}/{folder}")
            self.assertEqual((found["dataset"], found["train"], found["test"], len(found["classes"])),
                             (name, train, test, classes))
            self.assertEqual(set(found["train_per_class"]), {train // classes})
            self.assertEqual((found["height"], found["width"], found["channels"], found["problems"]),
                             (32, 32, 3, []))

    @need_test_data
    def test_real_folders_of_pictures(self):
        for name, train, test, classes, side in (("flowers", 4317, 0, 5, 128),
                                                 ("mini-imagenet", 6000, 1500, 100, 84)):
            with tarfile.open(f"{TEST_DATA}/{name}.tar") as tar:
                tar.extractall(self.folder / name)
            inside = self.folder / name / name  # flowers.tar has a folder of its own
            found = self.inspect(inside if inside.is_dir() else self.folder / name)
            self.assertEqual((found["dataset"], found["train"], found["test"], len(found["classes"]),
                              found["height"]), ("folder", train, test, classes, side))


class Others(CommandTest):
    def test_list_says_where_data_is(self):
        out, _ = self.run_command("data", "list")
        self.assertIn("not here: penumbra data get cifar10", out)
        self.assertIn(str(self.folder), out)

    def test_get_refuses_what_has_no_files(self):
        self.fail_command("data", "get", "cifar11", message="no dataset 'cifar11'")
        self.fail_command("data", "get", "blobs", message="blobs")

    def test_export_writes_pictures_that_can_be_read_again(self):
        out, _ = self.run_command("data", "export", "blobs", "squares", "--pictures", "40")
        self.assertIn("40 of 256 test pictures of blobs", out)
        found = json.loads(self.run_command("data", "inspect", "squares", "--format", "json")[0])
        self.assertEqual((found["train"], len(found["classes"])), (40, 4))
        self.fail_command("data", "export", "blobs", "squares", message="squares is not empty")

    def test_export_appears_whole_or_not_at_all(self):
        process = subprocess.Popen([PENUMBRA, "data", "export", "blobs", "deep/squares/", "--set", "data.count=400000",
                                    "--set", "data.size=4", "--pictures", "100000"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        while not list(self.folder.glob("deep/.export-*/pictures/*/*.png")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=300)[1].decode()
        self.assertEqual(process.returncode, 2, error)
        self.assertIn("stopped: deep/squares/ was not written", error)
        self.assertEqual(list((self.folder / "deep").iterdir()), [])
        (self.folder / "deep/squares").mkdir()
        self.run_command("data", "export", "blobs", "deep/squares/", "--pictures", "4")
        self.assertEqual(len(list(self.folder.glob("deep/squares/*/*.png"))), 4)

    def test_export_refuses_what_no_png_can_have(self):
        for channels in (2, 4):
            self.fail_command("data", "export", "blobs", "squares", "--set", f"data.channels={channels}",
                              message=f"pictures of {channels} channels cannot be written: expected 1 or 3")
        self.assertFalse((self.folder / "squares").exists())

    def test_export_stays_in_its_folder_whatever_classes_are_called(self):
        for i in range(6):
            self.write(f"photos/{i}.png", png(8, 8, 20 * i))
        self.write("photos/labels.csv", "file,label\n" + "".join(f"{i}.png,{'..' if i % 2 else '.'}\n" for i in range(6)))
        self.run_command("data", "export", "photos", "out/inside", "--part", "train")
        self.assertEqual(sorted(p.name for p in (self.folder / "out").iterdir()), ["inside"])
        self.assertEqual(sorted(p.name for p in (self.folder / "out/inside").iterdir()), ["_", "__"])

    def test_export_keeps_classes_apart_and_can_be_read_again(self):
        for i in range(6):
            self.write(f"photos/{i}.png", png(8, 8, 20 * i))
        self.write("photos/labels.csv", "file,label\n0.png,x/y\n1.png,x_y\n")
        self.fail_command("data", "export", "photos", "out", "--part", "train",
                          message="classes 'x/y' and 'x_y' would share the folder x_y")
        self.write("photos/labels.csv", "file,label\n0.png,unlabelled\n1.png,b\n2.png,unlabelled\n3.png,b\n")
        self.run_command("data", "export", "photos", "out", "--part", "train")
        self.assertEqual(sorted(p.name for p in (self.folder / "out/labelled").iterdir()), ["b", "unlabelled"])
        self.assertEqual(len(list((self.folder / "out/unlabelled").iterdir())), 2)
        self.run_command("data", "inspect", "out")

    def test_augment_draws_a_sheet(self):
        arguments = ("--pictures", "2", "--set", "augment.dialect=usb")
        out, _ = self.run_command("data", "augment", "blobs", "-o", "sheet.png", *arguments)
        self.assertIn("augment.dialect = usb", out)
        sheet = (self.folder / "sheet.png").read_bytes()
        self.assertEqual(sheet[:8], b"\x89PNG\r\n\x1a\n")
        self.run_command("data", "augment", "blobs", "-o", "again.png", *arguments)
        self.assertEqual((self.folder / "again.png").read_bytes(), sheet)

    def test_augment_names_what_is_wrong(self):
        def wrong(*arguments, message):
            self.fail_command("data", "augment", "blobs", "-o", "sheet.png", *arguments, message=message)
        wrong("--policy", "randaugmnt", message="no policy 'randaugmnt'; there are:")
        wrong("--set", "augment.dialect=tf", message="expected fixmatch, simple or usb")
        wrong("--set", "augment.magnitude=99", message="expected a whole number from")
        wrong("--set", "augment.pad=1", "--set", "data.size=4", message="pad")
        self.assertFalse((self.folder / "sheet.png").exists())


class Get(CommandTest):
    def test_files_that_are_there_are_left_alone(self):
        for part in ("train", "test"):
            self.write(f"svhn/{part}_32x32.mat", "whatever")
        out, error = self.run_command("data", "get", "svhn")
        self.assertEqual(out, f"svhn is in {self.folder}/svhn\nterms: for non-commercial use only\n")
        self.assertIn("already in", error)
        self.assertIn("their sums are not known", error)
        self.assertEqual((self.folder / "svhn/train_32x32.mat").read_text(), "whatever")
        out, _ = self.run_command("data", "list")
        self.assertRegex(out, rf"(?m)^svhn .* {self.folder}/svhn$")

    def test_other_files_in_the_place_are_named_with_their_sums(self):
        for i in range(1, 6):
            self.write(f"cifar-10-batches-bin/data_batch_{i}.bin", "not CIFAR-10")
        self.fail_command("data", "get", "cifar10",
                          message="data_batch_1.bin has the SHA-256 sum a486b545")
        self.fail_command("data", "get", "cifar10", message="move that folder away")

    def test_another_root_may_be_named(self):
        self.write("elsewhere/svhn/train_32x32.mat", "x")
        self.write("elsewhere/svhn/test_32x32.mat", "x")
        out, _ = self.run_command("data", "get", "svhn", "--data-root", "elsewhere")
        self.assertIn("elsewhere/svhn", out)
        out, _ = self.run_command("data", "list", "--data-root", "elsewhere")
        self.assertIn("Data root: elsewhere", out)


class FolderOptions(CommandTest):
    def setUp(self):
        super().setUp()
        for i in range(8):
            self.write(f"photos/{i}.png", png(10, 6, value=20 * i))

    def inspect(self, *arguments, code=0):
        return json.loads(self.run_command("data", "inspect", *arguments, "--format", "json", code=code)[0])

    def test_labels_may_lie_in_a_file_elsewhere(self):
        self.write("mine.csv", "file,label\n" + "".join(f"{i}.png,{'ab'[i % 2]}\n" for i in range(6)))
        found = self.inspect("photos", "--labels-file", "mine.csv")
        self.assertEqual((found["train"], found["unlabelled"], found["classes"]), (8, 2, ["a", "b"]))
        self.assertEqual(found["train_per_class"], [3, 3])
        self.fail_command("data", "inspect", "photos", message="nothing says their classes")
        self.fail_command("data", "inspect", "photos", "--labels-file", "none.csv", message="none.csv: No such file")

    def test_size_channels_and_fit_are_as_asked(self):
        self.write("photos/labels.csv", "file,label\n" + "".join(f"{i}.png,{'ab'[i % 2]}\n" for i in range(8)))
        found = self.inspect("photos")
        self.assertEqual((found["height"], found["width"], found["channels"]), (6, 10, 3))
        found = self.inspect("photos", "--size", "5", "--set", "data.channels=1", "--set", "data.fit=stretch")
        self.assertEqual((found["height"], found["width"], found["channels"]), (5, 5, 1))
        self.assertEqual((len(found["mean"]), len(found["std"])), (1, 1))
        self.fail_command("data", "inspect", "photos", "--set", "data.fit=squeeze", message="expected crop or stretch")
        self.fail_command("data", "inspect", "photos", "--size", "0", message="--size")

    def test_a_person_sees_a_table_of_classes_and_what_is_left_out(self):
        for label in ("cat", "dog"):
            for i in range(3):
                self.write(f"album/{label}/{i}.png", png(4, 4, value=50 * i + len(label) * ord(label[0])))
        self.write("album/lost.png", png(4, 4))
        self.write("album/cat/old.gif", "GIF89a")
        out, _ = self.run_command("data", "inspect", "album")
        self.assertIn("folder: 6 training images (0 of them unlabelled), 0 validation, 0 test; 4 x 4 pixels", out)
        self.assertRegex(out, r"(?m)^cat +3 +0$")
        self.assertIn("note: 1 picture directly in album belongs to no class", out)
        self.assertIn("note: 1 pictures of other kinds in album are left out", out)

    def test_strict_stops_at_a_picture_that_cannot_be_read(self):
        self.write("photos/labels.csv", "file,label\n" + "".join(f"{i}.png,{'ab'[i % 2]}\n" for i in range(8)))
        self.write("photos/broken.png", "no picture")
        arguments = ("data", "augment", "photos", "-o", "sheet.png", "--pictures", "1")
        self.run_command(*arguments)
        (self.folder / "sheet.png").unlink()
        self.fail_command(*arguments, "--strict", message="broken.png: not a JPEG, PNG or WebP picture")
        self.assertFalse((self.folder / "sheet.png").exists())

    def test_decoded_pictures_are_kept_below_the_data_root(self):
        self.write("photos/labels.csv", "file,label\n" + "".join(f"{i}.png,{'ab'[i % 2]}\n" for i in range(8)))
        first = self.inspect("photos")
        kept, = (self.folder / "packed").iterdir()
        before = kept.stat().st_mtime_ns
        self.assertEqual(self.inspect("photos"), first)
        self.assertEqual(kept.stat().st_mtime_ns, before)


class Drawing(CommandTest):
    def test_views_follow_the_seed_and_may_be_left_out(self):
        def sheet(*arguments):
            self.run_command("data", "augment", "blobs", "-o", "sheet.png", "--pictures", "1", *arguments)
            return (self.folder / "sheet.png").read_bytes()
        self.assertEqual(sheet("--seed", "1"), sheet("--seed", "1"))
        self.assertNotEqual(sheet("--seed", "1"), sheet("--seed", "2"))
        width, height = struct.unpack(">II", sheet("--weak", "0", "--strong", "0")[16:24])
        self.assertEqual((width, height), (96 + 32, 96 + 32))  # one picture, six times 16, and its margins

    def test_grey_pictures_are_drawn_and_others_refused(self):
        self.run_command("data", "augment", "blobs", "-o", "sheet.png", "--set", "data.channels=1")
        self.assertEqual((self.folder / "sheet.png").read_bytes()[25], 0)  # the colour type of grey
        self.fail_command("data", "augment", "blobs", "-o", "two.png", "--set", "data.channels=2",
                          message="pictures of 2 channels cannot be drawn: expected 1 or 3")

    def test_export_of_a_part_that_is_not_there_says_so(self):
        for label in ("cat", "dog"):
            for i in range(3):
                self.write(f"photos/{label}/{i}.png", png(4, 4, value=50 * i + ord(label[0])))
        self.fail_command("data", "export", "photos", "out", message="photos has no test pictures; --part names the other")
        out, _ = self.run_command("data", "export", "photos", "out", "--part", "train", "--pictures", "100")
        self.assertIn("out: 6 of 6 train pictures of photos", out)
        self.assertEqual(len(list((self.folder / "out").rglob("*.png"))), 6)
        self.fail_command("data", "export", "photos", "new", "--part", "all", message="--part")


if __name__ == "__main__":
    unittest.main()
