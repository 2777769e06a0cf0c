"""Which tools a message asks for, and with which arguments: by names, descriptions and parameters."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from builtin_plugins.ai.simulated.facts import Facts, Path
from builtin_plugins.ai.simulated.instances import make_instance
from builtin_plugins.ai.simulated.text_fields import TextFields
from builtin_plugins.ai.simulated.words import STOP_WORDS, calls_of, pieces, stem, words
from libs.model_wire import FunctionCall, sound

MAX_CALLS = 8
_MAX_MESSAGE = 8 * 1024
_MAX_TOOLS = 128
# A word of the name, and one more; or half of the name.
_NAMED, _IN_NAME, _HALF_NAME, _IN_PARAMETERS, _IN_DESCRIPTION, _THRESHOLD = 100, 3, 1, 1, 1, 4
# From the first space of many alone: from each of them it would cost the square of their number.
_CLAUSE = re.compile(r"(?<=[?.!;])\s+|(?<!\s)\s+(?:and then|and|then|also)\s+|\n+")
# Words for the same, so that "How many words?" finds `word_count`.
_SAME = (
    {"count", "many", "number", "length", "tally"},
    {"eta", "arrive", "arriv", "arrival", "shipment", "ship", "delivery", "deliver"},
    {"search", "find", "look", "lookup", "query"},
    {"list", "show", "which"},
    {"read", "open", "get", "fetch", "show"},
    {"create", "creat", "write", "add", "make", "new"},
    {"time", "clock", "now", "hour"},
    {"delete", "delet", "remove", "remov"},
    {"translate", "translat", "translation"},
)
_LANGUAGE_NAMES = frozenset({"target", "language", "locale", "lang"})
_LANGUAGES = {
    "english": "en",
    "spanish": "es",
    "dutch": "nl",
    "icelandic": "is",
    "german": "de",
    "french": "fr",
    **{code: code for code in ("en", "es", "nl", "de", "fr")},
}
Value = TypeVar("Value")
_WHOLE = frozenset(
    {"text", "message", "content", "query", "q", "prompt", "body", "input", "question", "term"}
)
_IDENTIFIED = frozenset(
    {"id", "key", "object", "lane", "path", "file", "name", "slug", "ref", "note", "code"}
)


@dataclass(frozen=True, slots=True)
class _Tool:
    """One that may be called; its words are read once, however many clauses are held against them."""

    name: str
    parameters: Mapping[str, Any]
    named: set[str]
    of_parameters: set[str]
    described: set[str]
    #: What its parameters say of themselves, in small letters.
    values: str


class _ArgumentFields(TextFields):
    """The arguments of a call, as a request in words has them."""

    def __init__(self, clause: str, whole: str) -> None:
        super().__init__(clause, lambda: clause)
        self._whole = Facts(whole)

        # A value is one argument's alone.
        self._taken: dict[Path, Any] = {}

    def texts(self, path: Path, hints: Mapping[str, Any]) -> Iterator[str]:
        yield from self._untaken(path, self._texts(path, hints))

    def numbers(self, path: Path) -> Iterator[int | float]:
        yield from self._untaken(path, [*super().numbers(path), *self.facts.numbers])

    def _untaken(self, path: Path, values: Iterable[Value]) -> Iterator[Value]:
        for value in values:
            if value not in [taken for place, taken in self._taken.items() if place != path]:
                self._taken[path] = value
                yield value
        self._taken.pop(path, None)

    def _texts(self, path: Path, hints: Mapping[str, Any]) -> Iterator[str]:
        labelled = self._labelled(path)
        if labelled is not None:
            yield labelled
        named = set(pieces(path[-1] if path else ""))
        if named & _LANGUAGE_NAMES:
            yield from (_LANGUAGES[word] for word in words(self.facts.text) if word in _LANGUAGES)
        else:
            yield from self.facts.quoted
        yield from self._by_kind([*pieces(path[-1] if path else "")], str(hints.get("format", "")))
        described = {word for word in words(str(hints.get("description", ""))) if len(word) > 1}
        if named & _IDENTIFIED or not named & _WHOLE:
            yield from self.facts.identifiers
            yield from (token for token, _ in self.facts.tokens if token.lower() in described - STOP_WORDS)
        if named & _WHOLE:
            if len(after := self._whole.text.split(":", 1)) == 2 and after[1].strip():
                yield after[1].strip()
            yield self.facts.text.strip()


def choose_calls(
    tools: Sequence[Mapping[str, Any]], messages: Sequence[Mapping[str, Any]], said: str
) -> list[FunctionCall]:
    """Returns the calls that the last message of the user asks for and that were not made yet."""
    known = [tool for tool in map(_read, tools[:_MAX_TOOLS]) if tool is not None]
    before = [call for message in messages for call in calls_of(message)]
    made = {(name, _spelled(arguments)) for _, name, arguments in before}
    calls: list[FunctionCall] = []
    for name, arguments in _wanted(known, said[:_MAX_MESSAGE]):
        key = (name, _spelled(arguments))
        if key not in made and len(calls) < MAX_CALLS:
            made.add(key)
            calls.append(FunctionCall(f"call_{len(before) + len(calls)}", name, arguments))
    return calls


def _wanted(tools: Sequence[_Tool], said: str) -> Iterator[tuple[str, str]]:
    """Yields the wanted tools by clause; by the whole message where no clause asks for anything."""
    found = [call for clause in _clauses(said) if (call := _best(tools, clause, said)) is not None]
    if not found and (call := _best(tools, said, said)) is not None:
        found = [call]
    yield from found


def _clauses(said: str) -> list[str]:
    """Returns the clauses of a message; what stands in quotes is not divided."""
    quoted = {f"\0{number}\0": text for number, text in enumerate(Facts(said).quoted)}
    for sign, text in quoted.items():
        said = said.replace(text, sign)
    clauses = _CLAUSE.split(said)[: 2 * MAX_CALLS]
    for sign, text in quoted.items():
        clauses = [clause.replace(sign, text) for clause in clauses]
    return [clause for clause in clauses if clause.strip()]


def _best(tools: Sequence[_Tool], clause: str, whole: str) -> tuple[str, str] | None:
    spoken, examples = _meanings(clause), {token.lower() for token in Facts(clause).identifiers}
    small = clause.lower()
    scored = [(_score(tool, spoken, examples, small), -place) for place, tool in enumerate(tools)]
    for score, place in sorted(scored, reverse=True)[:4]:
        if score < _THRESHOLD:
            break
        tool = tools[-place]
        made = make_instance(tool.parameters, _ArgumentFields(clause, whole))
        if made is not None and not made.missing and isinstance(made.value, dict):
            return tool.name, sound(json.dumps(made.value, ensure_ascii=False))
    return None


def _score(tool: _Tool, spoken: set[str], examples: set[str], clause: str) -> int:
    """Returns how much a clause asks for a tool; it is in small letters, as the examples are."""
    if len(tool.name) > 3 and tool.name.lower() in clause:
        return _NAMED
    named = tool.named
    score = _IN_NAME * len(named & spoken) + _HALF_NAME * (2 * len(named & spoken) >= len(named))
    score += _IN_PARAMETERS * len(tool.of_parameters & spoken)
    score += _IN_DESCRIPTION * len((tool.described - named) & spoken)
    # A value that a parameter names as an example, such as one of its choices.
    return score + _IN_NAME * sum(one in tool.values for one in examples)


def _meanings(clause: str) -> set[str]:
    """Returns the words of a request, and others that mean the same."""
    spoken = {stem(word) for word in words(clause) if word not in STOP_WORDS}
    for same in _SAME:
        if spoken & same:
            spoken = spoken | same
    return spoken


def _read(tool: Mapping[str, Any]) -> _Tool | None:
    function = tool.get("function")
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        return None
    name, given = function["name"], function.get("parameters")
    parameters = given if isinstance(given, Mapping) else {"type": "object"}
    properties = parameters.get("properties")
    several = [*properties.items()][:32] if isinstance(properties, Mapping) else []
    described = words(str(function.get("description") or "")[:500])
    values = " ".join(str(one.get("description", "")) for _, one in several if isinstance(one, Mapping))
    return _Tool(
        name,
        parameters,
        named={stem(piece) for piece in pieces(name)},
        of_parameters={stem(one) for parameter, _ in several for one in pieces(parameter)},
        described={stem(word) for word in described if word not in STOP_WORDS},
        values=values.lower(),
    )


def _spelled(arguments: str) -> str:
    """Arguments in one spelling, so that the same call is known again."""
    try:
        return json.dumps(json.loads(arguments or "{}"), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments
