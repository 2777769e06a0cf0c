"""Our own strict JSON: any bytes give a value or an `JsonFault` that says where and what to do.

The C scanner of `json` does the work. Only when something is off, or when an escape might hide a
lone surrogate or a U+0000, the text is read a second time by the careful path that names the place.
No step in it keeps other threads waiting for long: a text of megabytes is not run through a regular
expression, and `_more_than_allowed` bounds how many values the scanner makes.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from math import isinf
from typing import Any, NoReturn

from libs.strict_json.faults import JsonFault, json_pointer

MAX_DEPTH = 64
MAX_MEMBERS = 100_000
_INT64 = range(-(2**63), 2**63)
_LONGEST_INT = 20
_LONGEST_NUMBER = 10_000
_MAX_NAME = 80
# Longer texts are looked through by what is fast at it, and not for the sake of a better message.
_LONG = 256 * 1024

_MARKS = (b",", b"[", b"{")
# Counted in one go; between two of them another thread has its turn.
_SLICE = 128 * 1024

_RISKY_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_UNFIT = re.compile("[\x00\ud800-\udfff]")
_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|([\[{])|([\]}])', re.DOTALL)

_SYNTAX = {
    "Expecting value": "a JSON value is missing here",
    "Expecting ',' delimiter": "a comma or a closing bracket is missing here",
    "Expecting ':' delimiter": "a colon is missing after the name",
    "Expecting property name enclosed in double quotes": "a field name in double quotes is missing here",
    "Illegal trailing comma before end of object": "remove the comma before the closing bracket",
    "Illegal trailing comma before end of array": "remove the comma before the closing bracket",
    "Unterminated string starting at": "this text has no closing quote",
    "Invalid control character at": "write control characters in text as escapes such as \\n",
    "Invalid \\escape": "this backslash begins no JSON escape; write \\\\ for a backslash",
    "Invalid \\uXXXX escape": "\\u wants four hexadecimal digits",
    "Extra data": "remove what follows the JSON value",
}
# Encoding as much takes a few milliseconds.
_LONG_TEXTS = 512 * 1024


class _Suspect(Exception):
    """The fast path met something that the careful path must name."""


class _Pairs(list[tuple[str, Any]]):
    """An object as written, repeated names and all."""


class _Refused(str):
    """Stands where a refused number stood, and says why."""


def _int64(literal: str) -> int:
    if len(literal) > _LONGEST_INT or (number := int(literal)) not in _INT64:
        raise _Suspect
    return number


def _finite(literal: str) -> float:
    if len(literal) > _LONGEST_NUMBER or isinf(number := float(literal)):
        raise _Suspect
    return number


def _no_constant(_literal: str) -> NoReturn:
    raise _Suspect


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise _Suspect
    return fields


def int_fault(literal: str) -> _Refused | None:
    fits = len(literal) <= _LONGEST_INT and int(literal) in _INT64
    return None if fits else _Refused("this integer is outside 64 bits; send it as text")


def float_fault(literal: str) -> _Refused | None:
    if len(literal) > _LONGEST_NUMBER:
        return _Refused(f"this number has more than {_LONGEST_NUMBER:,} digits; send fewer")
    return _Refused("this number is too large; send a smaller one or text") if isinf(float(literal)) else None


def _refuse_constant(literal: str) -> _Refused:
    return _Refused(f"{literal} is not JSON; send a number or null")


# Without a run of 19 digits no integer can leave 64 bits, and the scanner makes them itself.
_LONG_DIGITS = re.compile(rb"[0-9]{19}")
_FAST = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_constant)
_FAST_LONG_DIGITS = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=_int64, parse_float=_finite, parse_constant=_no_constant
)
_CAREFUL = json.JSONDecoder(
    object_pairs_hook=_Pairs, parse_int=int_fault, parse_float=float_fault, parse_constant=_refuse_constant
)
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def encode_json(value: Any) -> bytes:
    """Encodes as compact UTF-8; text that UTF-8 cannot carry is replaced, never a failed answer."""
    return _ENCODER.encode(value).encode("utf-8", "replace")


def encode_text(value: Any) -> str:
    """Encodes as `encode_json` does, to a text: for `encode_steps`, which writes long values in steps."""
    return _ENCODER.encode(value)


def decode_json(raw: bytes) -> Any:
    """Decodes a JSON text, or raises `JsonFault` and never anything else."""
    text = utf8_text(raw)
    if count_marks(raw) >= MAX_MEMBERS and _more_than_allowed(raw):
        raise too_many_values()
    try:
        may_leave_int64 = len(raw) > _LONG or _LONG_DIGITS.search(raw) is not None
        value = (_FAST_LONG_DIGITS if may_leave_int64 else _FAST).decode(text)
        if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH and _too_deep(value):
            raise _nested_too_deep(text)
        if "\\u" in text and _may_be_unfit(text, value):
            _refuse_what_is_wrong(text)
    except json.JSONDecodeError as error:
        raise syntax_fault(error) from None
    except RecursionError:
        raise _nested_too_deep(text) from None
    except _Suspect:
        _refuse_what_is_wrong(text)
        raise JsonFault("The body holds a value that this server does not take.") from None
    except MemoryError:
        raise JsonFault("The body needs too much memory to read; send less at once.") from None
    return value


def _may_be_unfit(text: str, value: Any) -> bool:
    """Tells whether an escape may have made what no text may hold."""
    return any(map(is_unfit, _texts(value))) if len(text) > _LONG else bool(_RISKY_ESCAPE.search(text))


def _texts(value: Any) -> Iterator[str]:
    """Yields every text in a value, the names of fields too."""
    todo = [value]
    while todo:
        node = todo.pop()
        if type(node) is str:
            yield node
        elif type(node) is dict:
            yield from node
            todo.extend(node.values())
        elif type(node) is list:
            todo.extend(node)


def is_unfit(text: str) -> bool:
    """Holds U+0000 or half a surrogate pair."""
    if "\0" in text:
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def utf8_text(raw: bytes) -> str:
    if not raw or raw.isspace():
        raise JsonFault("The body is empty; send a JSON value.")
    if raw.startswith(b"\xef\xbb\xbf"):
        raise JsonFault("line 1, column 1: remove the byte order mark; JSON is plain UTF-8.")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise JsonFault(
            f"line {line}, byte {error.start}: this is not UTF-8; encode the body as UTF-8."
        ) from None


def _too_deep(value: Any) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        level = [
            child
            for node in level
            for child in (node.values() if type(node) is dict else node)
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return False
    return True


def syntax_fault(error: json.JSONDecodeError) -> JsonFault:
    message = _SYNTAX.get(error.msg.split(": ")[0], "this is not JSON")
    return JsonFault(f"line {error.lineno}, column {error.colno}: {message}.")


def _nested_too_deep(text: str) -> JsonFault:
    if len(text) > _LONG:
        return JsonFault(f"The body is nested more than {MAX_DEPTH} levels deep; send it flatter.")
    depth, place = 0, 0
    for token in _BRACKET.finditer(text):
        depth += (token[1] is not None) - (token[2] is not None)
        if depth > MAX_DEPTH:
            place = token.start()
            break
    line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
    return JsonFault(
        f"line {line}, column {column}: nested more than {MAX_DEPTH} levels deep; send it flatter."
    )


def count_marks(raw: bytes) -> int:
    """Commas and opening brackets, those in texts too: cheap, and never too few."""
    return sum(map(raw.count, _MARKS))


def too_many_values() -> JsonFault:
    return JsonFault(f"The body holds more than {MAX_MEMBERS:,} values; send fewer at once.")


def _more_than_allowed(raw: bytes) -> bool:
    """Tells whether there are more than `MAX_MEMBERS` values, before anything is made of them.

    A value stands at the beginning, behind a comma or behind an opening bracket: as many of these as there
    are outside of texts, and one more, is the most that there can be.
    """
    found = 0
    for marks in marks_outside_texts(raw):
        found += marks
        if found >= MAX_MEMBERS:
            return True
    return False


def marks_outside_texts(raw: bytes) -> Iterator[int]:
    """Yields how many commas and opening brackets stand outside of texts, slice by slice."""
    start, inside = 0, 0
    while start < len(raw):
        end = _before_split_escape(raw, start, min(start + _SLICE, len(raw)))
        pieces = raw[start:end].replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
        yield count_marks(b"".join(pieces[inside::2]))
        inside ^= (len(pieces) - 1) & 1
        start = end


def _before_split_escape(raw: bytes, start: int, end: int) -> int:
    """Moves `end` back where it would part a backslash from what it escapes."""
    piece = raw[start:end]
    backslashes = len(piece) - len(piece.rstrip(b"\\"))
    return end - 1 if backslashes % 2 and end < len(raw) else end


# The careful path. A place is a chain of (place of the parent, name) so that a pointer is only
# spelled out for the one that is reported: long names above many children cost nothing.
_Place = tuple[Any, Any] | None


def _refuse_what_is_wrong(text: str) -> None:
    """Raises `JsonFault` for the first fault it meets; returns when there is none."""
    try:
        value = _CAREFUL.decode(text)
    except json.JSONDecodeError as error:
        raise syntax_fault(error) from None
    except RecursionError:
        raise _nested_too_deep(text) from None
    todo: list[tuple[Any, _Place]] = [([value], None)]
    while todo:
        node, place = todo.pop()
        for name, child in _named(node, place):
            kind = type(child)
            if kind is list or kind is _Pairs:
                todo.append((child, (place, name)))
            elif kind is _Refused:
                raise JsonFault.at(_pointer((place, name)), child)
            elif kind is str and is_unfit(child):
                raise JsonFault.at(_pointer((place, name)), unfit_fault(child))


def _named(node: list[Any], place: _Place) -> Iterable[tuple[Any, Any]]:
    """Returns the children of a node under their names; an object's names are judged first."""
    if type(node) is not _Pairs:
        return enumerate(node)
    names = [name for name, _ in node]
    for name in names:
        if is_unfit(name):
            raise JsonFault.at(_pointer(place), f"the name of a field {unfit_fault(name)}")
    if len(set(names)) != len(names):
        twice = next(name for name, count in Counter(names).items() if count > 1)
        raise JsonFault.at(_pointer((place, twice)), "this field is there twice; send it once")
    return node


def unfit_fault(text: str) -> str:
    nul = "\0" in text
    return "holds U+0000; remove it" if nul else "holds half a surrogate pair; send whole characters"


def _pointer(place: _Place) -> str:
    """Returns an RFC 6901 pointer, with long names cut."""
    names: list[str] = []
    while place is not None:
        place, name = place
        if place is None:
            break  # the list that holds the whole value
        names.append(_UNFIT.sub("\ufffd", str(name)[:_MAX_NAME]))
    return json_pointer(*reversed(names))


def encode_short(value: Any) -> bytes | None:
    """Encodes as `encode_json` does; returns None for what would take long, as the texts in it tell.

    Those in an object count, and in the items of its lists.
    """
    size = 0
    for field in value.values() if type(value) is dict else ():
        if type(field) is str:
            size += len(field)
        elif type(field) is list:
            for item in field:
                if type(item) is dict:
                    size += sum([len(text) for text in item.values() if type(text) is str])
    return None if size > _LONG_TEXTS else _ENCODER.encode(value).encode("utf-8", "replace")
