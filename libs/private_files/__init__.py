"""Files that nobody but their owner can reach."""

from libs.private_files.scratch import ScratchFolder
from libs.private_files.texts import NotPrivate, create_private, read_private

__all__ = ["NotPrivate", "ScratchFolder", "create_private", "read_private"]
