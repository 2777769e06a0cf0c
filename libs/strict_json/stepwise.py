"""Strict JSON of long texts in steps, so that a thread that reads them keeps no other company waiting.

The C scanner of `json` reads a text in one go, and lets nobody else run meanwhile. What is short goes to it;
the rest is read value by value here, and a long string piece by piece.
"""

import json
import re
from codecs import BOM_UTF8, getincrementaldecoder
from collections.abc import Generator, Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NoReturn, TypeVar

from libs.strict_json.decoding import (
    MAX_DEPTH,
    MAX_MEMBERS,
    count_marks,
    decode_json,
    float_fault,
    int_fault,
    is_unfit,
    marks_outside_texts,
    syntax_fault,
    too_many_values,
    unfit_fault,
    utf8_text,
)
from libs.strict_json.faults import JsonFault, json_pointer

# What is within both takes the C scanner some thirty milliseconds at the worst.
_SHORT_BYTES = 1024 * 1024
_SHORT_MARKS = 20_000
#: Between two steps: values, and characters of one string.
_VALUES = 1_000
_PIECE = 64 * 1024
_MAX_NAME = 80
_LIST = object()

_Result = TypeVar("_Result")
_Steps = Generator[None, None, _Result]

_SPACE = re.compile(r"[ \t\n\r]*+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][-+]?[0-9]++)?")
_SPACES = frozenset(" \t\n\r")
_SURROGATES = re.compile("[\x00\ud800-\udfff]")
_CONSTANTS = {"true": True, "false": False, "null": None}
_REFUSED = ("NaN", "Infinity", "-Infinity")
# Whole characters and escapes; the halves of a surrogate pair stay together.
_WHOLE = re.compile(
    r'(?:[^"\\]++|\\[^u]|\\u(?![dD][89abAB])[0-9a-fA-F]{4}'
    r"|\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\u[0-9a-fA-F]{4}|(?=[^\\]|\\[^u])))*+"
)


def decode_steps(raw: bytes) -> _Steps[Any]:
    """Decodes as `decode_json` does, in steps between which others may have their turn."""
    if len(raw) <= _SHORT_BYTES and count_marks(raw) <= _SHORT_MARKS:
        return decode_json(raw)
    text, marks = yield from _text_and_marks(raw)
    if marks >= MAX_MEMBERS:
        found = 0
        for more in marks_outside_texts(raw):
            found += more
            if found >= MAX_MEMBERS:
                raise too_many_values()
            yield
    return (yield from _Reader(text).read())


def _text_and_marks(raw: bytes) -> _Steps[tuple[str, int]]:
    """Decodes UTF-8, and counts what may stand between values."""
    decoder, pieces, marks, is_blank = getincrementaldecoder("utf-8")(), [], 0, True
    for start in range(0, len(raw), _SHORT_BYTES):
        slice_ = raw[start : start + _SHORT_BYTES]
        try:
            pieces.append(decoder.decode(slice_, start + _SHORT_BYTES >= len(raw)))
        except UnicodeDecodeError:
            return utf8_text(raw), 0  # which says where
        marks += count_marks(slice_)
        is_blank = is_blank and slice_.isspace()
        yield
    if is_blank or raw.startswith(BOM_UTF8):
        return utf8_text(raw[:_MAX_NAME]), 0
    return "".join(pieces), marks


class _Reader:
    """Reads one text.

    `_open` are the containers that are not closed yet, each with the name of its next value; of a list that
    is `_LIST`.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[tuple[Any, Any]] = []

    def read(self) -> _Steps[Any]:
        text, at, wants_name = self._text, self._after_space(0), False
        while True:
            for _ in range(_VALUES):
                kind = text[at : at + 1]
                if kind == '"':
                    short = self._short_string(at + 1)
                    value, at = short if short is not None else (yield from self._long_string(at + 1))
                    if wants_name:
                        at, wants_name = self._take_name(value, at), False
                        continue
                elif wants_name:
                    raise self._fault("Expecting property name enclosed in double quotes", at)
                elif kind == "{" or kind == "[":
                    value, at, wants_name = self._opened(kind, at)
                    if value is None:
                        continue
                else:
                    value, at = self._scalar(at)
                at = self._after_space(at)
                value, at, wants_name = self._closed(value, at)
                if not self._open:
                    return value
            yield

    def _opened(self, kind: str, at: int) -> tuple[Any, int, bool]:
        """Opens a container; returns it if it is empty, and whether a name comes next if it is not."""
        if len(self._open) >= MAX_DEPTH:
            raise JsonFault(f"The body is nested more than {MAX_DEPTH} levels deep; send it flatter.")
        at = self._after_space(at + 1)
        named = kind == "{"
        inner: Any = {} if named else []
        if self._text[at : at + 1] == ("}" if named else "]"):
            return inner, at + 1, False
        self._open.append((inner, None if named else _LIST))
        return None, at, named

    def _closed(self, value: Any, at: int) -> tuple[Any, int, bool]:
        """Puts a value where it belongs, and closes what ends behind it; the whole where nothing is open."""
        while self._open:
            inner, name = self._open[-1]
            is_list = name is _LIST
            if is_list:
                inner.append(value)
            else:
                inner[name] = value
            mark = self._text[at : at + 1]
            if mark == ",":
                return None, self._after_space(at + 1), not is_list
            if mark != ("]" if is_list else "}"):
                raise self._fault("Expecting ',' delimiter", at)
            self._open.pop()
            value, at = inner, self._after_space(at + 1)
        if at != len(self._text):
            raise self._fault("Extra data", at)
        return value, at, False

    def _take_name(self, name: str, at: int) -> int:
        inner, _ = self._open[-1]
        self._open[-1] = inner, name
        if name in inner:
            self._refuse("this field is there twice; send it once")
        at = self._after_space(at)
        if self._text[at : at + 1] != ":":
            raise self._fault("Expecting ':' delimiter", at)
        return self._after_space(at + 1)

    def _short_string(self, at: int) -> tuple[str, int] | None:
        """Reads what follows an opening quote, where it is short and has no escapes."""
        end = self._text.find('"', at, at + _PIECE)
        if end < 0 or self._text.find("\\", at, end) >= 0:
            return None
        return self._scanned(self._text, at, at)

    def _long_string(self, at: int) -> _Steps[tuple[str, int]]:
        """Reads what follows an opening quote, piece by piece."""
        text, pieces = self._text, []
        while True:
            whole = _WHOLE.match(text, at, at + _PIECE)
            assert whole is not None  # it matches nothing too
            end = whole.end()
            if text[end : end + 1] == '"' or end == at:  # the end, or a fault that the scanner names
                piece, end = self._scanned(text, at, at)
                pieces.append(piece)
                break
            pieces.append(self._scanned(f'{text[at:end]}"', 0, at)[0])
            at = end
            yield
        value = "".join(pieces)
        if is_unfit(value):
            self._refuse(unfit_fault(value))
        return value, end

    def _scanned(self, text: str, at: int, place: int) -> tuple[str, int]:
        try:
            value, end = scanstring(text, at, True)
        except json.JSONDecodeError as error:
            raise self._fault(error.msg, place + error.pos - at) from None
        return value, end

    def _scalar(self, at: int) -> tuple[Any, int]:
        text = self._text
        number = _NUMBER.match(text, at)
        if number is None:
            return self._constant(at)
        literal, is_int = number[0], number.lastindex is None
        fault = int_fault(literal) if is_int else float_fault(literal)
        if fault is not None:
            self._refuse(fault)
        return (int(literal) if is_int else float(literal)), number.end()

    def _constant(self, at: int) -> tuple[Any, int]:
        for constant, value in _CONSTANTS.items():
            if self._text.startswith(constant, at):
                return value, at + len(constant)
        for constant in _REFUSED:
            if self._text.startswith(constant, at):
                self._refuse(f"{constant} is not JSON; send a number or null")
        raise self._fault("Expecting value", at)

    def _after_space(self, at: int) -> int:
        if self._text[at : at + 1] not in _SPACES:
            return at
        space = _SPACE.match(self._text, at)
        assert space is not None
        return space.end()

    def _fault(self, message: str, at: int) -> JsonFault:
        return syntax_fault(json.JSONDecodeError(message, self._text, min(at, len(self._text))))

    def _refuse(self, why: str) -> NoReturn:
        """Refuses the value, or the name, that is read now."""
        raise JsonFault.at(json_pointer(*self._place()), why)

    def _place(self) -> Iterator[str]:
        for inner, name in self._open:
            yield str(len(inner)) if name is _LIST else _SURROGATES.sub("\ufffd", str(name or "")[:_MAX_NAME])
