"""Proven at boot: the statements and schemas of plugins, before anybody runs into one that is wrong."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from guildhall_sdk import JobKind, Preference, Tool
from guildhall_sdk.schema import Schema
from kernel.db import Database, ledger_of
from kernel.declarations.statements import statements_of
from kernel.http.validation import Validator
from kernel.registry import LoadedPlugin, Registry


class Proofs:
    """Of one start. `known` are the digests that earlier starts found right, by plugin."""

    def __init__(self, data: Database, registry: Registry, known: Mapping[str, str], version: str) -> None:
        self._data = data
        self._registry = registry
        self._known = known
        self._version = version
        self._schema: str | None = None
        self.found: dict[str, str] = {}

    async def fault(self, plugin: LoadedPlugin) -> str | None:
        """What is wrong with a plugin's schemas and statements; None also for what was right before."""
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
        """Of the texts and of all that decides whether they are right: the migrations, and this program."""
        if self._schema is None:
            async with self._data.read() as reader:
                ledger = await ledger_of(reader) or {}
            self._schema = json.dumps([self._version, self._data.dialect, [*map(list, ledger.items())]])
        return hashlib.sha256("\0".join([self._schema, *texts]).encode()).hexdigest()


def schemas_of(plugin: LoadedPlugin) -> Iterator[tuple[str, Any]]:
    """Each schema of a plugin's rows, tools, kinds of jobs and preferences, and where its author finds it."""
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
