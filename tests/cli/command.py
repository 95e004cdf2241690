"""Runs the real command and looks at what a person or a program sees of it."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PENUMBRA = os.environ["PENUMBRA"]
TEST_DATA = os.environ.get("PENUMBRA_TEST_DATA", "")
need_test_data = unittest.skipUnless(
    TEST_DATA, "set PENUMBRA_TEST_DATA to a folder with cifar-10-batches-bin, svhn, ... (docs/data.md)")


class CommandTest(unittest.TestCase):
    """A test with a folder of its own, which is also the data root."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="penumbra-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_command(self, *arguments, code=0, input=None, environment=None):
        """Standard output and error of `penumbra ARGUMENTS`, which must end with `code`."""
        result = subprocess.run(
            [PENUMBRA, *map(str, arguments)], capture_output=True, text=True, errors="backslashreplace", input=input,
            timeout=600, cwd=self.folder, env={**os.environ, "PENUMBRA_DATA": str(self.folder), **(environment or {})})
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stdout, result.stderr

    def fail_command(self, *arguments, message):
        """The user's mistake: exit code 2, one line that says `message`, nothing on stdout."""
        out, error = self.run_command(*arguments, code=2)
        self.assertEqual(out, "")
        self.assertRegex(error, "(?m)^penumbra: ")
        self.assertIn(message, error)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path
