"""The rules that `guildhall plugin check` names: what a server refuses, and what the next release may break.

Each has a page, `docs/plugins/rules/<name>.md`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from guildhall_sdk.plugin import PluginTrial
from libs.source_reading import imports_from, modules_in, tables_made_in, tables_of_others, texts_given_to

#: What a server refuses, by what it says; the first that fits has it.
_REFUSALS = {
    "handler-signature": re.compile(r"is called with \("),
    "handler-async": re.compile(r"must be async|must be a plain function"),
    "row-without-handler": re.compile(r"^the handler \S+ has no row|has no handler"),
    "default-fits-schema": re.compile(r"its default does not fit its schema"),
    "schema": re.compile(r"does not fit its schema| is wrong: "),
    "statement": re.compile(r"cannot be prepared"),
    "hook-result": re.compile(r"^declare_\w+ (returns None|must give)"),
    "hook-unknown": re.compile(r"lacks the @hookimpl mark|there is no hook named"),
    "id-taken": re.compile(r"^the id .* is taken by "),
    "declared-twice": re.compile(r"is declared twice|provides it already|can never be reached"),
    "requirement": re.compile(r"^requires |^it is written for API "),
    "migration": re.compile(r"\.sql failed: |\.sql is not named like | is missing for "),
    "start": re.compile(r"\bon_start failed"),
}
MIGRATION_CHANGED = "migration-changed"
#: What a server refuses for a reason that has no name of its own.
_OTHER = "admission"

_FORBIDDEN = frozenset({"kernel", "libs", "builtin_plugins", "guildhall_testing"})
_IMPORT, _TABLE = "forbidden-import", "foreign-table"
# What migrations may say of the server's tables: docs/plugins/views.md.
_KEYS = re.compile(
    r"\bREFERENCES\s+(?:orgs|teams|users|memberships|credentials|jobs)\b|\bUPDATE\s+access_version\b",
    re.IGNORECASE,
)

#: All of them, as `guildhall plugin check` prints them.
RULES = frozenset({*_REFUSALS, MIGRATION_CHANGED, _OTHER, _IMPORT, _TABLE})


@dataclass(frozen=True, slots=True)
class Finding:
    """What breaks a rule, in words for the author of the plugin."""

    rule: str
    text: str

    def __str__(self) -> str:
        return f"[{self.rule}] {self.text}"


def refusal(reason: str) -> Finding:
    """Names the rule for which a server leaves a plugin out."""
    fits = (rule for rule, pattern in _REFUSALS.items() if pattern.search(reason))
    return Finding(next(fits, _OTHER), reason)


def broken_rules(trial: PluginTrial) -> Iterator[Finding]:
    """Yields a finding for each place where a plugin that would be let in reaches for what is not its own."""
    code = trial.code
    sources = [] if code is None else modules_in(code) if code.is_dir() else [code]
    for place, name in imports_from(_FORBIDDEN, sources):
        yield Finding(
            _IMPORT,
            f"{place} imports {name}, which changes with every release: "
            "a plugin imports guildhall_sdk, and asks for the rest as services",
        )
    owners = {name: owner for owner, folder in trial.migrations.items() for name in tables_made_in(folder)}
    written = [*trial.statements]
    for path in sources:
        written += [(f"{path.name}:{line}", texts) for line, texts in texts_given_to("Statement", path)]
    if (folder := trial.migrations.get(trial.status.id)) is not None:
        migrations = sorted(folder.glob("*.sql"))
        written += [(path.name, [_KEYS.sub(" ", path.read_text("utf-8"))]) for path in migrations]
    for place, name in tables_of_others(written, owners, trial.status.id):
        yield Finding(
            _TABLE,
            f"{place} names the table {name} of {owners[name]}: read the views that are "
            "published (docs/plugins/views.md), or ask a service",
        )
