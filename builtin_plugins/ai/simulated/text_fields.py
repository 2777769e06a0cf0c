"""The fields of a schema, as a text tells them: by its labels, its dates and sums, its names."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from builtin_plugins.ai.simulated.entities import Entity, distinct, find_mentions, find_relations
from builtin_plugins.ai.simulated.facts import Facts, Fields, NoFields, Path, key_of, read_number
from builtin_plugins.ai.simulated.words import keywords, pieces, sentences, stem, summary

_YES = frozenset({"yes", "true", "ja", "já", "si", "sí", "y", "on"})
_NO = frozenset({"no", "false", "nee", "nei", "n", "off", "none"})
_NOT = frozenset({"not", "no", "never", "without", "isn't", "niet", "geen"})
_ANSWERS = frozenset({"answer", "reply", "response", "message", "content", "output", "result"})
_SUMMARIES = frozenset({"summary", "abstract", "description", "overview", "reason", "explanation", "notes"})
_TITLES = frozenset({"title", "subject", "headline", "heading", "topic"})
_SOURCES = frozenset({"source", "subject", "from", "head"})
_TARGETS = frozenset({"target", "object", "to", "tail"})
_PREDICATES = frozenset({"predicate", "relation", "relationship", "type", "label", "verb"})
_ENTITY_TYPES = {
    "people": "person",
    "person": "person",
    "organization": "organization",
    "organisation": "organization",
    "company": "organization",
    "compani": "organization",
    "place": "place",
    "location": "place",
    "city": "place",
    "product": "product",
    "event": "event",
}
_PERSON_NAMES = frozenset({"author", "customer", "contact", "employee", "sender", "recipient", "owner"})
_OLDEST = 130
_MONEY = frozenset({"amount", "total", "price", "sum", "cost", "fee", "subtotal", "budget", "salary"})


class RecordFields(NoFields):
    """One item of a list, with what is known of it by name; its own text where it is no object."""

    def __init__(self, record: Mapping[str, Any], itself: Any = None) -> None:
        self._record = {key_of(name): value for name, value in record.items()}
        self._itself = itself

    def _value(self, path: Path) -> Any:
        name = path[-1] if path else ""
        return self._itself if name == "0" else self._record.get(key_of(name))

    def texts(self, path: Path, _hints: Mapping[str, Any]) -> Iterable[str]:
        value = self._value(path)
        return [value] if isinstance(value, str) else []

    def numbers(self, path: Path) -> Iterable[int | float]:
        value = self._value(path)
        number = read_number(value) if isinstance(value, str) else value
        return [number] if isinstance(number, int | float) else []

    def choice(self, path: Path, values: Sequence[Any]) -> Any:
        value = self._value(path)
        if value is None:
            return None
        texts = {one.lower(): one for one in values if isinstance(one, str)}
        wanted = str(value).lower()
        return texts.get(wanted) or texts.get("other") or texts.get("related_to")


class TextFields:
    """Reads the text given; `answer` is what would be replied to it."""

    def __init__(self, text: str, answer: Callable[[], str]) -> None:
        self.facts = Facts(text)
        self._answer = answer

    @cached_property
    def mentions(self) -> Sequence[Entity]:
        return find_mentions(self.facts)

    def texts(self, path: Path, hints: Mapping[str, Any]) -> Iterable[str]:
        name = _name(path)
        if (value := self._labelled(path)) is not None:
            yield from self._formed(value, hints)
            yield value
        words = [*pieces(name)]
        yield from self._by_kind(words, str(hints.get("format", "")))
        if key_of(name) in _ANSWERS or not name:
            yield self._answer()
        if key_of(name) in _SUMMARIES | {"note"}:
            yield summary(self.facts.text, 2)
        if key_of(name) in _TITLES and (found := sentences(self.facts.text)):
            yield found[0].lstrip("# ").rstrip(".:")[:80]
        if key_of(name) == "text":
            yield self.facts.quoted[0] if self.facts.quoted else self.facts.text.strip()

    def numbers(self, path: Path) -> Iterable[int | float]:
        value = self._labelled(path)
        if value is not None and (number := self._number_in(value)) is not None:
            yield number
        words = [stem(word) for word in pieces(_name(path))]
        yield from (self.facts.near[word] for word in words if word in self.facts.near)
        if not _MONEY.isdisjoint(pieces(_name(path))):
            yield from sorted((number for number, _ in self.facts.amounts), reverse=True)[:1]
        if "age" in words:
            yield from [number for number in self.facts.numbers if 0 < number < _OLDEST][:1]
        if "year" in words:
            yield from (int(one.iso[:4]) for one in self.facts.dates[:1])
        if len(self.facts.numbers) == 1:
            yield self.facts.numbers[0]

    def boolean(self, path: Path) -> bool | None:
        value = (self._labelled(path) or "").lower().strip(" .!")
        if value:
            first = value.split()[0].strip(",.")
            return True if first in _YES else False if first in _NO else None
        wanted = [stem(word) for word in pieces(_name(path)) if word not in {"is", "has"}]
        found = [stem(token.lower()) for token, _ in self.facts.tokens]
        places = [found.index(word) if word in found else -1 for word in wanted]
        if not wanted or -1 in places:
            return None
        before = {token.lower() for token, _ in self.facts.tokens[max(0, min(places) - 2) : min(places)]}
        return before.isdisjoint(_NOT)

    def choice(self, path: Path, values: Sequence[Any]) -> Any:
        labelled = self._labelled(path)
        for text in filter(None, (labelled, self.facts.text)):
            spaced = f" {' '.join(_plain_words(text))} "
            for value in values:
                words = " ".join(_plain_words(str(value)))
                if isinstance(value, str) and words and f" {words} " in spaced:
                    return value
        numbers = [*self.numbers(path)]
        return next((value for value in values if not isinstance(value, bool) and value in numbers), None)

    def items(self, path: Path, names: Sequence[str] | None) -> Iterable[Fields]:
        if names is None:
            return [RecordFields({}, item) for item in self._listed(path)]
        keys = {key_of(name) for name in names}
        if keys & _SOURCES and keys & _TARGETS:
            return [*self._relations()]
        if "name" in keys and keys & {"type", "kind", "label", "category"}:
            return [*self._entities()]
        return [RecordFields(row) for row in self._rows(keys)]

    def _entities(self) -> Iterator[Fields]:
        for one in distinct(self.mentions):
            record = dict.fromkeys(("type", "kind", "label", "category"), one.type)
            sentence = self._sentence(one.start)
            yield RecordFields({**record, "name": one.name, "snippet": sentence, "quote": sentence})

    def _relations(self) -> Iterator[Fields]:
        seen: set[tuple[str, str, str]] = set()
        for one in find_relations(self.facts, self.mentions):
            key = (one.source.name, one.predicate, one.target.name)
            if key not in seen:
                seen.add(key)
                record = dict.fromkeys(_PREDICATES, one.predicate)
                record |= dict.fromkeys(_SOURCES, one.source.name) | dict.fromkeys(_TARGETS, one.target.name)
                quoted = dict.fromkeys(("snippet", "evidence", "quote"), one.sentence)
                yield RecordFields({**record, **quoted})

    def _sentence(self, start: int) -> str:
        begin = max(self.facts.text.rfind(sign, 0, start) for sign in (". ", "\n")) + 1
        return self.facts.text[begin : start + 160].strip()

    def _listed(self, path: Path) -> Sequence[Any]:
        words = [stem(word) for word in pieces(_name(path))]
        if (value := self._labelled(path)) is not None:
            return [part.strip() for part in value.replace(";", ",").split(",") if part.strip()][:100]
        for word in words:
            if word in {"keyword", "tag", "topic"}:
                return keywords(self.facts.text)
            if word in {"entity", "entiti", "name"}:
                return [one.name for one in distinct(self.mentions)]
            if word in _ENTITY_TYPES:
                return [one.name for one in distinct(self.mentions) if one.type == _ENTITY_TYPES[word]]
            if word in {"sentenc", "point", "highlight", "bullet", "item", "line", "step"}:
                return sentences(self.facts.text)[:10]
            if word in {"number", "value", "amount"}:
                return self.facts.numbers[:100]
        return [*self._by_kind([*map(stem, words)], "", whole=True)]

    def _rows(self, keys: set[str]) -> Iterator[Mapping[str, Any]]:
        """Yields the rows of a table of Markdown whose heads are properties."""
        heads: list[str] = []
        for line in self.facts.text.splitlines()[:1000]:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) < 2:
                heads = []
            elif not heads:
                heads = cells if keys & {key_of(cell) for cell in cells} else []
            elif len(cells) == len(heads) and not all(set(cell) <= set("-: ") for cell in cells):
                yield dict(zip(heads, cells, strict=True))

    def _labelled(self, path: Path) -> str | None:
        labels = self.facts.labelled
        return next(
            (labels[key] for start in range(len(path)) if (key := key_of(" ".join(path[start:]))) in labels),
            None,
        )

    def _number_in(self, value: str) -> int | float | None:
        found = Facts(value).numbers
        return found[0] if found else read_number(value)

    def _formed(self, value: str, hints: Mapping[str, Any]) -> Iterator[str]:
        """Yields a labelled value in the requested form."""
        inner = Facts(value)
        if hints.get("format") in ("date", "date-time"):
            yield from (_timed(one.iso, hints) for one in inner.dates[:1])
        if hints.get("format") == "email":
            yield from inner.emails[:1]

    def _by_kind(self, words: Sequence[str], form: str, *, whole: bool = False) -> Iterator[str]:
        facts = self.facts
        found: Sequence[str] = ()
        named = {*words, *map(stem, words), form}
        if named & {"email", "mail"}:
            found = facts.emails
        elif named & {"url", "uri", "link", "website"}:
            found = facts.urls
        elif named & {"date", "date-time", "day", "deadline"}:
            found = [_timed(one.iso, {"format": form}) for one in facts.dates]
        elif "currency" in named:
            found = [code for _, code in facts.amounts]
        elif kind := next((_ENTITY_TYPES[one] for one in words if one in _ENTITY_TYPES), None):
            found = [one.name for one in distinct(self.mentions) if one.type == kind]
        elif named & _PERSON_NAMES or words == ["name"] or words == ["full", "name"]:
            found = [one.name for one in distinct(self.mentions) if one.type == "person"]
        yield from dict.fromkeys(found if whole else found[:1])


def _timed(iso: str, hints: Mapping[str, Any]) -> str:
    return f"{iso}T00:00:00Z" if hints.get("format") == "date-time" and len(iso) == 10 else iso


def _name(path: Path) -> str:
    return next((name for name in reversed(path) if name != "0"), "")


def _plain_words(text: str) -> list[str]:
    return "".join(sign if sign.isalnum() else " " for sign in text.lower()).split()
