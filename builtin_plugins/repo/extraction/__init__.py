"""From a stored document to the text in it, read by a child process that can do little else.

`reading/` runs in that child and stands alone: it imports the standard library, pypdf, `confinement` of the
SDK, and its own modules relatively, because there it is a package of its own and the plugin is not loaded.
"""

from builtin_plugins.repo.extraction.extracted import Extracted, Outcome
from builtin_plugins.repo.extraction.extractor import Extractor
from builtin_plugins.repo.extraction.reading.declared import declared_kind
from builtin_plugins.repo.extraction.reading.limits import ReadingLimits

__all__ = ["Extracted", "Extractor", "Outcome", "ReadingLimits", "supported"]


def supported(content_type: str, filename: str) -> bool:
    """Tells whether it is worth asking for the text; the bytes may still say otherwise."""
    return declared_kind(content_type, filename) is not None
