"""XML 1.0 as S3 speaks it: written so that every parser takes it, read so that none can be harmed."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.parsers import expat

from builtin_plugins.s3.wire.errors import MalformedXML, MaxMessageLengthExceeded

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
