"""Anchors: where the chains ended at some moment, signed and kept outside the database.

Whoever has the database alone can cut a chain and put an older end back, or remove a company with all of
its events: what is left is sound in itself. An anchor remembers an event by number and mac; that event
must still be there.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from builtin_plugins.audit.chain import Head
from guildhall_sdk import rfc3339
from libs.trail_records import canonical, seal, seal_holds

_LOG_HEADS = 12

AnchorKind = Literal["heads", "restored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """The ends of chains at a moment: all of them, those that moved since the one before, or only some.

    `series` is the file's own name, `before` the mac of the line before, `heads_sha256` covers the ends of
    all chains whether they stand in `heads` or not. A `restored` one tells that a backup is about to take the
    place of what there is, and how far its chains go; it may have been killed before it did.
    """

    kind: AnchorKind
    series: str
    at: int
    chains: int
    heads_sha256: str
    heads: tuple[Head, ...]
    extent: Literal["all", "moved", "some"]
    before: str = ""
    backup: str | None = None

    def line(self, key: bytes) -> str:
        content = self._content()
        return canonical({**content, "mac": seal(key, "anchor", content)})

    def for_log(self) -> "Anchor":
        """Returns the anchor short enough for a line of the log."""
        return replace(self, heads=self.heads[:_LOG_HEADS], extent="some", before="", backup=None)

    def _content(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "series": self.series,
            "at": self.at,
            "chains": self.chains,
            "heads_sha256": self.heads_sha256,
            "heads": [[head.chain, head.seq, head.mac] for head in self.heads],
            "extent": self.extent,
            "before": self.before,
            "backup": self.backup,
        }


def heads_sha256(heads: Iterable[Head]) -> str:
    digest = hashlib.sha256()
    for head in sorted(heads, key=lambda one: one.chain):
        digest.update(f"{head.chain} {head.seq} {head.mac}\n".encode())
    return digest.hexdigest()


def mac_of(line: str) -> str:
    """Returns the mac of a line that was written here."""
    return str(json.loads(line)["mac"])


class AnchorBroken(Exception):
    """A line that is not as it was signed."""


def parse_anchor(line: str, key: bytes) -> Anchor | None:
    """Parses a line; returns None for one that is no anchor, such as another line of a log.

    Raises `AnchorBroken`.
    """
    try:
        content = json.loads(line)
        if isinstance(content, dict) and isinstance(content.get("anchor"), str):
            content = json.loads(content["anchor"])
    except ValueError:
        content = None
    if not isinstance(content, dict) or "heads_sha256" not in content:
        if '"heads_sha256' in line:
            raise AnchorBroken
        return None
    mac = content.pop("mac", None)
    if not isinstance(mac, str) or not seal_holds(key, mac, "anchor", content):
        raise AnchorBroken
    try:
        heads = tuple(Head(*head) for head in content.pop("heads"))
        return Anchor(**content, heads=heads)
    except TypeError:  # signed by a version that knows more
        raise AnchorBroken from None


class AnchorSource(NamedTuple):
    """The anchors of one file or log, and what is wrong with its lines."""

    name: str
    anchors: tuple[Anchor, ...]
    faults: tuple[str, ...]


def read_anchors(name: str, lines: Iterable[str], key: bytes) -> AnchorSource:
    """Parses the lines of a file, without a last one that was cut off: its writer died before it counted."""
    anchors, faults, before = list[Anchor](), list[str](), None
    for number, line in enumerate(lines, start=1):
        try:
            anchor = parse_anchor(line, key)
        except AnchorBroken:
            if not line.endswith("\n"):
                break
            faults.append(f"{name}, line {number}: is not as this instance signed it")
            before = None
            continue
        if anchor is None:
            continue
        if anchor.extent != "some":
            if before is not None and anchor.before != before:
                faults.append(f"{name}, line {number}: does not follow the one before; lines were removed")
            before = mac_of(line)
        anchors.append(anchor)
    return AnchorSource(name, tuple(anchors), tuple(faults))


@dataclass(slots=True)
class Anchored:
    """The events that anchors vouch for: by chain and number each event's mac, and when it was anchored."""

    events: dict[str, dict[int, tuple[str, int]]] = field(default_factory=dict)
    last_at: int | None = None
    faults: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(cls, own: AnchorSource | None, given: Sequence[AnchorSource] = ()) -> "Anchored":
        sources = [*([own] if own is not None else []), *given]
        anchored = cls(faults=tuple(fault for source in sources for fault in source.faults))
        for anchor in sorted((one for source in sources for one in source.anchors), key=lambda one: one.at):
            anchored._take(anchor)
        for source in given:
            anchored._compare(source, own)
        return anchored

    def _take(self, anchor: Anchor) -> None:
        if anchor.kind == "restored":
            self._excuse(anchor)
            return
        for head in anchor.heads:
            self.events.setdefault(head.chain, {})[head.seq] = (head.mac, anchor.at)
        self.last_at = max(anchor.at, self.last_at or 0)

    def _excuse(self, anchor: Anchor) -> None:
        """Forgets what came after the backup was made: a restore rightly loses it."""
        reached = {head.chain: head.seq for head in anchor.heads}
        excused = 0
        for chain, events in list(self.events.items()):
            beyond = [seq for seq in events if seq > reached.get(chain, 0)]
            for seq in beyond:
                del events[seq]
            excused += len(beyond)
            if not events:
                del self.events[chain]
        self.remarks += (
            f"the backup {anchor.backup} was restored at {rfc3339(anchor.at)}: "
            f"{excused} anchors of later events no longer count",
        )

    def _compare(self, source: AnchorSource, own: AnchorSource | None) -> None:
        """Compares anchors from a log with the file.

        An anchor from a log names few chains, but it vouches for the line of the file that names all.
        """
        own_anchors = own.anchors if own is not None else ()
        known = {anchor.heads_sha256 for anchor in (*own_anchors, *source.anchors) if anchor.extent != "some"}
        for anchor in source.anchors:
            if anchor.extent != "some" or anchor.heads_sha256 in known:
                continue
            since = min((one.at for one in own_anchors if one.series == anchor.series), default=None)
            if since is not None and anchor.at >= since:
                self.faults += (
                    f"the anchor of {rfc3339(anchor.at)} in {source.name} is missing in the anchor file",
                )
            elif len(anchor.heads) < anchor.chains:
                self.remarks += (
                    f"the anchor of {rfc3339(anchor.at)} in {source.name} tells of {len(anchor.heads)} of "
                    f"{anchor.chains} chains; the anchor file that tells of all is not here",
                )
