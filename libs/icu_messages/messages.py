"""ICU messages, such as `{count, plural, one {# note} other {# notes}}`: read in one pass, and compared."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from libs.icu_messages.plurals import PLURAL_CATEGORIES, plural_categories

MAX_MESSAGE_DEPTH = 16

_PLURALS = ("plural", "selectordinal")
_BRANCHED = (*_PLURALS, "select")
_FORMATTED = ("number", "date", "time", "spellout", "ordinal", "duration")
_PLAIN = re.compile(r"[^'{}]+")
_SPACE = re.compile(r"[\t-\r \x85\u200e\u200f\u2028\u2029]*")
_WORD = re.compile(r"\w{1,256}")
_EXACT = re.compile(r"=(\d{1,15})", re.ASCII)
_OFFSET = re.compile(r"offset:[\t-\r ]{0,8}(\d{1,9})", re.ASCII)


class MessageFault(ValueError):
    """A text that is no ICU message: what is wrong, and at which character, counted from 0."""

    def __init__(self, problem: str, place: int) -> None:
        super().__init__(f"{problem} (character {place + 1})")
        self.problem = problem
        self.place = place


class Branch(NamedTuple):
    """One message of a plural or a select: its selector, where that stands, and the span of the message."""

    selector: str
    place: int
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument where it stands in a message.

    `kind` is empty for a bare `{name}`. `selectors` are those of a plural or a select, in their order, and
    `branches` what stands behind each. Two arguments that differ only in their places are equal.
    """

    name: str
    kind: str = ""
    selectors: Sequence[str] = ()
    offset: int = 0
    span: tuple[int, int] = field(default=(0, 0), compare=False)
    branches: Sequence[Branch] = field(default=(), compare=False)


class Message(NamedTuple):
    """A message that compiles: its arguments, and the spans of the text that a reader sees."""

    arguments: Sequence[Argument]
    texts: Sequence[tuple[int, int]]


def parse_message(text: str) -> Message:
    """Reads a message, in time that grows with its length. Raises `MessageFault`."""
    parser = _Parser(text)
    parser.read_message(depth=0, plural=False)
    if parser.at < len(text):
        raise MessageFault("a } closes nothing; a literal one is written '}'", parser.at)
    return Message(tuple(parser.arguments), tuple(parser.texts))


def argument_differences(source: Message, translation: Message) -> Sequence[str]:
    """Says in what the arguments of a translation differ from its source's; empty where they are the same.

    A plural may have further categories, and an argument may stand there more often.
    """
    wanted, given = _by_name(source), _by_name(translation)
    problems = [f"lacks the argument {{{name}}}" for name in wanted if name not in given]
    problems += [
        f"has an argument {{{name}}} that the source has not" for name in given if name not in wanted
    ]
    for name in wanted:
        if name in given:
            problems += _differences(name, wanted[name], given[name])
    return problems


def category_faults(source: Message, translation: Message, locale: str) -> Sequence[str]:
    """Names plural categories that neither the locale's numbers fall into nor the source has."""
    before, problems = _by_name(source), []
    for name, arguments in _by_name(translation).items():
        allowed = plural_categories(locale) | _categories(before.get(name, ()))
        for unknown in sorted(_categories(arguments) - allowed):
            problems.append(f"{{{name}}} has the plural category {unknown}, which {locale} does not know")
    return problems


def _by_name(message: Message) -> dict[str, list[Argument]]:
    found: dict[str, list[Argument]] = {}
    for argument in message.arguments:
        found.setdefault(argument.name, []).append(argument)
    return found


def _categories(arguments: Sequence[Argument]) -> set[str]:
    """Returns the categories of cardinal numbers: of ordinal ones a language may have others."""
    plurals = [argument for argument in arguments if argument.kind == "plural"]
    return {one for argument in plurals for one in argument.selectors if not one.startswith("=")}


def _differences(name: str, wanted: Sequence[Argument], given: Sequence[Argument]) -> Iterator[str]:
    # A bare one more or less says nothing: `#` stands for it in a plural.
    kinds, given_kinds = ({one.kind for one in arguments if one.kind} for arguments in (wanted, given))
    if kinds != given_kinds:
        yield f"{{{name}}} must be {_listed(kinds) or 'bare'}, not {_listed(given_kinds) or 'bare'}"
        return
    for kind in sorted(kinds & {*_BRANCHED}):
        before, after = ([one for one in arguments if one.kind == kind] for arguments in (wanted, given))
        selectors, given_selectors = ({*_selectors(arguments, kind)} for arguments in (before, after))
        if missing := selectors - given_selectors:
            yield f"{{{name}}} lacks {_listed(missing)}"
        if kind == "select" and (more := given_selectors - selectors):
            yield f"{{{name}}} has {_listed(more)}, which the source has not"
        if {one.offset for one in before} != {one.offset for one in after}:
            yield f"{{{name}}} has another offset"


def _selectors(arguments: Sequence[Argument], kind: str) -> Iterator[str]:
    """Returns the selectors that a translation has to keep: of a plural the exact numbers alone."""
    for argument in arguments:
        yield from (one for one in argument.selectors if kind == "select" or one.startswith("="))


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))


class _Parser:
    """Where the reading is, and what it has met."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.arguments: list[Argument] = []
        self.texts: list[tuple[int, int]] = []

    def read_message(self, *, depth: int, plural: bool) -> None:
        """Reads up to the end, or to the brace that closes it."""
        begin = self.at
        while self.at < len(self.text) and self.text[self.at] != "}":
            if self.text[self.at] == "{":
                self._add_text(begin)
                self._read_argument(depth)
                begin = self.at
            elif self.text[self.at] == "'":
                self._pass_apostrophe("{}#" if plural else "{}")
            else:
                self._pass(_PLAIN)
        self._add_text(begin)

    def _add_text(self, begin: int) -> None:
        if begin < self.at:
            self.texts.append((begin, self.at))

    def _pass(self, pattern: "re.Pattern[str]") -> str:
        """Goes behind what the pattern finds here, which may be nothing."""
        found = pattern.match(self.text, self.at)
        if found is None:
            return ""
        self.at = found.end()
        return found[0]

    def _pass_apostrophe(self, special: str) -> None:
        """Passes an apostrophe: one begins a quotation before something special only; two are one to read."""
        following = self.text[self.at + 1 : self.at + 2]
        if following == "'":
            self.at += 2
        elif following and following in special:
            self._pass_quotation()
        else:
            self.at += 1

    def _pass_quotation(self) -> None:
        """Goes to behind the apostrophe that ends it; without one it goes on to the end."""
        self.at += 1
        while (end := self.text.find("'", self.at)) >= 0:
            self.at = end + 1
            if self.text[self.at : self.at + 1] != "'":
                return
            self.at += 1
        self.at = len(self.text)

    def _read_argument(self, depth: int) -> None:
        opened = self.at
        self.at += 1
        self._pass(_SPACE)
        name = self._pass(_WORD)
        if not name:
            raise MessageFault("an argument has no name; a literal { is written '{'", opened)
        self._pass(_SPACE)
        if self._takes("}"):
            self.arguments.append(Argument(name, span=(opened, self.at)))
            return
        self._expect(",", opened)
        self._pass(_SPACE)
        place = self.at
        kind = self._pass(_WORD)
        if kind not in (*_BRANCHED, *_FORMATTED):
            raise MessageFault(f"{{{name}}} has no type that is known", place)
        self._pass(_SPACE)
        if kind in _BRANCHED:
            self._expect(",", opened)
            self._read_branches(name, kind, depth, opened)
        elif not self._takes("}"):
            self._expect(",", opened)
            self._pass_style(opened)
            self.arguments.append(Argument(name, kind, span=(opened, self.at)))
        else:
            self.arguments.append(Argument(name, kind, span=(opened, self.at)))

    def _read_branches(self, name: str, kind: str, depth: int, opened: int) -> None:
        if depth == MAX_MESSAGE_DEPTH:
            raise MessageFault(f"is nested more than {MAX_MESSAGE_DEPTH} deep", opened)
        number, branches = len(self.arguments), dict[str, Branch]()
        self._pass(_SPACE)
        offset = _OFFSET.match(self.text, self.at) if kind in _PLURALS else None
        if offset is not None:
            self.at = offset.end()
            self._pass(_SPACE)
        while not self._takes("}"):
            place = self.at
            selector = self._selector(kind, opened)
            if selector in branches:
                raise MessageFault(f"{{{name}}} has {selector} twice", place)
            self._pass(_SPACE)
            self._expect("{", opened)
            begin = self.at
            self.read_message(depth=depth + 1, plural=kind in _PLURALS)
            branches[selector] = Branch(selector, place, (begin, self.at))
            self._expect("}", opened)
            self._pass(_SPACE)
        if "other" not in branches:
            raise MessageFault(f"{{{name}}} lacks other", opened)
        argument = Argument(
            name,
            kind,
            tuple(branches),
            0 if offset is None else int(offset[1]),
            (opened, self.at),
            tuple(branches.values()),
        )
        self.arguments.insert(number, argument)

    def _selector(self, kind: str, opened: int) -> str:
        place = self.at
        if kind in _PLURALS and (exact := _EXACT.match(self.text, place)) is not None:
            self.at = exact.end()
            return f"={int(exact[1])}"
        word = self._pass(_WORD)
        if not word:
            if place == len(self.text):
                raise MessageFault("the argument is not closed", opened)
            raise MessageFault(f"a {kind} takes selectors, each followed by a message in braces", place)
        if kind in _PLURALS and word not in PLURAL_CATEGORIES:
            raise MessageFault(f"{word} is no plural category", place)
        return word

    def _pass_style(self, opened: int) -> None:
        """Passes how a number or a time is to be written, unchecked."""
        depth = 0
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "'":
                self._pass_quotation()
            elif char == "{":
                depth, self.at = depth + 1, self.at + 1
            elif char == "}":
                depth, self.at = depth - 1, self.at + 1
                if depth < 0:
                    return
            else:
                self._pass(_PLAIN)
        raise MessageFault("the argument is not closed", opened)

    def _takes(self, char: str) -> bool:
        if self.text[self.at : self.at + 1] != char:
            return False
        self.at += 1
        return True

    def _expect(self, char: str, opened: int) -> None:
        if self._takes(char):
            return
        if self.at == len(self.text):
            raise MessageFault("the argument is not closed", opened)
        raise MessageFault(f"here should be a {char}", self.at)
