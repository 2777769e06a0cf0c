"""The synchronous half of the Python client: the asynchronous one without its awaiting."""

import re

_WORDS = (
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bfrom asyncio import sleep\b", "from time import sleep"),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\baclosing\b", "closing"),
    (r"\bguildhall_client\.asynchronous\b", "guildhall_client.synchronous"),
    (r"\bhttpx\.Async(\w+)", r"httpx.\1"),
    (r"\bAsyncGenerator\[(\w+), None\]", r"Generator[\1, None, None]"),
    (r"\bAsync(Iterator|Iterable|Generator)\b", r"\1"),
    (r"\bStopAsyncIteration\b", "StopIteration"),
    (r"\bAsync([A-Z]\w*)", r"\1"),
    (r"\b__a(enter|exit|iter|next)__\b", r"__\1__"),
    (r"\ba(close|read|iter_bytes|iter_raw|iter_lines)\b", r"\1"),
)


def without_awaiting(text: str) -> str:
    """Returns a module of the asynchronous half as the other half has it."""
    for pattern, plain in _WORDS:
        text = re.sub(pattern, plain, text)
    return text
