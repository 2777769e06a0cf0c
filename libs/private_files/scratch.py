"""Working files that never bear a name while anything is in them."""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO


class ScratchFolder:
    """A folder for this user alone. A file in it goes when the last process closes it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def open(self) -> BinaryIO:
        """Opens an empty file without a name: a killed process leaves none behind."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=self._folder)
        # Another process that starts now may have swept it away.
        with suppress(FileNotFoundError):
            os.unlink(name)  # noqa: PTH108
        return os.fdopen(number, "w+b")

    def sweep(self) -> None:
        """Removes what a process left that was killed before it could take a file's name away."""
        for left in self._folder.glob("*"):
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left, ignore_errors=True)
            else:
                with suppress(OSError):
                    left.unlink()
