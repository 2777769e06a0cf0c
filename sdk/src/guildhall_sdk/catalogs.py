"""Message catalogs that a plugin ships: the texts of its screens, in every language it speaks."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Protocol

from guildhall_sdk.hooks import declares


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageCatalogs:
    """A folder of catalogs for `declare_catalogs`: `en.json` is the source, `nl.json` a translation.

    Each is one object of ICU messages by key. Every key begins with the namespace and a dot; the namespace is
    the plugin's id. A translation has no key that the source has not; what it lacks can be translated later.
    """

    namespace: str
    folder: Path


class CatalogHooks(Protocol):
    """The hook of the plugin `l10n`."""

    @declares(MessageCatalogs, label="folder of catalogs", name=attrgetter("namespace"), named_as_plugin=True)
    def declare_catalogs(self) -> Sequence[MessageCatalogs]:
        """Declares the folder with the texts of this plugin's screens, in every language it speaks."""
