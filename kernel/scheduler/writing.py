"""Values as JSON text, without holding the event loop for a long one."""

import json
from typing import Any

from libs.fair_slots import RESULTS
from libs.strict_json import encode_steps

# Roughly characters: what is within takes well under a millisecond to write.
_LONG = 32 * 1024
_PER_ITEM = 16
_encode = json.JSONEncoder(allow_nan=False).encode


async def written(value: Any) -> str:
    """Encodes a value, on a thread where it is long; raises `ValueError` for what is no JSON."""
    if value is None:  # as most jobs return
        return "null"
    if not _is_long(value):
        return _encode(value)
    return await RESULTS.run_steps(f"{id(value):x}", encode_steps(value, _encode))


def _is_long(value: Any) -> bool:
    """Tells whether a value is long, without walking through more of it than that takes."""
    room, todo = _LONG, [value]
    while todo and room > 0:
        node = todo.pop()
        room -= len(node) if isinstance(node, str) else _PER_ITEM
        if isinstance(node, dict | list):
            room -= _PER_ITEM * len(node)
            if room > 0:
                todo.extend(node.values() if isinstance(node, dict) else node)
    return room <= 0
