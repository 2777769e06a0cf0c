"""SCIM's filters: read from text, and tried on documents."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from builtin_plugins.scim.answers import invalid_filter
from libs.fair_slots import Steps

MAX_LENGTH = 2000
MAX_DEPTH = 20
MAX_TERMS = 50
#: Of the items of a long list in one step.
_PER_STEP = 250
_TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<number>-?\d+(?:\.\d+)?)(?![\w.:-])'
    r"|(?P<word>[A-Za-z$][\w$:.\-]*)|(?P<sign>[()\[\]]))"
)
_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt])|u([0-9a-fA-F]{4})|(.?))')
_ESCAPED = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_LITERALS = {"true": True, "false": False, "null": None}
#: Attributes whose values are told apart by case.
_EXACT = frozenset({"id", "externalid", "$ref", "profileurl", "location", "version"})

Document = Mapping[str, Any]


class Term:
    """What a filter says of one attribute, of which it looks at `weight` parts.

    Of a list one item has to be as it says, or with `of_all` each of them.
    """

    def __init__(self, attribute: str, test: Callable[[Document], bool], weight: int, of_all: bool) -> None:
        self.attribute = attribute
        self.test = test
        self.weight = weight
        self.of_all = of_all

    def holds(self, document: Document, known: Mapping["Term", bool]) -> bool:
        return known[self] if self in known else self.test(document)

    def holds_in_steps(self, document: Document) -> Steps[bool]:
        """Tells whether it holds, some items of its list in each step."""
        items = document[self.attribute]
        for start in range(0, len(items), _PER_STEP):
            if self.test({**document, self.attribute: items[start : start + _PER_STEP]}) != self.of_all:
                return not self.of_all
            yield
        return self.of_all


class Filter(NamedTuple):
    """A filter: what it says of a document, what must be equal in whatever it finds, and its terms."""

    holds: Callable[[Document, Mapping[Term, bool]], bool]
    equal: Mapping[str, Any]
    terms: Sequence[Term]

    def matches(self, document: Document) -> bool:
        return self.holds(document, {})

    def matches_in_steps(self, document: Document) -> Steps[bool]:
        """Tells what `matches` does of a document whose lists may be long."""
        known: dict[Term, bool] = {}
        for term in self.terms:
            items = document.get(term.attribute)
            if isinstance(items, list) and len(items) > _PER_STEP:
                known[term] = yield from term.holds_in_steps(document)
        return self.holds(document, known)

    def weight_of(self, attribute: str) -> int:
        """Returns how many parts of each item of a list it looks at."""
        return sum(term.weight for term in self.terms if term.attribute == attribute)

    def names(self, attribute: str) -> bool:
        return any(term.attribute == attribute for term in self.terms)


def _filter_of(term: Term, equal: Mapping[str, Any]) -> Filter:
    return Filter(term.holds, equal, (term,))


class Name(NamedTuple):
    """The name of an attribute: behind the URN of its schema, in small letters, part by part."""

    urn: str
    parts: Sequence[str]

    @property
    def dotted(self) -> str:
        return ".".join([*([self.urn] if self.urn else []), *self.parts])


def name_of(text: str) -> Name:
    """Returns the name that stands for an attribute; the URNs of main schemas say nothing more."""
    urn, _, rest = text.rpartition(":")
    small = urn.lower()
    if small and not small.startswith("urn:"):
        raise invalid_filter(f"{text[:80]} is no name of an attribute.")
    if re.fullmatch(r"urn:ietf:params:scim:schemas:core:2\.0:(user|group)", small):
        small = ""
    return Name(small, rest.lower().split("."))


class _Token(NamedTuple):
    kind: str
    value: Any


def _tokens(text: str) -> Iterator[_Token]:
    place, end = 0, len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None:
            raise invalid_filter(f"The filter cannot be read from character {place + 1} on.")
        kind = str(match.lastgroup)
        value: Any = match[kind]
        if kind == "text":
            value = _whole(_ESCAPE.sub(_unescaped, value[1:-1]))
        elif kind == "number":
            value = float(value) if "." in value else int(value[:30])
        yield _Token(kind, value)
        place = match.end()


def _unescaped(match: "re.Match[str]") -> str:
    if match[1]:
        return _ESCAPED[match[1]]
    if match[2]:
        return chr(int(match[2], 16))
    raise invalid_filter("A backslash in a filter's text is escaped by another one.")


def _whole(text: str) -> str:
    """Joins the two halves of a sign that were escaped apart; no database takes a half, or U+0000."""
    try:
        joined = text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        joined = "\0"
    if "\0" in joined:
        raise invalid_filter("A filter's text holds neither U+0000 nor half of a sign.")
    return joined


class _Reader:
    """Reads a filter by recursive descent: `or` binds weaker than `and`, and `not` strongest."""

    def __init__(self, text: str) -> None:
        if len(text) > MAX_LENGTH:
            raise invalid_filter(f"A filter takes {MAX_LENGTH} characters.")
        self._tokens = [*_tokens(text), _Token("end", "")]
        self._place = 0
        self._depth = 0
        self._terms = 0

    def read(self) -> Filter:
        found = self._either()
        if self._now.kind != "end":
            raise invalid_filter(f"Nothing follows before {str(self._now.value)[:40]!r}; write and, or.")
        return found

    @property
    def _now(self) -> _Token:
        return self._tokens[self._place]

    def _take(self) -> _Token:
        token = self._now
        self._place += 1
        return token

    def _is_word(self, word: str) -> bool:
        return self._now.kind == "word" and self._now.value.lower() == word

    def _either(self) -> Filter:
        found = [self._both()]
        while self._is_word("or"):
            self._take()
            found.append(self._both())
        if len(found) == 1:
            return found[0]
        parts = [one.holds for one in found]
        terms = [term for one in found for term in one.terms]
        return Filter(lambda document, known: any(holds(document, known) for holds in parts), {}, terms)

    def _both(self) -> Filter:
        found = [self._one()]
        while self._is_word("and"):
            self._take()
            found.append(self._one())
        if len(found) == 1:
            return found[0]
        parts = [one.holds for one in found]
        equal = {name: value for one in found for name, value in one.equal.items()}
        terms = [term for one in found for term in one.terms]
        return Filter(lambda document, known: all(holds(document, known) for holds in parts), equal, terms)

    def _one(self) -> Filter:
        self._depth += 1
        self._terms += 1
        if self._depth > MAX_DEPTH or self._terms > MAX_TERMS:
            raise invalid_filter(f"A filter takes {MAX_TERMS} terms, {MAX_DEPTH} deep.")
        try:
            return self._term()
        finally:
            self._depth -= 1

    def _term(self) -> Filter:
        if self._is_word("not"):
            self._take()
            inner = self._in_brackets("(", ")")
            return Filter(lambda document, known: not inner.holds(document, known), {}, inner.terms)
        if self._now == ("sign", "("):
            return self._in_brackets("(", ")")
        if self._now.kind != "word":
            raise invalid_filter('A filter is made of terms such as userName eq "ada".')
        name = name_of(self._take().value)
        if self._now == ("sign", "["):
            return self._with_items(name)
        return self._compared(name)

    def _in_brackets(self, opens: str, closes: str) -> Filter:
        if self._take() != ("sign", opens):
            raise invalid_filter(f"A {opens} is missing in the filter.")
        inner = self._either()
        if self._take() != ("sign", closes):
            raise invalid_filter(f"A {closes} is missing in the filter.")
        return inner

    def _with_items(self, name: Name) -> Filter:
        inner = self._in_brackets("[", "]")

        def test(document: Document) -> bool:
            found = values_of(document, name)
            return any(inner.matches(item) for item in found if isinstance(item, Mapping))

        equal = {f"{name.dotted}.{part}": value for part, value in inner.equal.items()}
        return _filter_of(Term(name.parts[0], test, len(inner.terms), False), equal)

    def _compared(self, name: Name) -> Filter:
        operator = str(self._take().value).lower()
        if operator == "pr":

            def is_there(document: Document) -> bool:
                return any(map(_is_there, values_of(document, name)))

            return _filter_of(Term(name.parts[0], is_there, 1, False), {})
        compare = _COMPARISONS.get(operator)
        if compare is None:
            raise invalid_filter("A filter compares by eq, ne, co, sw, ew, gt, ge, lt, le or pr.")
        token = self._take()
        wanted = token.value
        if token.kind == "word" and str(wanted).lower() in _LITERALS:
            wanted = _LITERALS[str(wanted).lower()]
        elif token.kind not in ("text", "number"):
            raise invalid_filter('A filter compares with "text", a number, true, false or null.')
        return _comparison(name, operator, compare, wanted)


def _comparison(name: Name, operator: str, compare: Callable[[Any, Any], bool], wanted: Any) -> Filter:
    is_exact = name.parts[-1] in _EXACT or name.dotted in ("members.value", "members", "groups.value")
    target = _folded(wanted, is_exact)

    def test(document: Document) -> bool:
        found = [_plain(value) for value in values_of(document, name)]
        if operator == "ne":
            return all(_folded(value, is_exact) != target for value in found)
        if wanted is None:
            return not any(map(_is_there, found))
        return any(_compares(compare, _folded(value, is_exact), target) for value in found)

    equal = {name.dotted: wanted} if operator == "eq" and isinstance(wanted, str) else {}
    return _filter_of(Term(name.parts[0], test, 1, operator == "ne" or wanted is None), equal)


def _compares(compare: Callable[[Any, Any], bool], value: Any, target: Any) -> bool:
    kinds = {type(value), type(target)}
    return (len(kinds) == 1 or kinds == {int, float}) and compare(value, target)


def _folded(value: Any, is_exact: bool) -> Any:
    return value.casefold() if isinstance(value, str) and not is_exact else value


def _plain(value: Any) -> Any:
    return value.get("value") if isinstance(value, Mapping) else value


def _is_there(value: Any) -> bool:
    return value not in (None, "", [], {})


def _of_texts(compare: Callable[[str, str], bool]) -> Callable[[Any, Any], bool]:
    return lambda value, target: isinstance(value, str) and isinstance(target, str) and compare(value, target)


_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, target: bool(value == target),
    "ne": lambda value, target: bool(value != target),
    "co": _of_texts(lambda value, target: target in value),
    "sw": _of_texts(lambda value, target: value.startswith(target)),
    "ew": _of_texts(lambda value, target: value.endswith(target)),
    "gt": lambda value, target: not isinstance(value, bool) and bool(value > target),
    "ge": lambda value, target: not isinstance(value, bool) and bool(value >= target),
    "lt": lambda value, target: not isinstance(value, bool) and bool(value < target),
    "le": lambda value, target: not isinstance(value, bool) and bool(value <= target),
}


def values_of(document: Document, name: Name) -> Sequence[Any]:
    """Returns all values that a name stands for in a document: those of each item of a list."""
    found: list[Any] = [document]
    for part in [*([name.urn] if name.urn else []), *name.parts]:
        found = [inner for one in found for inner in _inner(one, part)]
    return found


def _inner(value: Any, part: str) -> Iterator[Any]:
    if not isinstance(value, Mapping):
        return
    for key, inner in value.items():
        if key.lower() == part:
            if isinstance(inner, list):
                yield from inner
            else:
                yield inner
            return


def read_filter(text: str) -> Filter:
    """Reads a filter; raises `InvalidRequest` `invalid_filter`."""
    return _Reader(text).read()
