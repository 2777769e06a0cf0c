"""An Office package: a zip file that is not believed, its parts, and their XML as a stream of events."""

import codecs
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO, NamedTuple, NoReturn, Protocol
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from .kinds import ReadingRefused
from .task import ReadingLimits

_CHUNK_BYTES = 64 * 1024
_LARGE_BYTES = 16 << 20
_ENCRYPTED_FLAG = 0x1

# How names in a zip file are spelled that are not in UTF-8; looked up while modules can be loaded.
codecs.lookup("cp437")


class Archive:
    def __init__(self, document: BinaryIO, limits: ReadingLimits) -> None:
        try:
            self._zip = ZipFile(document)
        except (BadZipFile, EOFError, NotImplementedError, ValueError):
            raise ReadingRefused("is a package that is cut off or malformed") from None
        if len(self._zip.infolist()) > limits.parts:
            raise ReadingRefused(f"is a package of more than {limits.parts} parts")
        self._limits = limits
        self._room = limits.expanded_bytes

    def __contains__(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def names(self) -> Collection[str]:
        return self._zip.NameToInfo.keys()

    def require(self, name: str) -> ZipInfo:
        try:
            return self._zip.getinfo(name)
        except KeyError:
            raise ReadingRefused(f"lacks its part {name[:80]}") from None

    def chunks(self, name: str) -> Iterator[bytes]:
        info = self.require(name)
        self._check_size(info)
        with self._zip.open(info) as part:
            # Never more than was announced and checked: that much zipfile sees to.
            while chunk := part.read(_CHUNK_BYTES):
                self._room -= len(chunk)
                yield chunk

    def _check_size(self, info: ZipInfo) -> None:
        if info.flag_bits & _ENCRYPTED_FLAG:
            raise ReadingRefused("is locked by a password")
        if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise ReadingRefused("is packed by a method that Office files do not use")
        if info.file_size > self._room:
            max_mib = self._limits.expanded_bytes >> 20
            raise ReadingRefused(f"is a package that expands to more than {max_mib} MiB")
        if info.file_size > max(_LARGE_BYTES, self._limits.expansion * info.compress_size):
            raise ReadingRefused(f"is a package that expands more than {self._limits.expansion} times")


_RELATIONSHIPS = "/relationships id"


class Handler(Protocol):
    """Names come without their namespace: the formats have two for each, strict and transitional."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None: ...

    def end(self, name: str) -> None: ...

    def text(self, text: str) -> None: ...


def parse(chunks: Iterable[bytes], handler: Handler, max_depth: int) -> None:
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    depth = 0

    def start(name: str, attributes: Mapping[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > max_depth:
            raise ReadingRefused(f"is nested deeper than {max_depth} elements")
        handler.start(name.rpartition(" ")[2], attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        handler.end(name.rpartition(" ")[2])

    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = handler.text
    try:
        for chunk in chunks:
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise ReadingRefused(f"holds XML that is not well-formed, at line {error.lineno}") from None


def _refuse_doctype(*_: object) -> NoReturn:
    raise ReadingRefused("declares a document type in its XML, which an Office file never does")


def local(attributes: Mapping[str, str], name: str) -> str:
    """Returns an attribute by its name without a namespace, and empty where there is none."""
    return next((value for key, value in attributes.items() if key.rpartition(" ")[2] == name), "")


def relation_id(attributes: Mapping[str, str]) -> str:
    """Returns `r:id`, which may stand beside an `id` of another meaning."""
    return next((value for key, value in attributes.items() if key.endswith(_RELATIONSHIPS)), "")


_TYPES = "[Content_Types].xml"


class Relation(NamedTuple):
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


class _TextlessParser:
    """Most of what is listed in a package has no text between its tags."""

    def end(self, name: str) -> None:
        pass

    def text(self, text: str) -> None:
        pass


class _Relations(_TextlessParser):
    def __init__(self, folder: str) -> None:
        self.relations: list[Relation] = []
        self._folder = folder

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "Relationship" and local(attributes, "TargetMode") != "External":
            # An absolute target begins at the root of the package, where names have no slash in front.
            target = posixpath.normpath(posixpath.join("/", self._folder, local(attributes, "Target")))
            kind = local(attributes, "Type").rpartition("/")[2]
            self.relations.append(Relation(local(attributes, "Id"), kind, target.lstrip("/")))


class _Types(_TextlessParser):
    def __init__(self) -> None:
        self.by_part: dict[str, str] = {}
        self.by_suffix: dict[str, str] = {}

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        content_type = local(attributes, "ContentType")
        if name == "Override":
            self.by_part[local(attributes, "PartName").lstrip("/").lower()] = content_type
        elif name == "Default":
            self.by_suffix[local(attributes, "Extension").lower()] = content_type
