"""Modules of others: importing a file of theirs, putting them in order, and the line where one failed."""

from libs.modules.importing import forget, import_file
from libs.modules.ordering import in_order
from libs.modules.packages import modules_of, moved_to
from libs.modules.places import place_of

__all__ = ["forget", "import_file", "in_order", "modules_of", "moved_to", "place_of"]
