"""Message catalogs that a plugin ships: the texts of its screens, in every language it speaks."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageCatalogs:
    """A folder of catalogs for `declare_contributions`: `en.json` is the source, `nl.json` a translation.

    Each is one object of ICU messages by key. Every key begins with the namespace and a dot; the namespace is
    the plugin's id. A translation has no key that the source has not; what it lacks can be translated later.
    """

    namespace: str
    folder: Path
