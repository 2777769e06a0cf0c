"""Numbered SQL files that make the tables of an owner, and the ledger of those that were applied."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple, Protocol

__all__ = ["CONTRACT_LINE", "Ledger", "Migration", "MigrationFiles", "MigrationSource", "is_contract"]

#: The first line of a file that takes something away; a ledger knows these steps by their checksums.
CONTRACT_LINE, _CONTRACT = "-- contract", "contract:"
_FILE = re.compile(r"(\d{4})_(\w+)(?:\.([a-z]\w*))?\.sql")

#: The checksum of each step that was applied, by its owner and number.
Ledger = Mapping[tuple[str, int], str]


class MigrationSource(NamedTuple):
    """A folder of `NNNN_name.sql` and whose tables it makes; `recorded` keeps a list of them."""

    owner: str
    folder: Path
    recorded: bool = False


class Migration(NamedTuple):
    """One step, in one engine's words."""

    owner: str
    number: int
    file: str
    checksum: str
    text: str

    @property
    def contracts(self) -> bool:
        """Whether it takes away what programs before it need; so it waits until none of them runs."""
        return is_contract(self.checksum)


class Engine(Protocol):
    """The database engine that steps are for: its dialects, its own first, and its type of ids."""

    name: str
    dialects: Sequence[str]
    id_type: str


@dataclass(frozen=True, slots=True, eq=False)
class MigrationFiles:
    """Reads steps, and holds a ledger against them; `refuse` makes the error of what is wrong, in words."""

    refuse: Callable[[str], Exception]

    def check_known(
        self, ledger: Ledger, sources: Sequence[MigrationSource], engine: Engine, *, all_owners: bool
    ) -> list[Migration]:
        """Returns the steps that made a schema; refuses a newer schema, and a step that was changed.

        With `all_owners` it also refuses tables of an owner that is not among the sources.
        """
        wanted = [step for source in sources for step in self.read(source, engine)]
        strange = sorted({owner for owner, _ in ledger} - {source.owner for source in sources})
        if strange and all_owners:
            raise self.refuse(f"{strange[0]}: has tables there, and is not among the plugins of this server")
        self.check_ledger(ledger, wanted)
        return [step for step in wanted if (step.owner, step.number) in ledger]

    def read(self, source: MigrationSource, engine: Engine) -> list[Migration]:
        """Reads the steps of an owner in order; a file in the engine's spelling wins over the plain one."""
        if not source.folder.is_dir():
            raise self.refuse(f"{source.owner}: there is no folder of migrations at {source.folder}")
        spellings = [*engine.dialects, None]
        chosen: dict[int, tuple[int, Path]] = {}
        names: dict[int, str] = {}
        for path in sorted(source.folder.glob("*.sql")):
            match = _FILE.fullmatch(path.name)
            if match is None:
                raise self.refuse(f"{source.owner}: {path.name} is not named like 0001_name.sql")
            number, name, spelling = int(match[1]), match[2], match[3]
            if near := _misspelled(spelling, engine):
                meant = f"{match[1]}_{name}.{near}.sql"
                raise self.refuse(f"{source.owner}: {path.name}: did you mean {meant}?")
            if names.setdefault(number, name) != name:
                raise self.refuse(f"{source.owner}: {path.name} has a number that is taken already")
            if spelling in spellings:
                rank = spellings.index(spelling)
                chosen[number] = min(chosen.get(number, (rank, path)), (rank, path))
        for expected, number in enumerate(sorted(names), start=1):
            if number != expected:
                raise self.refuse(f"{source.owner}: migration {expected:04d} is missing in {source.folder}")
            if number not in chosen:
                raise self.refuse(
                    f"{source.owner}: {number:04d}_{names[number]} is missing for {engine.name}"
                )
        return [
            _read_file(source.owner, number, path, engine) for number, (_, path) in sorted(chosen.items())
        ]

    def check_ledger(self, ledger: Ledger, wanted: Sequence[Migration], *, newer: bool = False) -> None:
        """Refuses a ledger of other steps than these; owners that have none here are left alone.

        Steps of a `newer` program may be there, unless they took something away.
        """
        known = {(step.owner, step.number): step for step in wanted}
        owners = {step.owner for step in wanted}
        for (owner, number), checksum in ledger.items():
            if owner not in owners:
                continue
            if (step := known.get((owner, number))) is not None:
                self.check_unchanged(step, checksum)
            elif not (newer and not is_contract(checksum)):
                raise self.refuse(
                    f"{owner}: the database has migration {number:04d}, which this program does not know; "
                    "a newer version made it"
                )

    def check_unchanged(self, step: Migration, checksum: str) -> None:
        """Refuses a step that was another one when it was applied."""
        if step.checksum != checksum:
            raise self.refuse(
                f"{step.owner}: {step.file} was changed after it had been applied: another version made "
                "these tables; go on with that version, or with a fresh database"
            )


def is_contract(checksum: str) -> bool:
    """Tells whether a ledger's entry is of a step that took something away."""
    return checksum.startswith(_CONTRACT)


def _misspelled(spelling: str | None, engine: Engine) -> str | None:
    """Returns the dialect of the engine that a file's spelling is nearly, and not quite."""
    if spelling is None or spelling in engine.dialects:
        return None
    return next(iter(get_close_matches(spelling, engine.dialects, 1, 0.8)), None)


def _read_file(owner: str, number: int, path: Path, engine: Engine) -> Migration:
    text = path.read_text("utf-8")
    checksum = hashlib.sha256(text.encode()).hexdigest()
    if text.partition("\n")[0].rstrip() == CONTRACT_LINE:
        checksum = _CONTRACT + checksum
    return Migration(owner, number, path.name, checksum, re.sub(r"\$ID\b", engine.id_type, text))
