"""The database as plugins use it, and the loader of named statements."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import indent
from typing import Any, Protocol

from guildhall_sdk.principal import Actor

Row = Mapping[str, Any]

TENANT = "tenant"

_USE = re.compile(r"^( *)-- use: (\w+)[ \t]*+$")
_KIND = "quick|long|part|may lag"
# The beginning of a line is looked for behind the dashes: so it is tried where dashes are alone.
_NAME = re.compile(
    r"--(?<=^--)[ \t]*name:[ \t]*(\w+)(?:[ \t]*\(([a-z]\w*)\))?"
    rf"(?:[ \t]*\[((?:{_KIND})(?:, (?:{_KIND}))*)\])?[ \t]*$",
    re.MULTILINE,
)
_PLAIN = ""
_ONLY = re.compile(r"-- \(([a-z]\w*)\)[ \t]*+$")
_ONLY_IN_LINES = re.compile(_ONLY.pattern, re.MULTILINE)
#: The spellings that every statement has.
_DIALECTS = frozenset({"sqlite", "postgresql"})


@dataclass(frozen=True)
class Statement:
    """One named statement with `:name` binds, in the spelling of each database engine.

    An engine of another dialect than the two takes the text in `others` that is named as it is, or the plain
    one: that of `-- name: x` alone, or the one that both have.

    A quick one reads or writes a handful of rows by an index: some microseconds. SQLite then answers on
    the event loop's own thread, because handing it to another would cost several times as much.

    A long one may read very many rows, and keeps a processor busy meanwhile: a company has one of them under
    way at a time.

    A part is text that other statements are made of, and runs nowhere by itself.

    Where PostgreSQL has one `WITH` that writes to several tables, SQLite may have several statements with `;`
    between them: they run in a row, and the rows are the last one's.

    One that may lag is answered by a replica where the operator has one, unless the request has written
    before: it shows what was true a moment ago. So it decides about no right, and nothing is written because
    of what it shows.
    """

    name: str
    sqlite: str
    postgresql: str
    quick: bool = False
    long: bool = False
    part: bool = False
    may_lag: bool = False
    plain: str | None = None
    others: Mapping[str, str] = field(default_factory=dict, compare=False)

    def spelled(self, dialects: Sequence[str]) -> str:
        """Returns the text in the first of the dialects that it is spelled in, else the plain one."""
        spellings = {"sqlite": self.sqlite, "postgresql": self.postgresql, **self.others}
        text = next((spellings[one] for one in dialects if one in spellings), self.plain)
        if text is None and self.sqlite != self.postgresql:
            raise LookupError(f"the statement {self.name} is not spelled for {dialects[0]}")
        return self.sqlite if text is None else text

    def respelled(self, change: Callable[[str], str]) -> "Statement":
        """Returns the statement with the text of every spelling changed."""
        return replace(
            self,
            sqlite=change(self.sqlite),
            postgresql=change(self.postgresql),
            plain=None if self.plain is None else change(self.plain),
            others={dialect: change(text) for dialect, text in self.others.items()},
        )

    def texts(self) -> Sequence[str]:
        """Returns the text in every spelling."""
        return [*dict.fromkeys([self.sqlite, self.postgresql, *self.others.values()])]


class Queries:
    """The statements of one `queries.sql`, by attribute: `sql.note_by_id`."""

    def __init__(self, statements: Mapping[str, Statement]) -> None:
        self._statements = dict(statements)
        self.__dict__.update(self._statements)

    def __getattr__(self, name: str) -> Statement:
        raise AttributeError(f"no statement named {name}")

    def __iter__(self) -> Iterator[Statement]:
        return iter(self._statements.values())


_loaded: dict[Path, tuple[str, Queries]] = {}


def loaded_queries() -> Mapping[Path, tuple[str, Queries]]:
    """Returns the files that `load_queries` has read in this process, with the module that did so last."""
    return dict(_loaded)


def forget_queries(module: str) -> None:
    """Forgets the files that a module and those below it have loaded, before they are imported anew."""
    for path in [path for path, (by, _) in _loaded.items() if f"{by}.".startswith(f"{module}.")]:
        del _loaded[path]


def load_queries(path: Path, parts: Iterable[Statement] = ()) -> Queries:
    """Reads the `-- name: x` sections of a file; `-- name: x (postgresql)` is for one dialect.

    A line that ends with `-- (postgresql)` is for that dialect too, in a section for all.

    A line `-- use: x` stands for the text of the part `x` of the same file, in a statement or in another part
    that comes after it, or of a part among `parts`, which are the statements of another file.

    `[quick]`, `[long]`, `[part]` and `[may lag]` behind the name say what kind of statement it is, or
    `[long, may lag]` for both. What a plugin loads while it is imported is prepared against the database when
    the server starts.
    """
    # Whose statements they are: the module that calls this belongs to its plugin.
    module = sys._getframe(1).f_globals.get("__name__", "")
    _loaded[path] = module, _read_queries(path, parts)
    return _loaded[path][1]


def _read_queries(path: Path, parts: Iterable[Statement] = ()) -> Queries:
    text = path.read_text("utf-8-sig")
    headings = [*_NAME.finditer(text)]
    ends = [*(heading.start() for heading in headings), len(text)][1:]
    texts: dict[str, dict[str, str]] = {}
    kinds: dict[str, Sequence[str]] = {}
    for heading, end in zip(headings, ends, strict=True):
        name, dialect, kind = heading.groups(default="")
        spellings = texts.setdefault(name, {})
        if dialect in spellings:
            raise ValueError(f"{path}: the statement {name} stands there twice")
        spellings[dialect] = text[heading.end() : end]
        if kind:
            kinds[name] = kind.split(", ")
    known = {part.name: part for part in parts}
    for name, spellings in texts.items():
        try:
            known[name] = _statement(name, spellings, kinds.get(name, ()), known)
        except ValueError as error:
            raise ValueError(f"{path}: the statement {name} {error}") from None
    return Queries({name: known[name] for name in texts})


def _statement(
    name: str, spellings: Mapping[str, str], kinds: Sequence[str], before: Mapping[str, Statement]
) -> Statement:
    plain = spellings.get(_PLAIN)
    if plain is None and not spellings.keys() >= _DIALECTS:
        raise ValueError("is missing for one of the databases")
    flags: dict[str, Any] = {kind.replace(" ", "_"): True for kind in kinds}
    if plain is not None and len(spellings) == 1 and "-- " not in plain:  # most: nothing is for one alone
        text = plain.strip().rstrip(";")
        return Statement(name, text, text, **flags)
    named = {*_DIALECTS, *spellings, *_ONLY_IN_LINES.findall(plain or "")} - {_PLAIN}
    texts = {one: _spelt(spellings.get(one) or plain or "", one, before) for one in sorted(named)}
    return Statement(
        name,
        texts.pop("sqlite"),
        texts.pop("postgresql"),
        **flags,
        plain=_plain_text(plain, before),
        others=texts,
    )


def _spelt(text: str, dialect: str, before: Mapping[str, Statement]) -> str:
    """Leaves out comments and the lines for another database alone, and puts in the parts that are used."""
    lines: list[str] = []
    for line in text.splitlines():
        if "-- " not in line:
            lines.append(line)
        elif use := _USE.match(line):
            part = before.get(use[2])
            if part is None or not part.part:
                raise ValueError(f"uses {use[2]}, which is no part before it")
            lines.append(indent(part.spelled([dialect]), use[1]))
        elif (only := _ONLY.search(line)) is None:
            lines += [] if line.lstrip().startswith("-- ") else [line]
        elif only[1] == dialect:
            lines.append(line[: only.start()].rstrip())
    return "\n".join(lines).strip().rstrip(";")


def _plain_text(text: str | None, before: Mapping[str, Statement]) -> str | None:
    """Returns the text for whoever has no spelling of their own; None where it uses a part without one."""
    try:
        return None if text is None else _spelt(text, _PLAIN, before)
    except LookupError:
        return None


class Reader(Protocol):
    """Runs statements; a row reads as a mapping."""

    async def one(self, statement: Statement, **binds: Any) -> Row | None:
        """Returns the first row, or None where there is none."""

    async def all(self, statement: Statement, **binds: Any) -> Sequence[Row]:
        """Returns all rows."""

    async def value(self, statement: Statement, **binds: Any) -> Any:
        """Returns the first column of the first row, or None where there is no row."""


class Writer(Reader, Protocol):
    """A reader inside a transaction that commits when its scope ends well, and else changes nothing."""

    async def run(self, statement: Statement, **binds: Any) -> None:
        """Runs a statement without reading any rows."""

    async def serialize(self, *keys: str) -> None:
        """Locks the keys, in this order, until the transaction ends; waits while another one has them."""

    def savepoint(self) -> AbstractAsyncContextManager[None]:
        """Opens a part of the transaction that is undone alone where something is raised inside it.

        What is raised passes through; who catches it outside may carry on with the transaction.
        """

    def after_commit(self, tell: Callable[[], None]) -> None:
        """Calls `tell` once the transaction has committed, and never where it has not."""

    def audit(
        self,
        action: str,
        target: tuple[str, str] | None = None,
        *,
        detail: Mapping[str, Any] | None = None,
        actor: Actor | None = None,
    ) -> None:
        """Records an audit event, which commits with the change that it reports."""


class Data(Protocol):
    """The database outside a request."""

    def read(self) -> AbstractAsyncContextManager[Reader]:
        """Opens a scope to read, each statement in a snapshot of its own."""

    def write(
        self,
        actor: Actor | None = None,
        *,
        within: str | None = None,
        alone: bool = False,
        apart: bool = False,
        durable: bool = True,
    ) -> AbstractAsyncContextManager[Writer]:
        """Opens a transaction; `within` is the company that it writes for, or `TENANT` for none.

        It raises `PaymentRequired` where that company is suspended, and a suspension waits for it to commit.
        The write scopes of a request set `within` themselves. `alone` waits for the company's other writes,
        and those to come wait for it: for what must miss none of them, such as the end of a team.

        `apart` is for a scope that changes something outside the database while it is open, such as a file:
        whatever it reads there is durable, and not only on its way to be.

        Not `durable`, the scope ends before the disk has the change, which every later write sees: for what
        is worth nothing after a crash, such as a reservation.
        """

    async def flush(self) -> None:
        """Returns once everything that could be read before this call is durable."""


@dataclass(frozen=True, slots=True)
class Migrations:
    """A folder of `0001_name.sql` files; `0001_name.postgresql.sql` beside it where a dialect differs.

    `derived` are tables that a start fills from others: on the way to another engine they are left empty.
    """

    folder: Path
    derived: Sequence[str] = ()
