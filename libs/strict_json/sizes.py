"""How long a value is, before it is encoded and as it is sent."""

import json
from collections.abc import Mapping
from typing import Any


def has_longer_texts(value: Any, max_characters: int) -> bool:
    """Tells whether the texts in a value are longer together; no more of it is walked through."""
    todo, characters = [value], 0
    while todo and characters <= max_characters:
        node = todo.pop()
        if isinstance(node, str):
            characters += len(node)
        elif isinstance(node, Mapping):
            todo.extend(node.values())
        elif isinstance(node, list | tuple):
            todo.extend(node)
    return characters > max_characters


def utf8_size(value: Any, separators: tuple[str, str] = (",", ":")) -> int:
    """Returns the bytes of a value as JSON whose text is not escaped beyond ASCII."""
    return len(json.dumps(value, ensure_ascii=False, separators=separators).encode("utf-8", "surrogatepass"))
