"""The journal of installs: what was put in place of what, what is under way, what the trail must hear."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

#: How many installs of one plugin can be gone back on.
_KEPT = 3
_FILE = "journal.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One distribution that another version was put in place of; without a wheel there is none of it."""

    name: str
    old_version: str | None
    old_wheel: str | None
    new_version: str | None
    new_wheel: str | None


@dataclass(slots=True, kw_only=True)
class Act:
    """An install, or the way back from one; a start tries it, and makes it good."""

    plugin: str
    changes: list[Change]
    state: Literal["installed", "tried", "good"] = "installed"
    detail: dict[str, Any] = field(default_factory=dict)
    #: What the new version may do, as whoever installed it agreed.
    agreed: dict[str, list[str]] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Journal:
    """The journal of one data folder, written whole or not at all."""

    file: Path
    id: str = ""
    acts: list[Act] = field(default_factory=list)
    #: What was begun and not ended: the changes are undone by whoever finds them.
    open: Act | None = None
    #: The wheels of what is in place, by the names of distributions.
    wheels: dict[str, str] = field(default_factory=dict)
    #: What the audit trail has not heard yet, with a number each.
    events: list[dict[str, Any]] = field(default_factory=list)
    numbered: int = 0

    def note(self, action: str, act: Act, **more: object) -> None:
        """Adds what the next start writes into the audit trail."""
        self.numbered += 1
        versions = [[one.name, one.old_version, one.new_version] for one in act.changes]
        detail = {"distributions": versions, **act.detail, **more}
        self.events.append(
            {"number": self.numbered, "action": action, "plugin": act.plugin, "detail": detail}
        )

    def add(self, act: Act) -> None:
        """Adds an act that ended well, and forgets what lies too far back."""
        self.acts.append(act)
        for one in [one for one in self.acts if one.plugin == act.plugin][:-_KEPT]:
            self.acts.remove(one)

    def in_use(self) -> Iterator[str]:
        """Yields the wheels that somebody may still want."""
        yield from self.wheels.values()
        for act in (*self.acts, *([self.open] if self.open else [])):
            for one in act.changes:
                yield from (wheel for wheel in (one.old_wheel, one.new_wheel) if wheel)

    def save(self) -> None:
        fields = asdict(self)
        del fields["file"]
        part = self.file.with_suffix(".part")
        with part.open("w") as file:
            json.dump(fields, file, indent=1, sort_keys=True)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, self.file)  # noqa: PTH105 - as the tests count it
        folder = os.open(self.file.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)


def plugins_folder(data: Path) -> Path:
    return data / "plugins"


def has_journal(folder: Path) -> bool:
    return (folder / _FILE).exists()


def read_journal(folder: Path) -> Journal:
    """Reads the journal of a folder; one that is not there yet is empty."""
    file = folder / _FILE
    if not file.exists():
        return Journal(file=file, id=uuid4().hex)
    fields: Mapping[str, Any] = json.loads(file.read_text())
    return Journal(
        file=file,
        **{
            **fields,
            "acts": [_act(one) for one in fields["acts"]],
            "open": _act(fields["open"]) if fields["open"] else None,
        },
    )


def _act(fields: Mapping[str, Any]) -> Act:
    return Act(**{**fields, "changes": [Change(**one) for one in fields["changes"]]})
