"""SVG: parsed without a DTD, and refused unless every part of it, CSS too, only draws.

Nothing is cleaned: what is taken is stored and served as it was sent, so that what was checked is what
a browser gets.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NoReturn
from xml.parsers import expat

from builtin_plugins.branding.raster import NotALogo
from builtin_plugins.branding.svg_weight import BLUR, Weighing

SVG_SPACE = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
XML = "http://www.w3.org/XML/1998/namespace"

# Missing on purpose: script, foreignObject, a, image, feImage, animations, and all that loads or embeds.
ELEMENTS = frozenset(
    {
        *("svg", "g", "defs", "symbol", "use", "switch", "title", "desc", "metadata", "style"),
        *("path", "rect", "circle", "ellipse", "line", "polyline", "polygon"),
        *("text", "tspan", "textPath"),
        *("linearGradient", "radialGradient", "stop", "pattern", "clipPath", "mask", "marker", "filter"),
        *("feBlend", "feColorMatrix", "feComponentTransfer", "feComposite", "feConvolveMatrix"),
        *("feDiffuseLighting", "feDisplacementMap", "feDistantLight", "feDropShadow", "feFlood"),
        *("feFuncA", "feFuncB", "feFuncG", "feFuncR", "feGaussianBlur", "feMerge", "feMergeNode"),
        *("feMorphology", "feOffset", "fePointLight", "feSpecularLighting", "feSpotLight"),
        *("feTile", "feTurbulence"),
    }
)

# Browsers give these no meaning; editors keep guides, layers and the licence in them.
EDITORS = frozenset(
    {
        "http://www.inkscape.org/namespaces/inkscape",
        "http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "http://creativecommons.org/ns#",
        "http://web.resource.org/cc/",
        "http://purl.org/dc/elements/1.1/",
        "http://www.bohemiancoding.com/sketch/ns",
        "http://www.figma.com/figma/ns",
        "http://www.serif.com/",
        "https://boxy-svg.com",
    }
)

# Attributes that are plain text, where a parenthesis is just one; styles can stand in all others.
TEXT_ATTRIBUTES = frozenset({"id", "class", "role", "lang", "tabindex", "version", "baseProfile"})


MAX_RULES = 10_000
MAX_REFERENCES = 10_000

_FUNCTION = re.compile(r"(?<![\w-])([\w-]++)\(")
_URL = re.compile(r"url\(", re.IGNORECASE)
_LOCAL = re.compile(
    r"""url\(\s*+(["']?)#([\w.:-]++)\1\s*+\)|(?<![\w-])(?:blur|drop-shadow)\(""", re.IGNORECASE
)
_AT_RULE = re.compile(r"@(?!media\b)", re.IGNORECASE)
_CLASS_SELECTOR = re.compile(r"\s*+\.([\w-]++)\s*+")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
# Functions that load or run something are not among them: image-set, image, src, element, expression …
_FUNCTIONS = frozenset(
    {
        *("url", "var", "calc", "min", "max", "clamp", "and", "or", "not"),
        *("rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch", "color"),
        *("matrix", "matrix3d", "perspective", "skew", "skewx", "skewy"),
        *("translate", "translatex", "translatey", "translatez", "translate3d"),
        *("scale", "scalex", "scaley", "scalez", "scale3d"),
        *("rotate", "rotatex", "rotatey", "rotatez", "rotate3d"),
        *("inset", "circle", "ellipse", "polygon"),
        *("blur", "brightness", "contrast", "drop-shadow", "grayscale", "hue-rotate"),
        *("invert", "opacity", "saturate", "sepia"),
    }
)


def check_css(text: str) -> list[str]:
    """Returns the ids it refers to, and `BLUR`; raises `NotALogo` for what reaches beyond the picture."""
    if "\\" in text:
        raise NotALogo("holds a backslash in its styles, which can hide a reference; remove it")
    if _AT_RULE.search(text):
        raise NotALogo("holds an @ rule in its styles; only @media is taken")
    for match in _FUNCTION.finditer(text):
        if match[1].lower() not in _FUNCTIONS:
            raise NotALogo(f"uses {match[1][:40]}() in its styles, which a logo may not")
    local = _local_ids(text)
    if len(local) - local.count(BLUR) != len(_URL.findall(text)):
        raise NotALogo("refers to something outside of itself by url(); only url(#id) is taken")
    return local


def _local_ids(text: str) -> list[str]:
    return [match[2] or BLUR for match in _LOCAL.finditer(text)]


def check_sheet(text: str) -> dict[str, list[str]]:
    """Returns the ids that each class refers to: with references a rule must stand for classes alone."""
    unseen = len(check_css(text))
    by_class: dict[str, list[str]] = {}
    budget = MAX_REFERENCES
    pieces = re.split("[{}]", _COMMENT.sub(" ", text))
    if len(pieces) > 2 * MAX_RULES:
        raise NotALogo(f"has more than {MAX_RULES} style rules")
    for selectors, body in pairwise(pieces):
        references = _local_ids(body)
        unseen -= len(references)
        classes = _classes(selectors) if references else []
        budget -= len(classes) * len(references)
        if budget < 0:
            raise NotALogo(f"has more than {MAX_REFERENCES} references in its styles")
        for name in classes:
            by_class.setdefault(name, []).extend(references)
    if unseen:
        raise NotALogo("uses url() or a blur outside of the rules of its styles; remove it")
    return by_class


def _classes(selectors: str) -> list[str]:
    matches = [_CLASS_SELECTOR.fullmatch(selector) for selector in selectors.split(",")]
    if None in matches:
        raise NotALogo("uses url() or a blur in a style rule that is not for classes alone, such as .name")
    return [match[1] for match in matches if match]


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
        # The encoding is said here, so that the document cannot be read as another text than was checked.
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
            # Browsers read on behind it as styles; what is checked must be all that they read.
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
