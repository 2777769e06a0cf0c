"""Facts that stand in a text in a form that rules can read, and what they say of the fields of a schema."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, Protocol

from builtin_plugins.ai.simulated.words import MAX_CHARACTERS, pieces, stem

Path = tuple[str, ...]

_TOKEN = re.compile(r"\S{1,200}")
_NUMBER = re.compile(r"[+-]?\d{1,15}(?:[.,]\d{3}){0,4}(?:[.,]\d{1,6})?")
_ISO_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:T[\d:.]{5,15}(?:Z|[+-][\d:]{4,6})?)?")
_DAY_FIRST = re.compile(r"(\d{1,2})[./](\d{1,2})[./](\d{4})")
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_QUOTE = re.compile("[\"“”`']")
_CLOSING = {'"': '"', "“": "”", "`": "`", "'": "'"}
_MAX_QUOTED = 2000
_LABEL = re.compile(
    r"\s{0,8}(?:[-*•]\s{1,4})?\**([^\W\d_][^:\n|]{0,60}?)\**\s{0,4}[:=]\s{0,4}\**([^\n]{1,2000})"
)
_EDGES = "\"'“”‘’`()[]{}<>,;:!?*"
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januari enero janúar",
            "february feb februari febrero febrúar",
            "march mar maart marzo mars",
            "april apr abril apríl",
            "may mei mayo maí",
            "june jun juni junio júní",
            "july jul juli julio júlí",
            "august aug augustus agosto ágúst",
            "september sep sept septiembre",
            "october oct oktober octubre október",
            "november nov noviembre nóvember",
            "december dec diciembre desember",
        ),
        1,
    )
    for name in names.split()
}
_CURRENCIES = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY"}
_CURRENCY_CODES = frozenset({"EUR", "USD", "GBP", "JPY", "CHF", "ISK", "SEK", "NOK", "DKK", "CNY"})


class Fields(Protocol):
    """Values for the places of a schema; nothing where nothing is said."""

    def texts(self, path: Path, hints: Mapping[str, Any]) -> Iterable[str]: ...

    def numbers(self, path: Path) -> Iterable[int | float]: ...

    def boolean(self, path: Path) -> bool | None: ...

    def choice(self, path: Path, values: Sequence[Any]) -> Any: ...

    def items(self, path: Path, names: Sequence[str] | None) -> "Iterable[Fields]":
        """Returns the items of a list; `names` are the properties of each, where they are objects."""
        ...


class NoFields:
    """Knows nothing."""

    def texts(self, _path: Path, _hints: Mapping[str, Any]) -> Iterable[str]:
        return ()

    def numbers(self, _path: Path) -> Iterable[int | float]:
        return ()

    def boolean(self, _path: Path) -> bool | None:
        return None

    def choice(self, _path: Path, _values: Sequence[Any]) -> Any:
        return None

    def items(self, _path: Path, _names: Sequence[str] | None) -> Iterable[Fields]:
        return ()


@dataclass(frozen=True, slots=True)
class Date:
    """A day, a month or a year, as it is written and as ISO 8601 has it."""

    text: str
    iso: str
    start: int


def key_of(name: str) -> str:
    """Returns what two spellings of a label share: `Due date`, `due_date`, `dueDate`."""
    return "".join(stem(piece) for piece in pieces(name))


def read_number(text: str) -> int | float | None:
    """Returns the number at the start of a text, with signs of currency before it."""
    match = _NUMBER.match(text.strip().lstrip("€$£¥ "))
    return None if match is None else _number(match[0])


def _number(text: str) -> int | float:
    """Takes the last separator for the decimal one, unless three digits follow it."""
    last = max(text.rfind("."), text.rfind(","))
    if last < 0:
        return int(text)
    whole, part = text[:last].replace(",", "").replace(".", ""), text[last + 1 :]
    if len(part) == 3 and text[last] == ",":
        return int(whole + part)
    return float(f"{whole or '0'}.{part}")


class Facts:
    """What rules find in a text; each kind is looked for when it is wanted first."""

    def __init__(self, text: str) -> None:
        self.text = text[:MAX_CHARACTERS]

    @cached_property
    def tokens(self) -> Sequence[tuple[str, int]]:
        """What stands between spaces, without the signs around it, and where."""
        found = []
        for match in _TOKEN.finditer(self.text):
            left = match[0].lstrip(_EDGES)
            found.append((left.rstrip(_EDGES + "."), match.start() + len(match[0]) - len(left)))
        return [one for one in found if one[0]]

    @cached_property
    def labelled(self) -> Mapping[str, str]:
        """`Label: value`, by line; the first of a label counts."""
        found: dict[str, str] = {}
        for line in self.text.splitlines():
            match = _LABEL.match(line[:2100])
            if match is not None and (value := match[2].strip().strip("*").strip()):
                found.setdefault(key_of(match[1]), value)
        return found

    @cached_property
    def quoted(self) -> Sequence[str]:
        return [text for line in self.text.split("\n") for text in _quoted_in(line)]

    @cached_property
    def emails(self) -> Sequence[str]:
        found = (_EMAIL.search(token) for token, _ in self.tokens if "@" in token)
        return [*dict.fromkeys(match[0].rstrip(".") for match in found if match)]

    @cached_property
    def urls(self) -> Sequence[str]:
        return [
            *dict.fromkeys(token for token, _ in self.tokens if token.startswith(("http://", "https://")))
        ]

    @cached_property
    def identifiers(self) -> Sequence[str]:
        """Words with a hyphen, an underscore, a slash or a digit inside: names of things, not of people."""
        return [
            token
            for token, _ in self.tokens
            if any(sign in token[1:-1] for sign in "-_/") and any(map(str.isalnum, token))
        ]

    @cached_property
    def dates(self) -> Sequence[Date]:
        found = []
        for place, (token, start) in enumerate(self.tokens):
            made = _date_of(token, start) or self._written_date(place)
            if made is not None:
                found.append(made)
        return found

    def _written_date(self, place: int) -> Date | None:
        """Reads `12 March 2024`, `March 12, 2024` and `March 2024`, at the month."""
        token, start = self.tokens[place]
        month = _MONTHS.get(token.lower())
        if month is None:
            return None
        before = self.tokens[place - 1] if place else ("", 0)
        after = [*self.tokens[place + 1 : place + 3], ("", 0), ("", 0)]
        day, first = _day(before[0]), before[1]
        year = after[0]
        if day is None and _day(after[0][0]) is not None:
            day, first, year = _day(after[0][0]), start, after[1]
        if not (len(year[0]) == 4 and year[0].isdecimal()):
            return None
        first = start if day is None else first
        text = self.text[first : year[1] + 4]
        iso = f"{year[0]}-{month:02}" if day is None else _iso(int(year[0]), month, day)
        return None if iso is None or len(text) > 40 else Date(text, iso, first)

    @cached_property
    def numbers(self) -> Sequence[int | float]:
        """Those that are no part of a date."""
        ends = [one.start + len(one.text) for one in self.dates]
        found = []
        for number, place in self._placed_numbers:
            start = self.tokens[place][1]
            after = bisect_right(ends, start)
            if after == len(ends) or self.dates[after].start > start:
                found.append(number)
        return found

    @cached_property
    def _placed_numbers(self) -> Sequence[tuple[int | float, int]]:
        found = []
        for place, (token, _) in enumerate(self.tokens):
            bare = token.lstrip("€$£¥").rstrip("%")
            if len(bare) < 30 and _NUMBER.fullmatch(bare):
                found.append((_number(bare), place))
        return found

    @cached_property
    def near(self) -> Mapping[str, int | float]:
        """The number beside a word: `12 days`, `days: 12`, `aged 36`; the first of a word counts."""
        found: dict[str, int | float] = {}
        keys = [key_of(token) for token, _ in self.tokens] if self._placed_numbers else []
        for number, place in self._placed_numbers:
            for away in (1, -1, -2, -3, 2):
                if 0 <= place + away < len(keys):
                    found.setdefault(keys[place + away], number)
        return found

    @cached_property
    def amounts(self) -> Sequence[tuple[int | float, str]]:
        """Sums of money with their currency."""
        found = []
        for number, place in self._placed_numbers:
            around = self.tokens[max(0, place - 1) : place + 2]
            sign = self.text[max(0, self.tokens[place][1] - 1) : self.tokens[place][1] + 1]
            named = [_CURRENCIES[one] for one in sign if one in _CURRENCIES]
            named += [
                _CURRENCIES.get(one, one) for one, _ in around if one in _CURRENCIES or one in _CURRENCY_CODES
            ]
            if named:
                found.append((number, named[0]))
        return found


def _date_of(token: str, start: int) -> Date | None:
    if match := _ISO_DATE.fullmatch(token[:40]):
        iso = _iso(int(match[1]), int(match[2]), int(match[3]))
        return None if iso is None else Date(token, token if "T" in token else iso, start)
    if match := _DAY_FIRST.fullmatch(token[:40]):
        iso = _iso(int(match[3]), int(match[2]), int(match[1]))
        return None if iso is None else Date(token, iso, start)
    return None


def _iso(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def _day(token: str) -> int | None:
    bare = token.rstrip(".").removesuffix("th").removesuffix("st").removesuffix("nd").removesuffix("rd")
    return (
        int(bare) if len(bare) <= 2 and bare.isdecimal() and bare.isascii() and 1 <= int(bare) <= 31 else None
    )


def _quoted_in(line: str) -> list[str]:
    """Finds what stands between quotes; an apostrophe within a word is none."""
    places: dict[str, list[int]] = {sign: [] for sign in "\"“”`'"}
    for match in _QUOTE.finditer(line):
        places[match[0]].append(match.start())
    found: list[str] = []
    after = 0
    for match in _QUOTE.finditer(line):
        start, sign = match.start(), match[0]
        if start < after or sign not in _CLOSING or (sign == "'" and _is_word(line[start - 1 : start])):
            continue
        ends = places[_CLOSING[sign]]
        number = bisect_right(ends, start)
        end = ends[number] if number < len(ends) else 0
        if not 1 < end - start <= _MAX_QUOTED + 1 or (sign == "'" and _is_word(line[end + 1 : end + 2])):
            continue
        found.append(line[start + 1 : end])
        after = end + 1
    return found


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"
