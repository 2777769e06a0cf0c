"""The largest inputs that a row takes, made from its schema and its limits alone."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from guildhall_sdk import Body, Route
from guildhall_sdk.schema import Schema
from libs.strict_json import MAX_DEPTH, MAX_MEMBERS

_PROSE = "Ada Lovelace of Acme Shipping met Piet de Vries in Leiden, and paid 12,400 euros.\n"
_HEADING = "## Acme\n\n- [ ] one *two* `three` | four\n"
# Of a text that is no key, name or reference to something else.
_LONG_TEXT = 1000
_MAX_ITEMS = 20_000
_MAX_RAW = 4 * 1024 * 1024
_LONGEST_QUERY = 4_000
#: What fills a text: prose, nothing but ends of lines, and marks that a parser looks at each.
FILLINGS = {"prose": _PROSE, "blank lines": "\n", "marks": _HEADING}
DEEPEST, EVERY_FIELD = "deepest", "every field"


def other_fillings(turn: int) -> tuple[str, ...]:
    """Returns how the names of bodies end that are filled with something else than what has its turn."""
    return tuple(name for number, name in enumerate(FILLINGS) if number != turn % len(FILLINGS))


def largest_bodies(row: Route) -> Mapping[str, bytes | None]:
    """Returns bodies of a row by a name; None stands for a row that takes none."""
    if row.method in ("GET", "OPTIONS") or (row.body_kind is not Body.RAW and not row.body):
        return {"nothing": None}
    if row.body_kind is Body.RAW:
        size = min(row.max_body, _MAX_RAW)
        return {name: _filled(text, size).encode() for name, text in FILLINGS.items()}
    bodies = {content: name for name, content in _json_bodies(row, row.body or {})}
    return {name: content for content, name in bodies.items()}  # none of them twice


def _json_bodies(row: Route, schema: Schema) -> Iterator[tuple[str, bytes]]:
    room = row.max_body - 1024
    for number, example in enumerate(schema.get("examples") or ()):
        for name, filling in FILLINGS.items():
            yield f"example {number + 1} with {name}", _encoded(_grown(example, schema, filling, room))
        yield f"example {number + 1}", _encoded(example)
    yield EVERY_FIELD, _encoded(_whole(schema, _PROSE, room))
    yield DEEPEST, (b"[" * (MAX_DEPTH - 1) + b"]" * (MAX_DEPTH - 1)).join((b'{"x":', b"}"))


def most_members(row: Route) -> bytes:
    """Returns as many members as JSON may hold, none of which the row knows."""
    count = min(MAX_MEMBERS - 2, row.max_body // 12)
    return b"{" + b",".join(b'"x%05d":0' % number for number in range(count)) + b"}"


def largest_queries(row: Route) -> Iterator[dict[str, str]]:
    """Yields the parameters of a row: those of the longest page, and each text at its longest."""
    described = row.query or {}
    examples = {name: str(one["examples"][0]) for name, one in described.items() if one.get("examples")}
    highest = {name: str(one["maximum"]) for name, one in described.items() if _is_size(name, one)}
    yield {**examples, **highest}
    texts = {name: _long_query(one) for name, one in described.items() if _is_free_text(name, one)}
    if texts:
        yield {**examples, **highest, **texts}


def _is_size(name: str, schema: Schema) -> bool:
    return "maximum" in schema and "wait" not in name


def _is_free_text(name: str, schema: Schema) -> bool:
    return (
        schema.get("type") == "string" and not {"enum", "pattern", "format"} & {*schema} and name != "cursor"
    )


def _long_query(schema: Schema) -> str:
    return _filled("acme ", min(schema.get("maxLength", _LONGEST_QUERY), _LONGEST_QUERY)).strip()


def _grown(value: Any, schema: Schema, filling: str, room: int) -> Any:
    """Returns the example with its texts and lists as long as the schema lets them be, within some room."""
    schema = _chosen(schema, value)
    if isinstance(value, str):
        longest = schema.get("maxLength", room)
        if longest < _LONG_TEXT or {"enum", "pattern", "format", "const"} & {*schema}:
            return value
        return _filled(filling, min(longest, _fitting(filling, room)))
    if isinstance(value, Mapping):
        described = schema.get("properties", {})
        share = room // max(1, len(value))
        return {name: _grown(one, described.get(name, {}), filling, share) for name, one in value.items()}
    if isinstance(value, list) and value:
        size = len(json.dumps(value[0])) + 2
        count = min(schema.get("maxItems", _MAX_ITEMS), max(1, room // (2 * size)), _MAX_ITEMS)
        first = _grown(value[0], schema.get("items", {}), filling, room // 2)
        return [first, *(value[number % len(value)] for number in range(1, max(count, len(value))))]
    return value


def _chosen(schema: Schema, value: Any) -> Schema:
    """Returns the part of a choice that a value is of."""
    wanted = {str: "string", dict: "object", list: "array"}.get(type(value))
    for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        if part.get("type") == wanted:
            return dict(part)
    return schema


def _whole(schema: Schema, filling: str, room: int) -> Any:
    """Returns a value with every member that the schema describes, each as large as it may be."""
    if "examples" in schema and schema.get("type") != "object":
        return schema["examples"][0]
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return _whole(schema[choice][0], filling, room)
    if "enum" in schema or "const" in schema:
        return schema.get("const", (schema.get("enum") or [None])[0])
    kind = schema.get("type")
    if kind == "object" or (kind is None and "properties" in schema):
        described: Mapping[str, Schema] = schema.get("properties", {})
        share = room // max(1, len(described))
        whole = {
            name: 0 if "wait" in name else _whole(one, filling, share - len(name) - 4)
            for name, one in described.items()
        }
        return {**_first(schema.get("examples", ())), **whole}
    if kind == "array":
        return _many(schema, filling, room)
    if kind == "string":
        return _filled(filling, max(0, min(schema.get("maxLength", room), _fitting(filling, room))))
    if kind in ("integer", "number"):
        return schema.get("maximum", schema.get("minimum", 1))
    return True if kind == "boolean" else _nested(room)


def _many(schema: Schema, filling: str, room: int) -> list[Any]:
    one = _whole(schema.get("items", {}), filling, min(room, _LONG_TEXT))
    fitting = room // (len(json.dumps(one)) + 2)
    return [one] * min(schema.get("maxItems", _MAX_ITEMS), fitting, _MAX_ITEMS)


def _first(examples: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return examples[0] if examples else {}


def _nested(room: int) -> Any:
    """Returns any JSON: deep, and with many members."""
    deep: Any = [0] * max(0, min(room // 4, _MAX_ITEMS))
    for _ in range(MAX_DEPTH // 2):
        deep = {"x": deep}
    return deep


def _filled(text: str, size: int) -> str:
    return (text * (size // len(text) + 1))[:size]


def _fitting(filling: str, room: int) -> int:
    """Returns how many characters of a text fit into some bytes of JSON."""
    return int(room * len(filling) / len(json.dumps(filling, ensure_ascii=False)[1:-1]))


def _encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
