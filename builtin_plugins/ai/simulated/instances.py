"""Values of a JSON Schema: filled from a text where it says something, else as plain as the schema allows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from builtin_plugins.ai.simulated.conformance import conforms, item_key, same
from builtin_plugins.ai.simulated.facts import Fields, NoFields
from builtin_plugins.ai.simulated.scalars import (
    fits_number,
    fitted_text,
    plain_float,
    plain_integer,
    plain_text,
)
from builtin_plugins.ai.simulated.shapes import Budget, OutOfBudget, Shape, both, shapes, simplified

_RICH_STEPS, _PLAIN_STEPS = 4_000, 10_000
_MAX_BRANCHES = 8
_MAX_ITEMS = 1_000
Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """A value, how many facts of the text it holds, and which required ones the text does not tell."""

    value: Any
    found: int = 0
    missing: Sequence[Path] = ()


def make_instance(schema: Any, fields: Fields) -> Made | None:
    """Returns a value that fits; None where there is none, or none was found with reasonable effort."""
    simple = simplified(schema)
    for source, steps in ((fields, _RICH_STEPS), (NoFields(), _PLAIN_STEPS)):
        try:
            made = _Builder(Budget(steps), first_only=source is not fields).build(simple, (), source)
        except (OutOfBudget, RecursionError):
            continue
        if made is not None and conforms(made.value, simple):
            return made
    return None


def _excluding(schema: Any, values: Sequence[Any]) -> Any:
    return both(schema, {"not": {"enum": [*values]}}) if values else schema


class _Builder:
    """`first_only` takes the first branch that works, and leaves out what is not required."""

    def __init__(self, budget: Budget, *, first_only: bool) -> None:
        self._budget = budget
        self._first_only = first_only

    def build(self, schema: Any, path: Path, fields: Fields) -> Made | None:
        """Returns the branch of which the text says most; of equals null, then the first."""
        best: Made | None = None
        branches = 0
        for shape in shapes(schema, self._budget):
            made = self._of_shape(schema, shape, path, fields)
            if made is None:
                continue
            if best is None or _rank(made) > _rank(best):
                best = made
            branches += 1
            if self._first_only or branches == _MAX_BRANCHES:
                break
        return best

    def _of_shape(self, schema: Any, shape: Shape, path: Path, fields: Fields) -> Made | None:
        self._budget.spend()
        if shape.values is not None:
            return self._choice(schema, shape, path, fields)
        default = shape.hints.get("default")
        best: Made | None = None
        for kind in _kinds(shape):
            made = self._of_kind(kind, shape, path, fields)
            if made is not None and not conforms(made.value, schema):
                continue
            if made is not None and not made.found and default is not None and conforms(default, schema):
                made = Made(default)
            if made is not None and (best is None or _rank(made) > _rank(best)):
                best = made
            if best is not None and (self._first_only or len(shape.types) > 3):
                break
        return best

    def _choice(self, schema: Any, shape: Shape, path: Path, fields: Fields) -> Made | None:
        assert shape.values is not None
        self._budget.spend(len(shape.values))
        allowed = [value for value in _spellings(shape.values) if conforms(value, schema)]
        if not allowed:
            return None
        if len(allowed) == 1:
            return Made(allowed[0])
        chosen = fields.choice(path, allowed)
        if chosen is not None:
            return Made(chosen, 1)
        default = shape.hints.get("default")
        value = next((one for one in allowed if same(one, default)), allowed[0])
        return Made(None if None in allowed else value, missing=[path])

    def _of_kind(self, kind: str, shape: Shape, path: Path, fields: Fields) -> Made | None:
        if kind == "string":
            for text in fields.texts(path, shape.hints):
                if (fitted := fitted_text(shape, text)) is not None:
                    return Made(fitted, 1)
            return _plain(plain_text(shape), path)
        if kind in ("integer", "float"):
            for number in fields.numbers(path):
                given = number if "integer" in shape.types else float(number)
                if fits_number(shape, given):
                    return Made(given, 1)
            return _plain(plain_integer(shape) if kind == "integer" else plain_float(shape), path)
        if kind == "boolean":
            said = fields.boolean(path)
            for value in (False, True) if said is None else (said, not said):
                if not any(same(value, one) for one in shape.excluded):
                    return Made(value, int(value is said), () if value is said else [path])
            return None
        if kind == "null":
            return None if None in shape.excluded else Made(None)
        return self._object(shape, path, fields) if kind == "object" else self._array(shape, path, fields)

    def _object(self, shape: Shape, path: Path, fields: Fields) -> Made | None:
        if shape.min_properties > _MAX_ITEMS or len(shape.required) > shape.max_properties:
            return None
        parts: dict[str, Made] = {}
        for name in dict.fromkeys((*shape.properties, *shape.required)):
            if name in shape.required or (not self._first_only and len(parts) < _MAX_ITEMS):
                made = self._property(shape, name, path, fields)
                if made is None and name in shape.required:
                    return None
                if made is not None and (name in shape.required or made.found):
                    parts[name] = made
        if not self._add_missing(shape, parts, path):
            return None
        self._drop_surplus(shape, parts)
        value = {name: made.value for name, made in parts.items()}
        if any(same(value, one) for one in shape.excluded):
            return self._other_object(shape, parts, path)
        return _joined(value, parts.values())

    def _property(self, shape: Shape, name: str, path: Path, fields: Fields, more: Any = True) -> Made | None:
        self._budget.spend()
        if not conforms(name, shape.names):
            return None
        schema = both(shape.properties.get(name, shape.additional), more)
        return self.build(schema, (*path, name), fields)

    def _add_missing(self, shape: Shape, parts: dict[str, Made], path: Path) -> bool:
        """Adds what has to be there under whatever name; False where that cannot be."""
        wanted: list[tuple[Any, Any]] = [*shape.extra]
        for name_schema, value_schema in wanted:
            if not self._add_named(shape, parts, path, name_schema, value_schema):
                return False
        while len(parts) < shape.min_properties:
            if not self._add_named(shape, parts, path, True, True):
                return False
        return True

    def _add_named(
        self, shape: Shape, parts: dict[str, Made], path: Path, name_schema: Any, value_schema: Any
    ) -> bool:
        known = [name for name in shape.properties if name not in parts and conforms(name, name_schema)]
        for name in known:
            if (made := self._property(shape, name, path, NoFields(), value_schema)) is not None:
                parts[name] = made
                return True
        taken = [*parts, *shape.properties]
        names = both({"type": "string", "minLength": 1}, both(shape.names, name_schema))
        for wanted in (names, both({"type": "string"}, both(shape.names, name_schema))):
            invented = self.build(_excluding(wanted, taken), path, NoFields())
            if invented is not None:
                made = self._property(shape, invented.value, path, NoFields(), value_schema)
                if made is not None:
                    parts[invented.value] = made
                    return True
        return False

    def _drop_surplus(self, shape: Shape, parts: dict[str, Made]) -> None:
        for name in [*reversed(parts)]:
            if len(parts) > shape.max_properties and name not in shape.required:
                del parts[name]

    def _other_object(self, shape: Shape, parts: dict[str, Made], path: Path) -> Made | None:
        """Returns the object changed in one place, as it must not be what it would be."""
        for name, made in [*parts.items()]:
            seen = [one[name] for one in shape.excluded if isinstance(one, dict) and name in one]
            other = {"not": {"enum": [made.value, *seen]}}
            if (changed := self._property(shape, name, path, NoFields(), other)) is not None:
                return _joined(
                    {**{key: one.value for key, one in parts.items()}, name: changed.value}, parts.values()
                )
        more = {**parts}
        if self._add_named(shape, more, path, True, True) and len(more) <= shape.max_properties:
            return _joined({name: made.value for name, made in more.items()}, more.values())
        return None

    def _array(self, shape: Shape, path: Path, fields: Fields) -> Made | None:
        if shape.min_items > min(shape.max_items, _MAX_ITEMS):
            return None
        made: list[Made] = []
        if not self._first_only:
            self._add_found(shape, made, path, fields)
        if not self._add_contained(shape, made, path) or not self._fill(shape, made, path):
            return None
        value = [one.value for one in made]
        if any(same(value, one) for one in shape.excluded):
            if not self._add_item(shape, made, path, NoFields()):
                return None
            value = [one.value for one in made]
        return _joined(value, made)

    def _add_found(self, shape: Shape, made: list[Made], path: Path, fields: Fields) -> None:
        for item in fields.items(path, _item_names(shape.rest)):
            if len(made) >= min(shape.max_items, _MAX_ITEMS):
                break
            self._add_item(shape, made, path, item, only_found=True)
        if shape.prefix and not made:
            # Of a list of fixed places each is a field of its own.
            self._fill(shape, made, path, len(shape.prefix))

    def _add_item(
        self,
        shape: Shape,
        made: list[Made],
        path: Path,
        fields: Fields,
        more: Any = True,
        *,
        only_found: bool = False,
    ) -> bool:
        if len(made) >= min(shape.max_items, _MAX_ITEMS):
            return False
        self._budget.spend()
        schema = both(shape.prefix[len(made)] if len(made) < len(shape.prefix) else shape.rest, more)
        if shape.unique:
            schema = _excluding(schema, [one.value for one in made])
        item = self.build(schema, (*path, "0"), fields)
        if item is None or (only_found and not item.found):
            return False
        made.append(item)
        return True

    def _add_contained(self, shape: Shape, made: list[Made], path: Path) -> bool:
        for number, wanted in enumerate(shape.contains):
            if any(conforms(one.value, wanted) for one in made):
                continue
            later = True
            for one in shape.contains[number + 1 :]:
                later = both(later, one)
            # One item for all that is wanted is best, where one can be all of it.
            while not any(
                self._add_item(shape, made, path, NoFields(), more) for more in (both(wanted, later), wanted)
            ):
                if len(made) >= len(shape.prefix) or not self._add_item(shape, made, path, NoFields()):
                    return False
        return True

    def _fill(self, shape: Shape, made: list[Made], path: Path, least: int = 0) -> bool:
        if shape.repeated and len({item_key(one.value) for one in made}) == len(made):
            again = {"enum": [made[0].value]} if made else True
            if not self._add_item(shape, made, path, NoFields(), again):
                return False
            while len(made) < 2 or not same(made[-1].value, made[0].value):
                if not self._add_item(shape, made, path, NoFields(), {"enum": [made[0].value]}):
                    return False
        while len(made) < max(least, shape.min_items):
            if not self._add_item(shape, made, path, NoFields()):
                return False
        return True


def _spellings(values: Sequence[Any]) -> Iterator[Any]:
    """Yields the values; of 2.0 also 2, which is equal and an integer."""
    for value in values:
        yield value
        if isinstance(value, float) and value.is_integer():
            yield int(value)


def _plain(value: Any, path: Path) -> Made | None:
    return None if value is None else Made(value, missing=[path])


def _joined(value: Any, parts: Any) -> Made:
    parts = [*parts]
    missing = [path for part in parts for path in part.missing]
    return Made(value, sum(part.found for part in parts), missing)


def _rank(made: Made) -> tuple[int, bool]:
    return made.found, made.value is None


def _kinds(shape: Shape) -> Sequence[str]:
    """Returns the types to try, those first that the shape says something about."""
    kinds = [kind for kind in _ORDER if kind in shape.types]
    hinted = {
        "object": shape.properties or shape.required or shape.extra,
        "array": shape.prefix or shape.contains or shape.rest is not True or shape.min_items,
        "integer": abs(shape.low) != abs(shape.high) or shape.multiples,
    }
    return sorted(kinds, key=lambda kind: not hinted.get(kind))


_ORDER = ("string", "integer", "float", "boolean", "object", "array", "null")


def _item_names(schema: Any) -> Sequence[str] | None:
    """Returns the properties of the items, where these are objects."""
    names: list[str] = []
    waiting = [schema]
    for _ in range(_MAX_BRANCHES):
        one = waiting.pop() if waiting else None
        if isinstance(one, Mapping):
            names += one.get("properties", ())
            waiting += [*one.get("allOf", ()), *one.get("anyOf", ()), *one.get("oneOf", ())]
    return names or None
