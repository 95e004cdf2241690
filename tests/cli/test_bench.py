import json
import unittest

from command import CommandTest

QUICK = ("bench", "--batch", "4", "--size", "8", "--rounds", "1", "--seconds", "0")


class Bench(CommandTest):
    def test_json_has_the_fraction_and_the_figures_behind_it(self):
        out, _ = self.run_command(*QUICK, "--backbone", "wrn_10_1", "--method", "fixmatch", "--format", "json")
        result = json.loads(out)
        for rate in ("train_images_per_second", "bound_images_per_second", "predict_images_per_second"):
            self.assertGreater(result[rate], 0)
        self.assertAlmostEqual(result["bound_fraction"],
                               result["train_images_per_second"] / result["bound_images_per_second"])
        self.assertGreater(result["method_step_seconds"], 0)

    def test_pictures_of_any_size_have_a_bound(self):
        out, _ = self.run_command("bench", "--batch", "2", "--size", "30", "--rounds", "1", "--seconds", "0",
                                  "--backbone", "wrn_10_1", "--format", "json")
        self.assertGreater(json.loads(out)["bound_images_per_second"], 0)

    def test_the_signature_does_not_depend_on_threads_or_network(self):
        def signature(*arguments):
            return json.loads(self.run_command(*QUICK, *arguments, "--format", "json")[0])["signature"]
        self.assertRegex(signature("--threads", "1", "--backbone", "wrn_10_1"), "^[0-9a-f]{16}$")
        self.assertEqual(signature("--threads", "1", "--backbone", "wrn_10_1"), signature("--threads", "2", "--backbone", "tiny"))

    def test_a_network_without_bound_is_measured_all_the_same(self):
        out, _ = self.run_command(*QUICK, "--backbone", "tiny", "--format", "json")
        self.assertIsNone(json.loads(out)["bound_fraction"])
        out, _ = self.run_command(*QUICK, "--backbone", "tiny")
        self.assertRegex(out, r"training step +[\d.]+ images/s")

    def test_progress_of_what_takes_seconds_says_how_many(self):
        _, error = self.run_command("bench", "--batch", "4", "--size", "8", "--rounds", "2", "--seconds", "0.5",
                                    "--backbone", "tiny")
        self.assertRegex(error, r"measuring 1 of 2 \(50 %\), \d+ s each, \d+ s left")

    def test_mistakes(self):
        self.fail_command("bench", "--backbone", "vgg", message="no backbone 'vgg'")
        self.fail_command("bench", "--method", "magic", message="no method 'magic'")
        self.fail_command("bench", "--precision", "fp8", message="'fp8'")


if __name__ == "__main__":
    unittest.main()
