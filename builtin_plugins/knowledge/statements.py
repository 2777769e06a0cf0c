"""The statements of this plugin, and how the repository's rule comes into those that read."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from guildhall_sdk import Principal, Statement, load_queries
from guildhall_sdk.services.repository import Repository

sql = load_queries(Path(__file__).with_name("queries.sql"))
changes = load_queries(Path(__file__).with_name("changes.sql"))

READ, WRITE = "files:read", "files:write"
_HERE = "1 = 0 /* readable */"
_TEAM, _COMPANY = "root.team_id = :team_id", "root.org_id = :org_id"


class Readable:
    """What one caller can read: their binds, and statements with the repository's rule for them in it."""

    def __init__(
        self, repository: Repository, caller: Principal, now_ms: int, *, across_company: bool = False
    ) -> None:
        self._rule = repository.readable_in_org if across_company else repository.readable
        self._wide = across_company
        #: Whose scope leaves reading out reads nothing: not what they own either.
        self.anything = caller.scope_allows(READ)
        self.caller = caller
        self.now_ms = now_ms
        self.binds: Mapping[str, Any] = {
            "user_id": caller.user_id,
            "team_id": caller.team_id,
            "org_id": caller.org_id,
            "by_role": int(caller.may(READ)),
            "now": now_ms,
        }

    def __call__(self, statement: Statement) -> Statement:
        """Returns the statement with the rule in its place."""
        return composed(statement, self._rule, self._wide)


@lru_cache(maxsize=64)
def composed(statement: Statement, rule: Statement, across_company: bool) -> Statement:
    """Returns the statement with the rule in its place; a list may span the company."""

    def spelt(text: str, of_rule: str) -> str:
        # A subquery for its value, not EXISTS: PostgreSQL would rather read all there is first.
        judged = f"(SELECT 1 FROM (\n{of_rule}\n) AS readable LIMIT 1) IS NOT NULL"
        text = text.replace(_HERE, judged)
        return text.replace(_TEAM, _COMPANY) if across_company else text

    return Statement(
        statement.name,
        spelt(statement.sqlite, rule.sqlite),
        spelt(statement.postgresql, rule.postgresql),
        long=statement.long,
    )
