"""The parts of an Office package, and how they lead to one another."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .archive import Archive
from .limits import ReadingLimits
from .markup import Handler, local, parse

_TYPES = "[Content_Types].xml"


@dataclass(frozen=True, slots=True)
class Relation:
    id: str
    kind: str
    """The last segment of its type: officeDocument, worksheet, slide, notesSlide …"""
    target: str


class Parts:
    def __init__(self, archive: Archive, limits: ReadingLimits) -> None:
        self._archive = archive
        self._max_depth = limits.depth

    def __contains__(self, part: str) -> bool:
        return part in self._archive

    def require(self, part: str) -> None:
        self._archive.require(part)

    def named(self, stem: str) -> Sequence[str]:
        """Returns the parts of that name, and of that name and a number, in the order of the numbers."""
        pattern = re.compile(re.escape(stem) + r"([0-9]{0,9})\.xml")
        matches = (pattern.fullmatch(name) for name in self._archive.names())
        return [name for _, name in sorted((int(match[1] or 0), match[0]) for match in matches if match)]

    def parse(self, part: str, handler: Handler) -> None:
        parse(self._archive.chunks(part), handler, self._max_depth)

    def relations(self, part: str = "") -> Sequence[Relation]:
        """Returns the relations from that part to others; without one, from the package itself."""
        path = _list_of(part)
        if path not in self._archive:
            return ()
        found = _Relations(posixpath.dirname(part))
        self.parse(path, found)
        return found.relations

    def leads_on(self, part: str) -> bool:
        """Tells whether the part is there, with a list of the parts that belong to it."""
        return part in self._archive and _list_of(part) in self._archive

    def type_of(self, part: str) -> str:
        """Returns the content type in small letters, and empty where none is given."""
        if _TYPES not in self._archive:
            return ""
        types = _Types()
        self.parse(_TYPES, types)
        by_suffix = types.by_suffix.get(part.rpartition(".")[2].lower(), "")
        return (types.by_part.get(part.lower()) or by_suffix).lower()


def _list_of(part: str) -> str:
    folder, name = posixpath.split(part)
    return posixpath.join(folder, "_rels", f"{name}.rels")


class _Silent:
    """Most of what is listed in a package has no text between its tags."""

    def end(self, name: str) -> None:
        pass

    def text(self, text: str) -> None:
        pass


class _Relations(_Silent):
    def __init__(self, folder: str) -> None:
        self.relations: list[Relation] = []
        self._folder = folder

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "Relationship" and local(attributes, "TargetMode") != "External":
            # An absolute target begins at the root of the package, where names have no slash in front.
            target = posixpath.normpath(posixpath.join("/", self._folder, local(attributes, "Target")))
            kind = local(attributes, "Type").rpartition("/")[2]
            self.relations.append(Relation(local(attributes, "Id"), kind, target.lstrip("/")))


class _Types(_Silent):
    def __init__(self) -> None:
        self.by_part: dict[str, str] = {}
        self.by_suffix: dict[str, str] = {}

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        content_type = local(attributes, "ContentType")
        if name == "Override":
            self.by_part[local(attributes, "PartName").lstrip("/").lower()] = content_type
        elif name == "Default":
            self.by_suffix[local(attributes, "Extension").lower()] = content_type
