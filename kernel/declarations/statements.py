"""The SQL that a plugin brings: what it declares, and what its modules have loaded."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from guildhall_sdk import SearchSource, Statement
from guildhall_sdk.data import loaded_queries
from kernel.registry import LoadedPlugin, Registry, belongs

# As a search runs it: for a row `hit`, of which only the id is promised.
_FOR_A_HIT = (
    "SELECT 1 FROM (SELECT CAST('' AS TEXT) AS ref_id) AS hit "
    "WHERE (SELECT 1 FROM (\n{text}\n) AS readable LIMIT 1) IS NOT NULL"
)


@dataclass(frozen=True, slots=True)
class OwnedStatement:
    """A statement in the form that can be prepared, and where its author finds it."""

    place: str
    statement: Statement


def statements_of(plugin: LoadedPlugin, registry: Registry) -> list[OwnedStatement]:
    """Every statement that can be known before it runs, each once."""
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
    """Statements in the fields of a row, and behind a metric's `measured_by`."""
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
