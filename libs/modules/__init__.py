"""Modules of others: found, imported, put in order, and the line where one failed."""

from libs.modules.distributions import entry_points_of, forget_entry_points, installed_version
from libs.modules.importing import forget, import_file
from libs.modules.manifests import ManifestFault, peek_manifest, read_manifest
from libs.modules.ordering import in_order
from libs.modules.packages import belongs, modules_of, moved_to, owner_among
from libs.modules.places import place_of
from libs.modules.sources import missing_in, names_imported_in, words_in

__all__ = [
    "ManifestFault",
    "belongs",
    "entry_points_of",
    "forget",
    "forget_entry_points",
    "import_file",
    "in_order",
    "installed_version",
    "missing_in",
    "modules_of",
    "moved_to",
    "names_imported_in",
    "owner_among",
    "peek_manifest",
    "place_of",
    "read_manifest",
    "words_in",
]
