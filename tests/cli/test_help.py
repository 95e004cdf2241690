import pathlib
import re
import unittest

from command import CommandTest


class Help(CommandTest):
    def test_every_command_has_help_with_an_example(self):
        def visit(*command):
            out, _ = self.run_command(*command, "--help")
            if command:
                self.assertIn("Example:", out, command)
            listed = re.search(r"^Subcommands:\n((?:  .*\n?)*)", out, re.MULTILINE)
            for line in (listed[1].splitlines() if listed else []):
                if re.match(r"  \S", line):
                    visit(*command, line.split()[0])
        visit()

    def test_version(self):
        out, _ = self.run_command("--version")
        self.assertRegex(out, r"^penumbra \d+\.\d+\.\d+\n$")

    def test_what_is_mistyped_is_named_with_what_there_is(self):
        self.fail_command("trian", message="no command 'trian'; there are: train evaluate")
        self.fail_command("data", "inspect", message="DATA is required")
        self.fail_command("list", "datsets", message="nothing to list called 'datsets'; there are: datasets")
        self.fail_command("list", "dataset", "cifar", message="no dataset 'cifar'; there are: blobs")

    def test_list_shows_every_kind_and_the_options_of_one(self):
        out, _ = self.run_command("list")
        for word in ("datasets", "folder", "policies", "randaugment", "backbones", "wrn"):
            self.assertIn(word, out)
        out, _ = self.run_command("list", "dataset", "folder")
        self.assertRegex(out, r"fit +crop +crop or stretch +a picture")
        out, _ = self.run_command("list", "settings")
        for setting in ("run.labels", "train.lr", "uncertainty.unfamiliar"):
            self.assertRegex(out, rf"(?m)^{setting} ")
        out, _ = self.run_command("list", "preset", "quick")
        self.assertRegex(out, r"(?m)^all +run.backbone=fast_48$")
        self.assertRegex(out, r"(?m)^uda +method.threshold=0.95$")
        self.assertRegex(out, r"(?m)^supervised +method.supervised as it comes$")
        self.fail_command("list", "preset", "slow", message="no preset 'slow'; there are: paper quick")

    def test_the_page_of_methods_is_what_the_command_says(self):
        page = (pathlib.Path(__file__).parents[2] / "docs/methods.md").read_text()
        out, _ = self.run_command("list", "methods", "--format", "markdown")
        self.assertTrue(page.endswith(out), "run tools/methods_page.sh")


class Listing(CommandTest):
    def test_every_kind_can_be_asked_for_in_one_or_many(self):
        for one, many, name in (("dataset", "datasets", "blobs"), ("policy", "policies", "flip_crop"),
                                ("backbone", "backbones", "tiny"), ("estimator", "estimators", "knn"),
                                ("method", "methods", "fixmatch"), ("preset", "presets", "quick")):
            with self.subTest(one):
                out, _ = self.run_command("list", many)
                self.assertRegex(out, rf"(?m)^{name} ")
                self.assertEqual(self.run_command("list", one)[0], out)

    def test_a_part_shows_its_defaults_and_what_is_allowed(self):
        out, _ = self.run_command("list", "estimator", "knn")
        self.assertRegex(out, r"(?m)^neighbours +10 +1 to 10000 +")
        self.assertIn("https://arxiv.org/abs/2204.06507", out)
        out, _ = self.run_command("list", "estimator", "entropy")
        self.assertIn("It has no options.", out)
        out, _ = self.run_command("list", "backbone", "wrn_10_1")
        self.assertIn("option", out)
        self.fail_command("list", "method", "fixmach", message="no method 'fixmach'; there are:")
        self.fail_command("list", "backbone", "wrn_11_1", message="no backbone 'wrn_11_1':")

    def test_markdown_has_a_heading_for_every_part(self):
        out, _ = self.run_command("list", "policies", "--format", "markdown")
        for name in ("ctaugment", "flip_crop", "none", "randaugment"):
            self.assertIn(f"## `{name}`\n", out)
        self.assertIn("| option | default | allowed | meaning |", out)
        self.fail_command("list", "policies", "--format", "html", message="--format")

    def test_a_command_line_that_says_nothing_is_a_mistake(self):
        self.fail_command(message="--help' shows what there is")
        self.fail_command("data", message="--help' shows what there is")
        self.fail_command("data", "inspect", "a", "--size", "0",
                          message="--size: Value 0 not in range 1 to 4096; 'penumbra data inspect --help' shows")
        self.fail_command("--verison", message="--help' shows what there is")
        self.fail_command("train", "blobs", "--stpes", "3", message="'penumbra train --help' shows what there is")


if __name__ == "__main__":
    unittest.main()
