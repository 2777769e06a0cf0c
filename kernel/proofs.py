"""Proven at boot: the statements and schemas of plugins, before anybody runs into one that is wrong."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from guildhall_sdk import JobKind, Preference, SearchSource, Statement, Tool
from guildhall_sdk.data import loaded_queries
from guildhall_sdk.schema import Schema
from kernel.db import Database, ledger_of
from kernel.http.validation import Validator
from kernel.registry import LoadedPlugin, Registry, belongs

# As a search runs it: for a row `hit`, of which only the id is promised.
_FOR_A_HIT = (
    "SELECT 1 FROM (SELECT CAST('' AS TEXT) AS ref_id) AS hit "
    "WHERE (SELECT 1 FROM (\n{text}\n) AS readable LIMIT 1) IS NOT NULL"
)


class Proofs:
    """The proofs of one start. `known` are the digests that earlier starts found right, by plugin."""

    def __init__(self, data: Database, registry: Registry, known: Mapping[str, str], version: str) -> None:
        self._data = data
        self._registry = registry
        self._known = known
        self._version = version
        self._schema: str | None = None
        self.found: dict[str, str] = {}

    async def fault(self, plugin: LoadedPlugin) -> str | None:
        """Returns what is wrong with a plugin's schemas and statements; None if they were right before."""
        owned = statements_of(plugin, self._registry)
        schemas = [*schemas_of(plugin)]
        texts = [getattr(one.statement, self._data.dialect) for one in owned]
        digest = await self._digest([*texts, *(f"{place} {schema!r}" for place, schema in schemas)])
        if self._known.get(plugin.id) == digest:
            self.found[plugin.id] = digest
            return None
        for place, schema in schemas:
            try:
                Validator.compile(schema).prove()
            except ValueError as error:
                return f"{place} is wrong: {error}"
        faults = await self._data.prepare([one.statement for one in owned])
        for one, fault in zip(owned, faults, strict=True):
            if fault is not None:
                return f"{one.place} cannot be prepared: {fault}"
        self.found[plugin.id] = digest
        return None

    async def _digest(self, texts: list[str]) -> str:
        """Digests the texts and all that decides whether they are right: the migrations, and this program."""
        if self._schema is None:
            async with self._data.read() as reader:
                ledger = await ledger_of(reader) or {}
            self._schema = json.dumps([self._version, self._data.dialect, [*map(list, ledger.items())]])
        return hashlib.sha256("\0".join([self._schema, *texts]).encode()).hexdigest()


def schemas_of(plugin: LoadedPlugin) -> Iterator[tuple[str, Any]]:
    """Yields each schema of a plugin's rows, tools, kinds and preferences, and where its author finds it."""
    for bound in (*plugin.routes, *plugin.extension_routes):
        row = bound.row
        query: Mapping[str, Schema] = row.query or {}
        named = {"body": row.body, "reply": row.reply, **{f"?{name}": one for name, one in query.items()}}
        for place, schema in named.items():
            if schema:
                yield f"row {bound.name}: the schema of {place}", schema
    for tool in plugin.declared(Tool):
        yield f"tool {tool.name}: the schema of its arguments", tool.function_schema()["parameters"]
    for kind in plugin.declared(JobKind):
        if kind.payload:
            yield f"job kind {kind.name}: the schema of its payload", kind.payload
    for preference in plugin.declared(Preference):
        yield f"preference {preference.name}: its schema", preference.schema


@dataclass(frozen=True, slots=True)
class OwnedStatement:
    """A statement in the form that can be prepared, and where its author finds it."""

    place: str
    statement: Statement


def statements_of(plugin: LoadedPlugin, registry: Registry) -> list[OwnedStatement]:
    """Returns every statement that can be known before it runs, each once."""
    declared = [*_declared(plugin)]
    judging = {one for source in plugin.declared(SearchSource) for one in _judging(source)}
    known = judging | {one.statement for one in declared}
    loaded = [
        OwnedStatement(f"{file.path.name}: the statement {statement.name}", statement)
        for file in loaded_queries()
        if belongs(file.module, plugin.module) and registry.owner_of(file.module) == plugin
        for statement in file.queries
        if not statement.part and statement not in known
    ]
    return declared + loaded


def _declared(plugin: LoadedPlugin) -> Iterator[OwnedStatement]:
    for source in plugin.declared(SearchSource):
        for statement in _judging(source):
            yield OwnedStatement(
                f"search source {source.type}: the statement {statement.name}", _for_a_hit(statement)
            )
    for rows in plugin.rows.values():
        for row in rows:
            for name, statement in _held_by(row):
                yield OwnedStatement(f"{type(row).__name__} {_name_of(row)}: {name}", statement)


def _judging(source: SearchSource) -> tuple[Statement, Statement]:
    return source.readable, source.readable_in_org


def _held_by(row: Any) -> Iterator[tuple[str, Statement]]:
    """Yields the statements in the fields of a row, and behind a metric's `measured_by`."""
    if not is_dataclass(row):
        return
    left_out = _judging(row) if isinstance(row, SearchSource) else ()
    for field in fields(row):
        value = getattr(row, field.name)
        found = value if isinstance(value, Statement) else getattr(value, "statement", None)
        if isinstance(found, Statement) and found not in left_out:
            yield field.name, found


def _name_of(row: Any) -> str:
    return str(getattr(row, "name", "") or getattr(row, "type", ""))


def _for_a_hit(statement: Statement) -> Statement:
    return Statement(
        statement.name,
        _FOR_A_HIT.format(text=statement.sqlite),
        _FOR_A_HIT.format(text=statement.postgresql),
    )
