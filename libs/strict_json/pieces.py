"""JSON of long values, written piece by piece: a thread that does so keeps no other waiting for the whole.

The C encoder of `json` holds everybody up until it is through, on whichever thread it runs.
"""

from collections.abc import Callable, Generator, Iterator
from itertools import islice
from typing import Any

_PER_ITEM = 8
# Of one piece, roughly in characters, and in members; well under a millisecond.
_PIECE = 32 * 1024
_MEMBERS = 1024
# Made once: a union would be made anew for each value.
_CONTAINERS = (dict, list)
Encode = Callable[[Any], str]


def capacity_after(value: Any, room: int) -> int:
    """Returns what a value leaves of some room, roughly in characters; no more of it is walked through.

    What stands in it several times counts as often: so it does once it is written.
    """
    if value is None or isinstance(value, int):
        return room
    todo = [value]
    while todo and room > 0:
        node = todo.pop()
        if isinstance(node, str):
            room -= len(node)
        elif isinstance(node, _CONTAINERS):
            room -= _PER_ITEM * (len(node) + 1)
            if room > 0:
                todo.extend(node.values() if isinstance(node, dict) else node)
    return room


def written(value: Any, encode: Encode) -> str:
    """Returns what `encode` makes of a value, put together from pieces."""
    return encode(value) if _is_one_piece(value) else "".join(_pieces(value, encode))


def encode_steps(value: Any, encode: Encode) -> Generator[None, None, str]:
    """Encodes a value in steps, between which others may have their turn; the last returns the text."""
    pieces = []
    for piece in _pieces(value, encode):
        pieces.append(piece)
        yield
    return "".join(pieces)


def _is_one_piece(value: Any) -> bool:
    return not isinstance(value, _CONTAINERS) or capacity_after(value, _PIECE) > 0


def _pieces(value: Any, encode: Encode) -> Iterator[str]:
    if _is_one_piece(value):
        yield encode(value)
        return
    named = isinstance(value, dict)
    comma, colon = encode([0, 0])[2:-2], encode({"": 0})[3:-2]
    before = ""
    yield "{" if named else "["
    for group in _groups(value):
        yield before
        before = comma
        if len(group) > 1 or capacity_after(group, _PIECE) > 0:
            yield encode(group)[1:-1]
        elif isinstance(group, dict):
            ((name, below),) = group.items()
            yield encode({name: 0})[1 : -len(colon) - 2] + colon
            yield from _pieces(below, encode)
        else:
            yield from _pieces(group[0], encode)
    yield "}" if named else "]"


def _groups(value: Any) -> Iterator[Any]:
    """Yields parts of an object or a list that make one piece each; what is too long for one is alone."""
    members = iter(value.items()) if isinstance(value, dict) else iter(value)
    make = dict if isinstance(value, dict) else list
    while members_here := [*islice(members, _MEMBERS)]:
        group = make(members_here)
        if capacity_after(group, _PIECE) > 0:
            yield group
        else:
            yield from (make([member]) for member in members_here)
