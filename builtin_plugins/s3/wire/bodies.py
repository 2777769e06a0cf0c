"""The bodies that clients send, read from their XML."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple
from xml.parsers import expat

from builtin_plugins.s3.wire.checksums import Algorithm
from builtin_plugins.s3.wire.conditions import (
    MAX_PARTS,
    DeleteConditions,
    parse_condition_date,
    parse_condition_size,
    parse_part_number,
)
from builtin_plugins.s3.wire.errors import (
    AccessControlListNotSupported,
    InvalidPartOrder,
    InvalidTag,
    InvalidURI,
    MalformedXML,
    MaxMessageLengthExceeded,
)
from builtin_plugins.s3.wire.request import percent_decode

NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
MAX_BODY_BYTES = 8 * 1024 * 1024
_MAX_ELEMENTS = 100_000
_MAX_DEPTH = 16
_MAX_ATTRIBUTES = 1_000
# A tag with the text behind it; a key of 1,024 bytes takes six times as much when each is an entity.
_LONGEST_PIECE = 8 * 1024
# Parsed in one go; between two of them another thread has its turn.
_SLICE = 64 * 1024

_SPECIAL = re.compile('[&<>"\r\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]')
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"}


def escape(text: str) -> str:
    """Escapes a text; what XML cannot hold becomes U+FFFD, unless encoding-type=url is asked for."""
    return _SPECIAL.sub(lambda match: _ESCAPES.get(match[0], "\ufffd"), text)


def element(name: str, value: str | int | bool | None) -> str:
    """Writes an element, and nothing at all for None."""
    if value is None:
        return ""
    text = str(value).lower() if isinstance(value, bool) else escape(str(value))
    return f"<{name}>{text}</{name}>"


def nest(name: str, children: Iterable[str]) -> str:
    return f"<{name}>{''.join(children)}</{name}>"


def document(name: str, children: Iterable[str], *, namespace: str | None = NAMESPACE) -> bytes:
    xmlns = f' xmlns="{namespace}"' if namespace else ""
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<{name}{xmlns}>{"".join(children)}</{name}>'
    return text.encode()


@dataclass(slots=True)
class Element:
    """One element of a request's body, its name without the namespace."""

    name: str
    text: str = ""
    children: "list[Element]" = field(default_factory=list)

    def all(self, name: str) -> "list[Element]":
        return [child for child in self.children if child.name == name]

    def find(self, name: str) -> "Element | None":
        """Returns the child of this name, of which there may be at most one."""
        found = self.all(name)
        if len(found) > 1:
            raise MalformedXML(f"There is more than one {name}.")
        return found[0] if found else None

    def value(self, name: str) -> str | None:
        found = self.find(name)
        return None if found is None else found.text


def parse(body: bytes, root: str) -> Element:
    """Returns the body's root, which must have this name. No document type, no entities, no depths."""
    if len(body) > MAX_BODY_BYTES:
        raise MaxMessageLengthExceeded()
    _check_pieces(body)
    reader = _Reader()
    try:
        for start in range(0, len(body), _SLICE):
            reader.parser.Parse(body[start : start + _SLICE])
        reader.parser.Parse(b"", True)
    except (expat.ExpatError, UnicodeError, LookupError, ValueError):
        raise MalformedXML() from None
    if reader.root.children[0].name != root:
        raise MalformedXML(f"The body must be a {root}.")
    return reader.root.children[0]


def _check_pieces(body: bytes) -> None:
    """Checks tags before anything is parsed: the parser reads a tag whole, at a cost beyond its length."""
    if body.count(b"<") > 2 * _MAX_ELEMENTS + _MAX_ATTRIBUTES:
        raise MalformedXML("There are too many elements.")
    if max(map(len, body.split(b"<"))) > _LONGEST_PIECE:
        raise MalformedXML(f"A tag with its text takes at most {_LONGEST_PIECE} bytes.")


class _Reader:
    """Builds elements as expat meets them."""

    def __init__(self) -> None:
        self.root = Element("")
        self._open: list[tuple[Element, list[str]]] = [(self.root, [])]
        self._elements = 0
        self._attributes = 0
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse
        self.parser.StartNamespaceDeclHandler = self._namespace
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters

    def _refuse(self, *_: object) -> None:
        raise MalformedXML("A document type is not allowed.")

    def _namespace(self, *_: object) -> None:
        self._count_attributes(1)

    def _count_attributes(self, count: int) -> None:
        self._attributes += count
        if self._attributes > _MAX_ATTRIBUTES:
            raise MalformedXML("There are too many attributes.")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._count_attributes(len(attributes))
        self._elements += 1
        if self._elements > _MAX_ELEMENTS or len(self._open) > _MAX_DEPTH:
            raise MalformedXML("There are too many elements.")
        started = Element(name.rpartition(" ")[2])
        self._open[-1][0].children.append(started)
        self._open.append((started, []))

    def _end(self, _name: str) -> None:
        ended, pieces = self._open.pop()
        ended.text = "".join(pieces)

    def _characters(self, data: str) -> None:
        self._open[-1][1].append(data)


MAX_DELETED = 1000
MAX_TAGS = 10
# An empty pair is none.
_MAX_SEPARATORS = 10 * MAX_TAGS

Tags = tuple[tuple[str, str], ...]


class DoomedObject(NamedTuple):
    key: str
    version_id: str | None
    conditions: DeleteConditions


class DeleteOrder(NamedTuple):
    objects: Sequence[DoomedObject]
    quiet: bool


class NamedPart(NamedTuple):
    """A part as the client names it at the end; the ETag is without quotes, checksums are in base64."""

    number: int
    etag: str
    checksums: Mapping[Algorithm, str]


def parse_delete(body: bytes) -> DeleteOrder:
    root = parse(body, "Delete")
    named = root.all("Object")
    if not 1 <= len(named) <= MAX_DELETED:
        raise MalformedXML(f"A Delete names 1 to {MAX_DELETED} objects.")
    objects = [_doomed(one) for one in named]
    return DeleteOrder(objects, (root.value("Quiet") or "").strip().lower() == "true")


def parse_complete(body: bytes) -> Sequence[NamedPart]:
    """Parses the parts in ascending order."""
    named = parse(body, "CompleteMultipartUpload").all("Part")
    if not 1 <= len(named) <= MAX_PARTS:
        raise MalformedXML(f"An upload is completed with 1 to {MAX_PARTS} parts.")
    parts = [_named_part(one) for one in named]
    if any(one.number >= other.number for one, other in pairwise(parts)):
        raise InvalidPartOrder()
    return parts


def parse_tagging(body: bytes) -> Tags:
    tag_set = parse(body, "Tagging").find("TagSet")
    if tag_set is None:
        raise MalformedXML("A Tagging has a TagSet.")
    return checked_tags([(_needed(tag, "Key"), _needed(tag, "Value")) for tag in tag_set.all("Tag")])


def parse_tagging_header(header: str) -> Tags:
    """Parses `x-amz-tagging`: tags written like a query."""
    if header.count("&") > _MAX_SEPARATORS:
        raise _too_many_tags()
    pairs = [pair.partition("=") for pair in header.split("&") if pair]
    try:
        decoded = [
            tuple(percent_decode(text.encode(), plus_is_space=True) for text in (key, value))
            for key, _, value in pairs
        ]
    except InvalidURI:
        raise InvalidTag("x-amz-tagging must be written like a query.") from None
    return checked_tags([(key, value) for key, value in decoded])


def checked_tags(tags: Sequence[tuple[str, str]]) -> Tags:
    if len(tags) > MAX_TAGS:
        raise _too_many_tags()
    if len({key for key, _ in tags}) != len(tags):
        raise InvalidTag("Two tags have the same key.")
    for key, value in tags:
        if not 1 <= len(key) <= 128 or len(value) > 256:
            raise InvalidTag("A tag's key has 1 to 128 characters, its value at most 256.")
        if not all(_is_tag_character(character) for character in key + value):
            raise InvalidTag("Tags are made of letters, numbers, spaces and + - = . _ : / @")
    return tuple(tags)


def _too_many_tags() -> InvalidTag:
    return InvalidTag(f"An object has at most {MAX_TAGS} tags.")


def parse_versioning(body: bytes) -> str | None:
    """Parses the status that is asked for."""
    return parse(body, "VersioningConfiguration").value("Status")


def parse_owner_only(body: bytes) -> str | None:
    """Returns who has FULL_CONTROL by an access control list, None if nobody has anything.

    A list that gives somebody anything else is refused: there are no such lists here.
    """
    rows = parse(body, "AccessControlPolicy").find("AccessControlList")
    if rows is None:
        raise MalformedXML("An AccessControlPolicy has an AccessControlList.")
    holders = {_full_holder(grant) for grant in rows.all("Grant")}
    if len(holders) > 1:
        raise AccessControlListNotSupported()
    return holders.pop() if holders else None


def _full_holder(grant: Element) -> str:
    grantee = grant.find("Grantee")
    if grantee is None:
        raise MalformedXML("A Grant has a Grantee.")
    holder = grantee.value("ID")
    if grant.value("Permission") != "FULL_CONTROL" or holder is None:
        raise AccessControlListNotSupported()
    return holder


def _doomed(one: Element) -> DoomedObject:
    conditions = DeleteConditions(
        one.value("ETag"),
        parse_condition_date(one.value("LastModifiedTime")),
        parse_condition_size(one.value("Size")),
    )
    return DoomedObject(_needed(one, "Key"), one.value("VersionId") or None, conditions)


def _named_part(one: Element) -> NamedPart:
    values = ((algorithm, one.value(algorithm.element)) for algorithm in Algorithm)
    checksums = {algorithm: value.strip() for algorithm, value in values if value is not None}
    number = parse_part_number(_needed(one, "PartNumber").strip())
    return NamedPart(number, _needed(one, "ETag").strip().strip('"'), checksums)


def _needed(parent: Element, name: str) -> str:
    value = parent.value(name)
    if value is None:
        raise MalformedXML(f"A {parent.name} has a {name}.")
    return value


def _is_tag_character(character: str) -> bool:
    return character in "+-=._:/@" or unicodedata.category(character)[0] in "LNZ"
