"""Which rows of which tables are a company's: told by their columns, and by what they point at.

A table that a plugin adds is covered as soon as it has `org_id`, `team_id`, or a key to one that has.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from guildhall_sdk import Reader, Statement, load_queries

sql = load_queries(Path(__file__).with_name("queries.sql"))

#: The instance's own: no company's row is in them.
INSTANCE = frozenset(
    (
        *("access_version", "beta_arrivals", "blob_sweeps", "data_keys", "embedding_progress"),
        *("embedding_spaces", "instance_facts", "l10n_drafts", "l10n_history", "l10n_locales"),
        *("l10n_messages", "l10n_policy", "l10n_progress", "login_failures", "mail_reset_requests"),
        *("mcp_approved_tools", "oauth_clients", "oop_grants", "passkey_answers", "periodic_jobs"),
        *("plugin_records", "processes", "provision_failures", "retention_periods", "schema_ledger"),
        *("schema_objects", "search_progress", "sign_in_used"),
    )
)
#: Of tables whose columns do not say it.
_CONDITIONS = {
    "orgs": "id = :org_id",
    "audit_checkpoints": "chain = :org_id",
    "audit_heads": "chain = :org_id",
    "executor_health": "executor_id IN (SELECT id FROM executors WHERE org_id = :org_id)",
    "executor_quirks": "executor_id IN (SELECT id FROM executors WHERE org_id = :org_id)",
    "idempotency_keys": (
        "EXISTS (SELECT 1 FROM users WHERE users.org_id = :org_id"
        " AND idempotency_keys.caller LIKE users.id || '/%')"
    ),
    "run_items": "run_id IN (SELECT id FROM runs WHERE org_id = :org_id)",
}
_BY_COLUMN = {
    "org_id": "org_id = :org_id",
    "team_id": "team_id IN (SELECT id FROM teams WHERE org_id = :org_id)",
    "user_id": "user_id IN (SELECT id FROM users WHERE org_id = :org_id)",
}
#: The trail is chained and signed here: it is in an export to be read, and stays when the company goes.
TRAIL = frozenset(("audit_checkpoints", "audit_events", "audit_heads"))


@dataclass(frozen=True, slots=True)
class Reference:
    column: str
    table: str
    to: str


@dataclass(slots=True)
class OwnedTable:
    name: str
    columns: list[str] = field(default_factory=list)
    key: list[str] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    #: Finds a company's rows by the bind `:org_id`; None for a table that nobody can place.
    condition: str | None = None


@dataclass(frozen=True, eq=False)
class Ownership:
    """All tables that there are, by name."""

    tables: Mapping[str, OwnedTable]

    @cached_property
    def owned(self) -> Sequence[OwnedTable]:
        """The tables with rows of companies; what others point at comes before them."""
        return [self.tables[name] for name in self._ordered() if self.tables[name].condition is not None]

    @property
    def uncovered(self) -> list[str]:
        """The tables of which nobody can tell whose rows are in them."""
        return sorted(
            one.name for one in self.tables.values() if one.condition is None and one.name not in INSTANCE
        )

    def _ordered(self) -> Iterator[str]:
        done, under_way = set[str](), set[str]()

        def visit(name: str) -> Iterator[str]:
            if name in done or name in under_way:
                return
            under_way.add(name)
            for reference in self.tables[name].references:
                if reference.table in self.tables:
                    yield from visit(reference.table)
            done.add(name)
            yield name

        for name in sorted(self.tables):
            yield from visit(name)


async def read_ownership(reader: Reader) -> Ownership:
    tables = dict[str, OwnedTable]()
    for row in await reader.all(sql.columns):
        table = tables.setdefault(row["table_name"], OwnedTable(row["table_name"]))
        table.columns.append(row["column_name"])
        if row["key_position"]:
            table.key.append(row["column_name"])
    for row in await reader.all(sql.keys_between):
        if row["table_name"] in tables:
            reference = Reference(row["column_name"], row["to_table"], row["to_column"])
            tables[row["table_name"]].references.append(reference)
    found = Ownership(tables)
    for name in found._ordered():
        if name not in INSTANCE:
            tables[name].condition = _condition(tables, tables[name])
    return found


def _condition(tables: Mapping[str, OwnedTable], table: OwnedTable) -> str | None:
    if table.name in _CONDITIONS:
        return _CONDITIONS[table.name]
    for column, condition in _BY_COLUMN.items():
        if column in table.columns:
            return condition
    for one in table.references:
        above = tables[one.table].condition if one.table in tables else None
        if above is not None and one.table != table.name:
            return f"{quoted(one.column)} IN (SELECT {quoted(one.to)} FROM {quoted(one.table)} WHERE {above})"
    return None


def statement(text: str) -> Statement:
    """Makes a statement about tables that are known by the catalogue alone."""
    return Statement("of_a_company", text, text)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def listed(names: Sequence[str]) -> str:
    return ", ".join(map(quoted, names))
