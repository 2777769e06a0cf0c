"""SVG: parsed without a DTD, and refused unless every part of it only draws.

Nothing is cleaned: what is taken is stored and served as it was sent, so that what was judged is what
a browser gets.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NoReturn
from xml.parsers import expat

from builtin_plugins.branding.logos.css import check_css, check_sheet
from builtin_plugins.branding.logos.refusal import NotALogo
from builtin_plugins.branding.logos.svg_names import EDITORS, ELEMENTS, SVG_SPACE, TEXT_ATTRIBUTES, XLINK, XML
from builtin_plugins.branding.logos.svg_weight import Weighing

SVG = "image/svg+xml"
MAX_ELEMENTS = 10_000
MAX_DEPTH = 64
MAX_ATTRIBUTES = 1_000

_LOCAL_REFERENCE = re.compile(r"#([\w.:-]+)")
_BEGINS_LIKE_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<")
_SHOWN = 60


def check_svg(content: bytes) -> None:
    """Raises `NotALogo` unless it is a picture that can run nothing and load nothing."""
    if not _BEGINS_LIKE_XML.match(content):
        raise NotALogo("is none of PNG, JPEG, WebP, GIF and SVG")
    _check_tags(content)
    reading = _Reading()
    try:
        content.decode("utf-8")
        reading.parser.Parse(content, True)
    except UnicodeDecodeError:
        raise NotALogo("is not UTF-8, which an SVG must be here") from None
    except expat.ExpatError as error:
        raise NotALogo(f"is not well-formed XML at line {error.lineno}") from None
    reading.weighing.check()


def _check_tags(content: bytes) -> None:
    """Checks tags before anything is parsed: the parser reads a tag whole, at a cost beyond its length."""
    if content.count(b"<") > 4 * MAX_ELEMENTS:
        raise NotALogo(f"has more than {MAX_ELEMENTS} elements")
    if any(piece.count(b"=") > MAX_ATTRIBUTES for piece in content.split(b"<")):
        raise NotALogo(f"has an element with more than {MAX_ATTRIBUTES} attributes")


class _Reading:
    """One pass over a document; each handler refuses what a picture does not need."""

    def __init__(self) -> None:
        self.weighing = Weighing()
        self._depth = 0
        self._elements = 0
        self._style: list[str] | None = None
        # The encoding is said here, so that the document cannot be read as another text than was judged.
        self.parser = parser = expat.ParserCreate("utf-8", " ")
        parser.buffer_text = True
        parser.XmlDeclHandler = _declaration
        parser.StartDoctypeDeclHandler = _doctype
        parser.ProcessingInstructionHandler = _instruction
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        self._elements += 1
        if self._depth > MAX_DEPTH or self._elements > MAX_ELEMENTS:
            raise NotALogo(f"is nested deeper than {MAX_DEPTH} or has more than {MAX_ELEMENTS} elements")
        if self._style is not None:
            # Browsers read on behind it as styles; what is judged must be all that they read.
            raise NotALogo("holds an element within <style>; remove it")
        space, local = _split(name)
        if self._depth == 1 and (space, local) != (SVG_SPACE, "svg"):
            raise NotALogo(f'does not begin with <svg xmlns="{SVG_SPACE}">')
        if not (local in ELEMENTS if space == SVG_SPACE else space in EDITORS):
            raise NotALogo(f"holds <{local[:_SHOWN]}>, which a logo may not; export it as plain shapes")
        references = [
            reference
            for attribute, value in attributes.items()
            for reference in _references(attribute, value, draws=space == SVG_SPACE)
        ]
        self.weighing.enter(local, attributes.get("id"), references, attributes.get("class", "").split())
        if (space, local) == (SVG_SPACE, "style"):
            self._style = []

    def _end(self, _name: str) -> None:
        self._depth -= 1
        self.weighing.leave()
        if self._style is not None:
            self.weighing.add_sheet(check_sheet("".join(self._style)))
            self._style = None

    def _text(self, text: str) -> None:
        if self._style is not None:
            self._style.append(text)


def _split(name: str) -> tuple[str, str]:
    """Splits a name as expat gives it: the namespace, a space, the local name."""
    space, _, local = name.rpartition(" ")
    return space, local


def _references(name: str, value: str, *, draws: bool) -> Sequence[str]:
    """Returns the ids that an attribute refers to; raises `NotALogo` for one that runs or loads something."""
    space, local = _split(name)
    if local.lower().startswith("on"):
        raise NotALogo(f"holds the event handler {local[:_SHOWN]}; remove it")
    if local == "href" and space in ("", XLINK):
        match = _LOCAL_REFERENCE.fullmatch(value)
        if match is None:
            raise NotALogo('links to something outside of itself; only href="#id" is taken')
        return [match[1]]
    if space == XML and local == "base":
        raise NotALogo("holds xml:base, which changes where its references lead; remove it")
    if space and space not in EDITORS and space not in (XLINK, XML):
        raise NotALogo(f"holds an attribute of the namespace {space[:_SHOWN]}; export it as plain SVG")
    if space or not draws or local in TEXT_ATTRIBUTES or local.startswith(("data-", "aria-")):
        return ()
    return check_css(value)


def _declaration(_version: str, encoding: str | None, _standalone: int) -> None:
    if encoding is not None and encoding.lower() != "utf-8":
        raise NotALogo("says that it is not UTF-8, which an SVG must be here")


def _doctype(*_: object) -> NoReturn:
    raise NotALogo("holds a <!DOCTYPE>; remove it")


def _instruction(*_: object) -> NoReturn:
    raise NotALogo("holds a processing instruction such as <?xml-stylesheet?>; remove it")
