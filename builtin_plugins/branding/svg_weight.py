"""How much an SVG draws once every reference is followed: a few lines can ask for billions of shapes.

A filter that looks at the neighbours of each pixel costs a browser as much as thousands of shapes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from builtin_plugins.branding.raster import NotALogo

#: Stands for a function that blurs, which costs as much as a filter that is referred to. No id has its form.
BLUR = "blur()"
MAX_DRAWN = 50_000
FILTER_SIZE = 4_000
_FILTERS = frozenset(
    {
        *("feConvolveMatrix", "feDiffuseLighting", "feDropShadow", "feGaussianBlur"),
        *("feMorphology", "feSpecularLighting", "feTurbulence"),
    }
)
MAX_REFERENCES = 10_000
MAX_CHAIN = 16


@dataclass(slots=True)
class _Part:
    """An element with all that is in it: how many elements, and which ids and classes they name."""

    ids: list[str]
    classes: list[str]
    size: int = 1


@dataclass(slots=True)
class Weighing:
    """Told of each element as it begins and ends; knows then what drawing the whole would take."""

    _open: list[_Part] = field(default_factory=list)
    _by_id: dict[str, _Part] = field(default_factory=lambda: {BLUR: _Part([], [], FILTER_SIZE)})
    _ids_of_class: dict[str, list[str]] = field(default_factory=dict)
    _weights: dict[str, int] = field(default_factory=dict)
    _class_weights: dict[str, int] = field(default_factory=dict)
    _references: int = 0
    _root: _Part | None = None

    def enter(self, name: str, element_id: str | None, ids: Sequence[str], classes: Sequence[str]) -> None:
        self._references += len(ids) + len(classes)
        if self._references > MAX_REFERENCES:
            raise NotALogo(f"has more than {MAX_REFERENCES} references and classes")
        part = _Part(list(ids), list(classes), FILTER_SIZE if name in _FILTERS else 1)
        self._open.append(part)
        if element_id is not None:
            self._by_id.setdefault(element_id, part)  # of several, browsers too take the first

    def leave(self) -> None:
        part = self._open.pop()
        if self._open:
            around = self._open[-1]
            around.size += part.size
            around.ids += part.ids
            around.classes += part.classes
        else:
            self._root = part

    def add_sheet(self, ids_of_class: Mapping[str, Sequence[str]]) -> None:
        for name, ids in ids_of_class.items():
            self._ids_of_class.setdefault(name, []).extend(ids)

    def check(self) -> None:
        """Raises `NotALogo` when it would draw too much, or refers to itself."""
        if self._root is not None and self._weigh(self._root, 0) > MAX_DRAWN:
            raise NotALogo(
                f"draws more than {MAX_DRAWN} elements by referring to its parts again and again "
                f"(a blur counts as {FILTER_SIZE})"
            )

    def _weigh(self, part: _Part, chain: int) -> int:
        if chain > MAX_CHAIN:
            raise NotALogo("refers to its parts in a circle, or in a chain that is too long")
        return (
            part.size
            + sum(self._weight_of(element_id, chain) for element_id in part.ids)
            + sum(self._weight_of_class(name, chain) for name in part.classes)
        )

    def _weight_of(self, element_id: str, chain: int) -> int:
        part = self._by_id.get(element_id)
        if part is None:
            return 0
        if element_id not in self._weights:
            self._weights[element_id] = self._weigh(part, chain + 1)
        return self._weights[element_id]

    def _weight_of_class(self, name: str, chain: int) -> int:
        if name not in self._class_weights:
            ids = self._ids_of_class.get(name, ())
            self._class_weights[name] = sum(self._weight_of(element_id, chain) for element_id in ids)
        return self._class_weights[name]
