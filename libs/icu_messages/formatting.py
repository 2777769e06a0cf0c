"""Writes what a reader sees of an ICU message: its arguments put in, its branches chosen."""

import re
from collections.abc import Mapping
from functools import lru_cache

from libs.icu_messages.messages import Argument, Message, MessageFault, parse_message

_QUOTED = re.compile(r"''|'(?=[{}#])((?:[^']|'')*)(?:'|$)|#")
_ENDS_IN_ONE = frozenset({"is", "mk"})
_ZERO_IS_ONE = frozenset({"fr", "pt", "hi", "fa"})


def format_message(text: str, params: Mapping[str, str | int], locale: str) -> str:
    """Returns the message with its arguments; what has no parameter stands as its name in braces.

    Of plural categories it knows `one` and `other`. A text that is no message is returned as it is.
    """
    try:
        message = _parsed(text)
    except MessageFault:
        return text
    return _Formatting(text, message, params, locale).span(0, len(text), None)


@lru_cache(maxsize=512)
def _parsed(text: str) -> Message:
    return parse_message(text)


class _Formatting:
    """One message with its parameters."""

    def __init__(self, text: str, message: Message, params: Mapping[str, str | int], locale: str) -> None:
        self.text = text
        self.arguments = sorted(message.arguments, key=lambda one: one.span)
        self.params = params
        self.language = locale.partition("-")[0].lower()

    def span(self, begin: int, end: int, number: int | None) -> str:
        """Returns a part of the message; `number` is what `#` stands for in it."""
        written: list[str] = []
        at = begin
        for argument in self.arguments:
            first, behind = argument.span
            if at <= first and behind <= end:
                written += [self._unquoted(at, first, number), self._value(argument)]
                at = behind
        return "".join([*written, self._unquoted(at, end, number)])

    def _unquoted(self, begin: int, end: int, number: int | None) -> str:
        def plain(found: "re.Match[str]") -> str:
            if found[0] == "#":
                return "#" if number is None else str(number)
            if found[0] == "''":
                return "'"
            if found[1].startswith("#") and number is None:
                return found[0]
            return found[1].replace("''", "'")

        return _QUOTED.sub(plain, self.text[begin:end])

    def _value(self, argument: Argument) -> str:
        value = self.params.get(argument.name)
        if value is None:
            return f"{{{argument.name}}}"
        if not argument.branches:
            return str(value)
        selectors = {branch.selector: branch.span for branch in argument.branches}
        if argument.kind == "select":
            return self.span(*selectors.get(str(value), selectors["other"]), None)
        number = int(value) if str(value).lstrip("-").isdecimal() else 0
        counted = number - argument.offset
        chosen = selectors.get(f"={number}") or selectors.get(self._category(counted, argument.kind))
        return self.span(*(chosen or selectors["other"]), counted)

    def _category(self, number: int, kind: str) -> str:
        if kind != "plural":
            return "other"
        if self.language in _ENDS_IN_ONE:
            return "one" if number % 10 == 1 and number % 100 != 11 else "other"
        ones = (0, 1) if self.language in _ZERO_IS_ONE else (1,)
        return "one" if number in ones else "other"
