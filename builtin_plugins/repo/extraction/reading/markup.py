"""XML as a stream of events: no document type, so no entities; no tree, so no memory for one."""

from collections.abc import Iterable, Mapping
from typing import NoReturn, Protocol
from xml.parsers import expat

from .refusal import ReadingRefused

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
