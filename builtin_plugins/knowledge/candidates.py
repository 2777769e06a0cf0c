"""What a model says a text holds, each thing checked alone: it needs a quotation that stands in the text."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from builtin_plugins.knowledge.names import MAX_NAME, TYPES, display_name, fold
from libs.fair_slots import Steps

MAX_QUOTE, MAX_SNIPPET, MAX_PREDICATE = 2_000, 500, 100
MAX_ENTITIES, MAX_RELATIONS, MAX_PASSAGES = 500, 1_000, 5
# Of one answer, whatever becomes of them; the rest is dropped unseen.
MAX_CHECKED = 2_000
_PER_STEP = 10
# Beyond these, what is dropped is counted and not named: forty documents share one result.
_MAX_NAMED, _MAX_DROPPED_NAME = 40, 60

#: Type and normalised name: what makes two mentions one entity.
Key = tuple[str, str]


class _Refused(Exception):
    """Why a candidate is dropped."""


@dataclass(slots=True)
class Found:
    """What was found in a document so far, bounded in every direction."""

    names: dict[Key, str] = field(default_factory=dict)
    passages: dict[Key, list[str]] = field(default_factory=dict)
    relations: dict[tuple[Key, str, Key], str] = field(default_factory=dict)
    dropped: list[dict[str, str]] = field(default_factory=list)
    dropped_count: int = 0

    def drop(self, what: str, name: Any, reason: str) -> None:
        self.dropped_count += 1
        if len(self.dropped) < _MAX_NAMED:
            text = display_name(name)[:_MAX_DROPPED_NAME] if isinstance(name, str) else ""
            self.dropped.append({"what": what, "name": text, "reason": reason})

    def add_entity(self, key: Key, name: str, quote: str) -> bool:
        if key not in self.names:
            if len(self.names) == MAX_ENTITIES:
                return False
            self.names[key] = name
        elif self.names[key].startswith(name):
            # The same without what may be the end of its sentence.
            self.names[key] = name
        passages = self.passages.setdefault(key, [])
        if quote not in passages and len(passages) < MAX_PASSAGES:
            passages.append(quote)
        return True

    def add_relation(self, relation: tuple[Key, str, Key], quote: str) -> bool:
        if relation not in self.relations and len(self.relations) == MAX_RELATIONS:
            return False
        self.relations.setdefault(relation, quote)
        return True

    def stored(self) -> dict[str, Any]:
        """Returns all of it as JSON, for `restored`."""
        return {
            "entities": [[*key, name, self.passages[key]] for key, name in self.names.items()],
            "relations": [[*s, predicate, *o, quote] for (s, predicate, o), quote in self.relations.items()],
            "dropped": self.dropped,
            "dropped_count": self.dropped_count,
        }

    def restore(self, stored: Mapping[str, Any]) -> None:
        """Adds what `stored` gave."""
        for type_, folded, name, quotes in stored["entities"]:
            for quote in quotes:
                if not self.add_entity((type_, folded), name, quote):
                    self.drop("entity", name, "too_many")
                    break
        for s_type, s_name, predicate, o_type, o_name, quote in stored["relations"]:
            ends = (s_type, s_name), (o_type, o_name)
            if not {*ends} <= self.names.keys() or not self.add_relation(
                (ends[0], predicate, ends[1]), quote
            ):
                self.drop("relation", predicate, "too_many")
        for one in stored["dropped"]:
            self.drop(one["what"], one["name"], one["reason"])
        self.dropped_count += stored["dropped_count"] - len(stored["dropped"])


def check_reply(piece: str, reply: Mapping[str, Any]) -> Steps[dict[str, Any]]:
    """Returns what an answer says of a piece of text, as `Found.stored` has it; in short steps."""
    found, text = Found(), _flat(piece)
    ends: dict[str, Key] = {}
    entities, relations = reply["entities"], _items(reply.get("relations"))
    for number, candidate in enumerate(entities[:MAX_CHECKED]):
        try:
            key = _add_entity(found, text, candidate)
            ends.setdefault(key[1], key)
        except _Refused as refused:
            found.drop("entity", _member(candidate, "name"), str(refused))
        if number % _PER_STEP == 0:
            yield
    for number, candidate in enumerate(relations[:MAX_CHECKED]):
        try:
            _add_relation(found, text, ends, candidate)
        except _Refused as refused:
            found.drop("relation", _described(candidate), str(refused))
        if number % _PER_STEP == 0:
            yield
    for what, candidates in (("entity", entities), ("relation", relations)):
        if len(candidates) > MAX_CHECKED:
            found.drop(what, "", "too_many")
            found.dropped_count += len(candidates) - MAX_CHECKED - 1
    return found.stored()


def _add_entity(found: Found, text: str, candidate: Any) -> Key:
    given = _object(candidate)
    name = _text(given, "name", MAX_NAME)
    type_ = given.get("type")
    if not isinstance(type_, str) or type_.strip().lower() not in TYPES:
        raise _Refused("unknown_type")
    key = (type_.strip().lower(), fold(name))
    if not found.add_entity(key, name, _quote(given, text)):
        raise _Refused("too_many")
    return key


def _add_relation(found: Found, text: str, ends: Mapping[str, Key], candidate: Any) -> None:
    given = _object(candidate)
    subject, target = _text(given, "subject", MAX_NAME), _text(given, "object", MAX_NAME)
    predicate = _text(given, "predicate", MAX_PREDICATE)
    quote = _quote(given, text)
    for end, name in (("subject", subject), ("object", target)):
        if fold(name) not in ends:
            raise _Refused(f"unknown_{end}")
    if not found.add_relation((ends[fold(subject)], predicate, ends[fold(target)]), quote):
        raise _Refused("too_many")


def _object(candidate: Any) -> Mapping[str, Any]:
    if not isinstance(candidate, Mapping):
        raise _Refused("not_an_object")
    return candidate


def _text(given: Mapping[str, Any], name: str, limit: int) -> str:
    value = given.get(name)
    if not isinstance(value, str):
        raise _Refused(f"{name}_missing")
    # Whatever the length, no more of it is looked at than tells that it is too long.
    text = display_name(value[: 4 * limit])
    if not text:
        raise _Refused(f"{name}_missing")
    if len(text) > limit or len(value) > 4 * limit:
        raise _Refused(f"{name}_too_long")
    return text


def _quote(given: Mapping[str, Any], text: str) -> str:
    value = given.get("quote")
    if not isinstance(value, str) or not value.strip():
        raise _Refused("quote_missing")
    if len(value) > MAX_QUOTE:
        raise _Refused("quote_too_long")
    quote = _flat(value)
    if quote not in text:
        raise _Refused("quote_not_in_text")
    return quote[:MAX_SNIPPET]


def _flat(text: str) -> str:
    return " ".join(text.split())


def _member(candidate: Any, name: str) -> Any:
    return candidate.get(name) if isinstance(candidate, Mapping) else None


def _described(candidate: Any) -> str:
    parts: Iterable[Any] = (_member(candidate, name) for name in ("subject", "predicate", "object"))
    return " ".join(part[:MAX_NAME] for part in parts if isinstance(part, str))


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
