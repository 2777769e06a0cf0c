"""Tools as a server defines them, bounded and known by a digest, compared with what was approved."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from libs.names import foreign_tool_name

MAX_TOOLS = 500
#: Of all descriptions and schemas of one server.
MAX_BYTES = 2 * 1024 * 1024
MAX_NAME = 128


@dataclass(frozen=True, slots=True)
class Definition:
    """A tool under its server's own name. `schema` is the text that the digest was made from."""

    original: str
    description: str
    schema: str
    digest: str

    @classmethod
    def of(cls, original: str, description: str, schema: Mapping[str, Any]) -> "Definition":
        """Raises `ValueError` for what cannot be kept."""
        if not 1 <= len(original) <= MAX_NAME:
            raise ValueError(f"its name must have 1 to {MAX_NAME} characters")
        text = json.dumps(schema, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        whole = json.dumps([original, description, text], ensure_ascii=False)
        if "\\u0000" in whole or "\0" in whole:
            raise ValueError("it has a NUL in its text")
        try:
            return cls(original, description, text, hashlib.sha256(whole.encode()).hexdigest())
        except UnicodeEncodeError:
            raise ValueError("it has half of a character in its text") from None

    @property
    def size(self) -> int:
        return len(self.description) + len(self.schema)

    def arguments(self) -> dict[str, Any]:
        """Returns the schema as tools have it: without arguments, its type may have been left out."""
        return {"type": "object", **json.loads(self.schema)}

    def public(self) -> dict[str, Any]:
        return {"description": self.description, "schema": json.loads(self.schema)}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A tool that is left out, under its server's own name, with why."""

    original: str
    reason: str


@dataclass(frozen=True, slots=True)
class Listing:
    """What a server offers now."""

    definitions: Mapping[str, Definition]
    refused: Sequence[Refusal] = ()


class ListingBuilder:
    """Takes what there is room for, page by page: of the rest no more than its names is kept."""

    def __init__(self) -> None:
        self._taken: dict[str, Definition] = {}
        self._refused: list[Refusal] = []
        self._left = MAX_BYTES

    def add(self, given: Iterable[tuple[str, str, Mapping[str, Any]]]) -> None:
        for original, description, schema in given:
            short_name = original[:MAX_NAME].encode("utf-8", "replace").decode()
            try:
                one = Definition.of(original, description, schema)
                if original in self._taken:
                    raise ValueError("it is there twice")
                if len(self._taken) >= MAX_TOOLS:
                    raise ValueError(f"a server offers at most {MAX_TOOLS} tools")
                if one.size > self._left:
                    raise ValueError(f"the tools of a server have at most {MAX_BYTES // 2**20} MiB of text")
            except (ValueError, RecursionError) as fault:
                self._refused.append(Refusal(short_name, str(fault) or "it is nested too deeply"))
                continue
            self._left -= one.size
            self._taken[original] = one

    def listing(self, *, cut: bool = False) -> Listing:
        """Returns the listing; `cut` says that there was more which was not even asked for."""
        refused = list(self._refused)
        if cut:
            refused.append(
                Refusal("…", f"a server offers at most {MAX_TOOLS} tools; the others were not read")
            )
        return Listing(self._taken, tuple(refused[:MAX_TOOLS]))


@dataclass(frozen=True, slots=True)
class Approved:
    """A tool as an operator approved it; `name` is the one that agents and teams know."""

    server: str
    name: str
    definition: Definition


@dataclass(frozen=True, slots=True)
class Change:
    """A tool that differs from what was approved, under both of its names."""

    name: str
    original: str
    what: Literal["added", "changed", "removed"]
    before: Definition | None
    after: Definition | None

    def public(self) -> dict[str, Any]:
        return {
            "tool": self.name,
            "original": self.original,
            "what": self.what,
            "before": None if self.before is None else self.before.public(),
            "after": None if self.after is None else self.after.public(),
        }


@dataclass(frozen=True, slots=True)
class ServerTools:
    """One server's. `offered` are those that may be called now."""

    offered: Sequence[Approved]
    names: Mapping[str, str]
    changes: Sequence[Change]
    refused: Sequence[Refusal]

    @property
    def revision(self) -> str:
        """Another whenever something else waits for approval."""
        waiting = [[one.name, one.what, one.after.digest if one.after else None] for one in self.changes]
        return hashlib.sha256(json.dumps(waiting).encode()).hexdigest()[:32]


def catalogue(
    listings: Mapping[str, Listing | None], approved: Iterable[Approved]
) -> Mapping[str, ServerTools]:
    """Returns each server's tools, in order. A name that an approved tool has is not taken by another.

    Of a server that has not been there yet the approved ones are offered as they were.
    """
    kept = [one for one in approved if one.server in listings]
    holders = {one.name: (one.server, one.definition.original) for one in kept}
    return {server: _of_server(server, listing, kept, holders) for server, listing in listings.items()}


def _of_server(
    server: str, listing: Listing | None, approved: Iterable[Approved], holders: dict[str, tuple[str, str]]
) -> ServerTools:
    own = {one.definition.original: one for one in approved if one.server == server}
    if listing is None:
        return ServerTools(list(own.values()), {original: one.name for original, one in own.items()}, (), ())
    names: dict[str, str] = {}
    changes: list[Change] = []
    refused = list(listing.refused)
    for original, definition in listing.definitions.items():
        name = foreign_tool_name("mcp", server, original)
        holder = holders.setdefault(name, (server, original))
        if holder != (server, original):
            refused.append(Refusal(original, f"its name {name} clashes with {holder[1]} of {holder[0]}"))
            continue
        names[original] = name
        before = own[original].definition if original in own else None
        if before is None or before.digest != definition.digest:
            what: Literal["added", "changed"] = "added" if before is None else "changed"
            changes.append(Change(name, original, what, before, definition))
    gone = [one for original, one in own.items() if original not in names]
    changes += [Change(one.name, one.definition.original, "removed", one.definition, None) for one in gone]
    waiting = {one.original for one in changes}
    offered = [one for original, one in own.items() if original not in waiting]
    return ServerTools(offered, names, changes, refused)
