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
        self.assertRegex(out, r"(?m)^all +run.backbone=fast_32$")
        self.assertRegex(out, r"(?m)^uda +method.threshold=0.95$")
        self.assertRegex(out, r"(?m)^supervised +method.supervised as it comes$")
        self.fail_command("list", "preset", "slow", message="no preset 'slow'; there are: paper quick")

    def test_the_page_of_methods_is_what_the_command_says(self):
        page = (pathlib.Path(__file__).parents[2] / "docs/methods.md").read_text()
        out, _ = self.run_command("list", "methods", "--format", "markdown")
        self.assertTrue(page.endswith(out), "run tools/methods_page.sh")


if __name__ == "__main__":
    unittest.main()
