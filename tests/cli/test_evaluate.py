import json
import unittest

from command import CommandTest
from test_data import png

TRAIN = ("train", "blobs", "--labels", "40", "--backbone", "tiny", "--threads", "1", "--steps", "60", "--out", "run",
         "--set", "run.report=false")


class Scores(CommandTest):
    def names_of(self, text):
        """The first column of both tables of scores."""
        tables = [table.splitlines() for table in text.split("\n\n") if table.lstrip().startswith("score ")]
        self.assertEqual(len(tables), 2)
        return [[line.split("  ")[0] for line in table[1:] if line] for table in tables]

    def test_a_person_sees_each_once_and_a_program_all_by_name(self):
        self.run_command(*TRAIN, "--method", "penumbra")
        text, _ = self.run_command("evaluate", "run", "--ood", "noise")
        for names in self.names_of(text):
            self.assertIn("epistemic by mahalanobis", names)
            self.assertIn("knn", names)
            self.assertEqual({"epistemic", "mahalanobis"} & set(names), set())
        found = json.loads(self.run_command("evaluate", "run", "--ood", "noise", "--format", "json")[0])
        for scores in (found["selective"], found["ood"]["noise"]):
            self.assertLessEqual({"epistemic", "mahalanobis"}, set(scores))

    def test_an_estimator_with_other_options_has_a_row_of_its_own(self):
        self.run_command(*TRAIN, "--method", "penumbra", "--set", "uncertainty.ridge=1")
        text, _ = self.run_command("evaluate", "run", "--ood", "noise")
        for names in self.names_of(text):
            self.assertLessEqual({"epistemic by mahalanobis", "mahalanobis"}, set(names))


class EmptySets(CommandTest):
    def test_without_test_pictures_it_says_what_to_do(self):
        for label, base in (("dark", 0), ("light", 180)):
            for i in range(2):
                self.write(f"photos/{label}/{i}.png", png(12, 12, value=base + i))
        out, _ = self.run_command("train", "photos", "--backbone", "tiny", "--steps", "2", "--threads", "1", "--method",
                                  "supervised", "--out", "run")
        self.assertIn("there is no test set", out)
        self.fail_command("evaluate", "run", message="photos has no test images to measure on: give it a folder test/")


if __name__ == "__main__":
    unittest.main()
