"""CSS in a picture: it may colour and place, and reach for nothing outside."""

import re
from itertools import pairwise

from builtin_plugins.branding.logos.refusal import NotALogo

MAX_RULES = 10_000
MAX_REFERENCES = 10_000
#: Stands for a function that blurs, which costs as much as a filter that is referred to. No id has its form.
BLUR = "blur()"

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
