"""Proven at boot: the statements and schemas of plugins, before anybody runs into one that is wrong."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from guildhall_sdk import InvalidRequest, JobKind, Statement
from guildhall_sdk.data import Queries, loaded_queries
from guildhall_sdk.hooks import Proven
from guildhall_sdk.schema import Schema
from kernel.db.database import Database
from kernel.db.migrations import ledger_of
from kernel.plugins.reasons import reason_of
from kernel.registry import LoadedPlugin, Registry, described_row
from kernel.validation import Validator

Files = list[tuple[Path, Queries]]


class Proofs:
    """The proofs of one start. `known` are the digests that earlier starts found right, by plugin."""

    def __init__(self, data: Database, registry: Registry, known: Mapping[str, str], version: str) -> None:
        self._data = data
        self._registry = registry
        self._known = known
        self._version = version
        self._schema: str | None = None
        self._files = _files_by_owner(registry)
        self.found: dict[str, str] = {}

    async def fault(self, plugin: LoadedPlugin) -> str | None:
        """Returns what is wrong with a plugin's schemas and statements; None if they were right before."""
        try:
            brought = _content_of(plugin, self._registry, self._files.get(plugin.id, []))
        except Exception as error:  # of the plugin that owns a hook
            return f"what it declares cannot be proven: {reason_of(error)}"
        try:
            texts = brought.digest(tuple(self._data.engine.dialects))
        except LookupError as missing:
            return str(missing.args[0])
        digest = await self._digest(texts)
        if self._known.get(plugin.id) == digest:
            self.found[plugin.id] = digest
            return None
        for place, schema in brought.schemas:
            try:
                Validator(schema).prove()
            except ValueError as error:
                return f"{place} is wrong: {error}"
        for place, (value, schema) in brought.fitting:
            if (problem := _misfit(value, schema)) is not None:
                return f"{place} does not fit its schema: {problem}"
        faults = await self._data.prepare([one.statement for one in brought.statements])
        for one, fault in zip(brought.statements, faults, strict=True):
            if fault is not None:
                return f"{one.place} cannot be prepared: {fault}"
        self.found[plugin.id] = digest
        return None

    async def _digest(self, texts: str) -> str:
        """Digests that of the texts and all that makes them right: the migrations, and this program."""
        if self._schema is None:
            async with self._data.read() as reader:
                ledger = await ledger_of(reader, self._data.engine) or {}
            self._schema = _digest_of([self._version, self._data.engine.name, repr(ledger)])
        return _digest_of([self._schema, texts])


def _proven_of(plugin: LoadedPlugin, registry: Registry) -> Iterator[tuple[str, Proven]]:
    """Yields what owners of hooks have proven of a plugin's rows, and what each row is called."""
    for one in registry.hookspecs.values():
        if (proof := one.proof) is not None:
            for row in plugin.declared(one.result.type):
                yield f"{one.result.label} {one.name_of(row)}", proof(row)


def _schemas_of(plugin: LoadedPlugin) -> Iterator[tuple[str, Any]]:
    """Yields each schema of a plugin's rows and kinds, and where its author finds it."""
    for bound in plugin.routes:
        row = bound.row
        query: Mapping[str, Schema] = row.query or {}
        named = {"body": row.body, "reply": row.reply, **{f"?{name}": one for name, one in query.items()}}
        for place, schema in named.items():
            if schema:
                yield f"row {bound.name}: the schema of {place}", schema
    for kind in plugin.declared(JobKind):
        if kind.payload:
            yield f"job kind {kind.name}: the schema of its payload", kind.payload


def _misfit(value: Any, schema: Schema) -> str | None:
    try:
        Validator(schema).check(value)
    except InvalidRequest as refusal:
        return "; ".join(f"{error['pointer']} {error['message']}".strip() for error in refusal.errors)
    return None


class OwnedStatement(NamedTuple):
    """A statement in the form that can be prepared, and where its author finds it."""

    place: str
    statement: Statement


@dataclass(frozen=True, slots=True, eq=False)
class _CheckedContent:
    """What of a plugin is proven, and the files that its statements are from."""

    files: Files
    statements: list[OwnedStatement]
    schemas: list[tuple[str, Any]]
    fitting: list[tuple[str, tuple[Any, Schema]]]
    digests: dict[tuple[str, ...], str] = field(default_factory=dict)

    def digest(self, dialects: tuple[str, ...]) -> str:
        """Returns the digest of all texts as one engine spells them; raises `LookupError`."""
        if dialects not in self.digests:
            statements = [one.statement.spelled(dialects) for one in self.statements]
            schemas = [f"{place} {schema!r}" for place, schema in self.schemas]
            self.digests[dialects] = _digest_of([*statements, *schemas, *map(repr, self.fitting)])
        return self.digests[dialects]


def _digest_of(texts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


# The servers of one process, as those of tests, share their plugins: it is put together once for all.
_checked: WeakKeyDictionary[LoadedPlugin, _CheckedContent] = WeakKeyDictionary()


def _content_of(plugin: LoadedPlugin, registry: Registry, files: Files) -> _CheckedContent:
    found = _checked.get(plugin)
    if found is None or found.files != files:
        rows = [*_proven_of(plugin, registry)]
        schemas = [(f"{row}: {place}", one) for row, of in rows for place, one in of.schemas.items()]
        fitting = [(f"{row}: {place}", one) for row, of in rows for place, one in of.fitting.items()]
        statements = [*_statements_in(plugin, rows, files)]
        found = _CheckedContent(files, statements, [*_schemas_of(plugin), *schemas], fitting)
        _checked[plugin] = found
    return found


def statements_of(plugin: LoadedPlugin, registry: Registry) -> list[OwnedStatement]:
    """Returns every statement that can be known before it runs, each once: declared, or of its files."""
    return _content_of(plugin, registry, _files_by_owner(registry).get(plugin.id, [])).statements


def _files_by_owner(registry: Registry) -> Mapping[str, Files]:
    """Returns by plugin the files of statements that its modules have loaded."""
    found: dict[str, Files] = {}
    for path, (module, queries) in loaded_queries().items():
        if (owner := registry.owner_of(module)) is not None:
            found.setdefault(owner.id, []).append((path, queries))
    return found


def _statements_in(
    plugin: LoadedPlugin, rows: Sequence[tuple[str, Proven]], files: Files
) -> Iterable[OwnedStatement]:
    found: dict[Statement, OwnedStatement] = {}
    for row, proven in rows:
        for written, run in proven.statements.items():
            found[written] = OwnedStatement(f"{row}: the statement {written.name}", run)
    for row, name, statement in _held_by(plugin):
        found.setdefault(statement, OwnedStatement(f"{row}: {name}", statement))
    for path, queries in files:
        for statement in queries:
            if not statement.part:
                place = f"{path.name}: the statement {statement.name}"
                found.setdefault(statement, OwnedStatement(place, statement))
    return found.values()


def _held_by(plugin: LoadedPlugin) -> Iterator[tuple[str, str, Statement]]:
    """Yields the statements in the fields of rows, and behind a metric's `measured_by`."""
    for row in (row for rows in plugin.rows.values() for row in rows if is_dataclass(row)):
        for one in fields(row):
            value = getattr(row, one.name)
            found = value if isinstance(value, Statement) else getattr(value, "statement", None)
            if isinstance(found, Statement):
                yield described_row(row), one.name, found
