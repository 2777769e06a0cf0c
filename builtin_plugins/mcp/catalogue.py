"""What the servers offer, held against what was approved: tools, changes that wait, and what is left out."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from builtin_plugins.mcp.definitions import Definition, Listing, Refusal
from guildhall_sdk.tools import foreign_tool_name


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
    """Each server's, in the order given. A name that an approved tool has is not taken by another.

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
