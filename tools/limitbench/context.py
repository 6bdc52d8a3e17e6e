"""One run: its programs, its folder, and how much it measures."""

import contextlib
import itertools
import json
import os
import subprocess
import tempfile

ROUNDS = 5


class Context:
    """What every row is given."""

    def __init__(self, folder, programs, limits, is_quick):
        self.folder, self.programs, self.limits, self.is_quick = folder, programs, limits, is_quick
        self.numbers = itertools.count()

    def size(self, full, quick):
        """How much of something is measured."""
        return quick if self.is_quick else full

    @property
    def rounds(self):
        return range(ROUNDS)

    @contextlib.contextmanager
    def own_folder(self):
        """What is made meanwhile is removed at the end of the block."""
        folder = self.folder
        with tempfile.TemporaryDirectory(dir=folder) as self.folder:
            try:
                yield
            finally:
                self.folder = folder

    def path(self, name):
        """A path that is not in use."""
        return os.path.join(self.folder, f"{next(self.numbers)}-{name}")

    def ours(self, program, *arguments, **options):
        """What one of our programs prints, as JSON."""
        return printed(self.programs[program], *arguments, **options)

    def limit(self, program, *arguments):
        """What a limit program prints, as JSON."""
        return printed(self.limits[program], *arguments)


def printed(*command, **options):
    texts = [str(word) for word in command]
    return json.loads(subprocess.run(texts, check=True, stdout=subprocess.PIPE, text=True, **options).stdout)
