"""An answer of a model put together from pieces, however they are cut: its text and its tool calls."""

import json
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

_OPENING, _CLOSING = "<think>", "</think>"
# A tag that is quoted is spoken of, not used.
_QUOTES = frozenset("`\"'")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_COMPLETENESS_CHECKS = 256
_MAX_CHECKED_CHARACTERS = 65_536


class FunctionCall(NamedTuple):
    """A function that the model wants called; `arguments` is JSON as the model wrote it, good or bad."""

    id: str
    name: str
    arguments: str

    def message(self) -> dict[str, Any]:
        """Returns the call as chat completions have it."""
        function = {"name": self.name, "arguments": self.arguments}
        return {"id": self.id, "type": "function", "function": function}


def sound(text: str) -> str:
    """Returns the text without half surrogate pairs, which JSON can spell and nobody can write down."""
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return whole.encode("utf-8", "replace").decode()


class VisibleText:
    """Separates what a model says from what it thinks between `<think>` and `</think>`.

    A thought at the beginning may lack its end; further on, a tag that is never closed is text.
    """

    __slots__ = ("_after_thought", "_held", "_last", "_leading", "_text", "_thought", "_thoughts")

    def __init__(self) -> None:
        self._text: list[str] = []
        self._thoughts: list[str] = []
        self._thought: list[str] | None = None  # of a tag that is open
        self._held = ""  # may be the beginning of a tag, or half of a character
        self._last = ""
        self._leading = True
        self._after_thought = False

    @property
    def text(self) -> str:
        return "".join(self._text)

    @property
    def thoughts(self) -> str:
        return "".join(self._thoughts)

    def add(self, piece: str) -> str:
        """Takes a piece in, and returns what is visible of it and of those before that were undecided."""
        if not piece:
            return ""
        undecided = self._leading or self._held or self._thought is not None
        if undecided or "<" in piece or not (piece.isascii() or _SURROGATE.search(piece) is None):
            piece = self._sort(self._held + piece)
        return self._append(piece)

    def finish(self) -> str:
        """Decides what is still undecided, and returns what is visible of it."""
        held, self._held = sound(self._held), ""
        thought, self._thought = self._thought, None
        if thought is None:
            return self._append("" if self._leading and self._after_thought else held)
        if self._leading:
            self._thoughts += [*thought, held]
            return ""
        return self._append("".join((_OPENING, *thought, held)))

    def _append(self, piece: str) -> str:
        if piece:
            self._text.append(piece)
            self._last = piece[-1]
        return piece

    def _sort(self, text: str) -> str:
        half = text[-1] if "\ud800" <= text[-1] <= "\udbff" else ""
        text = sound(text[:-1] if half else text)
        visible: list[str] = []
        while text:
            if self._thought is not None:
                text, more = self._think(text)
            elif self._leading:
                text, more = self._begin(text)
            else:
                text, more = self._say(text, visible)
            if not more:
                break
        self._held = text + half
        return "".join(visible)

    def _think(self, text: str) -> tuple[str, bool]:
        assert self._thought is not None
        end = text.find(_CLOSING)
        if end < 0:
            kept = len(text) - _overlap(text, _CLOSING)
            self._thought.append(text[:kept])
            return text[kept:], False
        self._thoughts += [*self._thought, text[:end]]
        self._thought = None
        self._after_thought = True
        return text[end + len(_CLOSING) :], True

    def _begin(self, text: str) -> tuple[str, bool]:
        """Begins the visible text: only space and thoughts came so far; space before one belongs to it."""
        stripped = text.lstrip()
        if self._after_thought:
            text = stripped
        if _OPENING.startswith(stripped):
            if stripped == _OPENING:
                self._thought = []
                return "", True
            return text, False
        if stripped.startswith(_OPENING):
            self._thought = []
            return stripped[len(_OPENING) :], True
        self._leading = False
        return text, True

    def _say(self, text: str, visible: list[str]) -> tuple[str, bool]:
        start = self._find_opening(text)
        kept = len(text) - _overlap(text, _OPENING) if start < 0 else start
        if kept:
            visible.append(text[:kept])
            self._last = text[kept - 1]
        if start < 0:
            return text[kept:], False
        self._thought = []
        return text[start + len(_OPENING) :], True

    def _find_opening(self, text: str) -> int:
        start = text.find(_OPENING)
        while start >= 0 and (text[start - 1] if start else self._last) in _QUOTES:
            start = text.find(_OPENING, start + 1)
        return start


class _CallPieces:
    """One tool call under way."""

    __slots__ = ("arguments", "id", "name", "size")

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []
        self.size = 0

    def add_arguments(self, arguments: Any) -> None:
        text = _arguments_text(arguments)
        if text:
            self.arguments.append(text)
            self.size += len(text)

    def is_complete(self) -> bool:
        if not self.arguments or self.size > _MAX_CHECKED_CHARACTERS:
            return False
        return self.arguments[-1].rstrip().endswith("}") and is_json("".join(self.arguments))


class ToolCallPieces:
    """Puts tool calls together: a new id begins a new call, else the index tells, else the position."""

    __slots__ = ("_by_id", "_by_index", "_calls", "_checks")

    def __init__(self) -> None:
        self._calls: list[_CallPieces] = []
        self._by_id: dict[str, _CallPieces] = {}
        self._by_index: dict[int, _CallPieces] = {}
        self._checks = 0

    def add(self, pieces: Any) -> None:
        """Takes in the `tool_calls` of one chunk."""
        if not isinstance(pieces, list):
            return
        found = [piece for piece in pieces if isinstance(piece, Mapping)]
        indexes = [_index_of(piece) for piece in found]
        if len(found) > 1 and (None in indexes or len(set(indexes)) < len(indexes)):
            indexes = list(range(len(found)))
        for piece, index in zip(found, indexes, strict=True):
            self._add(piece, index)

    def calls(self) -> Sequence[FunctionCall]:
        return _with_ids((call.id, call.name, "".join(call.arguments)) for call in self._calls if call.name)

    def _add(self, piece: Mapping[str, Any], index: int | None) -> None:
        function = piece.get("function")
        function = function if isinstance(function, Mapping) else {}
        call_id, name = _text_or_empty(piece.get("id")), _text_or_empty(function.get("name"))
        call = self._call_of(call_id, name, index)
        if call_id:
            call.id = call_id
            self._by_id[call_id] = call
        # A name that comes again is the same one: nobody has seen one cut once its arguments began.
        if name and not (call.name and (call_id or call.arguments)):
            call.name += name
        call.add_arguments(function.get("arguments"))

    def _call_of(self, call_id: str, name: str, index: int | None) -> _CallPieces:
        if call_id in self._by_id:
            return self._by_id[call_id]
        newest = self._calls[-1] if self._calls else None
        last = newest if index is None else self._by_index.get(index)
        if last is None or (call_id and last.id) or (name and self._is_complete(last)):
            last = _CallPieces()
            self._calls.append(last)
            if index is not None:
                self._by_index[index] = last
        return last

    def _is_complete(self, call: _CallPieces) -> bool:
        if not call.arguments or self._checks >= _MAX_COMPLETENESS_CHECKS:
            return False
        self._checks += 1
        return call.is_complete()


def whole_tool_calls(given: Any) -> Sequence[FunctionCall]:
    """Reads the tool calls of an answer that came whole; what has no name is none."""
    found = []
    for call in given if isinstance(given, list) else ():
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(function, Mapping) and (name := _text_or_empty(function.get("name"))):
            found.append((_text_or_empty(call.get("id")), name, _arguments_text(function.get("arguments"))))
    return _with_ids(found)


def is_json(text: str) -> bool:
    """Tells whether the text is JSON and nothing else."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _with_ids(calls: Iterable[tuple[str, str, str]]) -> Sequence[FunctionCall]:
    """Yields each call with an id of its own: one that is missing or there already is made up."""
    made: dict[str, FunctionCall] = {}
    for call_id, name, arguments in calls:
        unique = sound(call_id)
        while not unique or unique in made:
            # Nine letters and digits: some servers take no other from the one who repeats it to them.
            unique = f"c{secrets.token_hex(4)}"
        made[unique] = FunctionCall(unique, sound(name), sound(arguments))
    return list(made.values())


def _arguments_text(arguments: Any) -> str:
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    return json.dumps(arguments)


def _text_or_empty(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _index_of(piece: Mapping[str, Any]) -> int | None:
    index = piece.get("index")
    return index if isinstance(index, int) and not isinstance(index, bool) else None


def _overlap(text: str, tag: str) -> int:
    """Counts the characters at the end of the text that may be the beginning of the tag."""
    for size in range(min(len(tag) - 1, len(text)), 0, -1):
        if text.endswith(tag[:size]):
            return size
    return 0
