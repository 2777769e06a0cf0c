"""A page of a list costs the same in a team that has much: the statements behind it read what it shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bench.growth_filling import skip_key_checks
from builtin_plugins.ai.usage import old_usage_sql as old_usage
from builtin_plugins.ai.usage import sql as usage
from builtin_plugins.audit.chain import sql as proofs
from builtin_plugins.audit.partitions import EVENTS, make_ahead
from builtin_plugins.audit.trail import sql as audit
from builtin_plugins.beta.prospects.service import sql as prospects
from builtin_plugins.beta.signup.gate import sql as signups
from builtin_plugins.translation.history import sql as translations
from builtin_plugins.workflows.runs.ending import retention_sql as old_runs
from guildhall_sdk import Statement, load_queries
from kernel.db.scopes import ScopedReader
from kernel.scope import current_scope
from libs.sql_binds import numbered
from tests.growth.effort import pretend_more_rows, rows_on_postgresql, steps_on_sqlite

filling = load_queries(Path(__file__).with_name("filling.sql"))
MANY = 12_000
#: Less than whoever reads all of them would spend; a fresh connection takes a step for each table.
LITTLE, NEXT_TO_NOTHING = 3_300, 400

LISTS = [
    "/api/jobs",
    "/api/jobs?state=failed",
    "/api/jobs?state=queued",
    "/api/jobs?state=running",
    "/api/jobs?state=succeeded",
    "/api/jobs?kind=x.common",
    "/api/jobs?kind=x.rare",
    "/api/jobs?kind=x.common&state=failed",
    "/api/jobs?kind=x.rare&state=succeeded",
    "/api/jobs?kind=x.common&state=running",
    "/api/jobs?kind=x.common&state=queued",
    "/api/notes",
    "/api/notes?scope=org",
    "/api/notes?sort=updated",
    "/api/notes?sort=title",
    "/api/notes?deleted=1",
    "/api/notes?tag=common",
    "/api/notes?tag=common&sort=updated",
    "/api/notes?tag=common&sort=title&scope=org",
    "/api/notes?tag=rare",
    "/api/notes?tag=rare&sort=updated",
    "/api/repo",
    "/api/repo?prefix=k1",
    "/api/repo?shared=1",
    "/api/repo?scope=org",
    "/api/repo?delimiter=/",
    "/api/repo?delimiter=/&prefix=k1",
    "/api/repo?sort=name&order=desc",
    "/api/repo?sort=size&order=desc",
    "/api/repo?sort=updated&order=desc",
    "/api/repo?sort=updated&order=desc&scope=org",
    "/api/repo?sort=updated&prefix=k1",
    "/api/repo?sort=updated&delimiter=/",
    "/api/repo?deleted=1&sort=updated",
    "/api/repo?deleted=1",
    "/api/repo?deleted=1&prefix=k1",
    "/api/documents",
    "/api/audit",
    "/api/audit?actor=usr_nobody",
    "/api/audit?action=token",
    "/api/audit?action=note",
    "/api/audit?target=note_nothing",
    "/api/audit?q=token%20issued",
    "/api/audit?actor=usr_nobody&q=chat&from=2029-01-01T00:00:00Z",
    "/api/org/audit",
    "/api/org/audit?actor=usr_nobody",
    "/api/org/audit?action=token.issued",
    "/api/org/audit?action=token&actor=usr_nobody",
    "/api/tokens",
    "/api/members",
    "/api/org/members",
    "/api/org/teams",
    "/api/glossary",
    "/api/glossary?target=es",
    "/api/translate",
    "/api/usage?by=user",
    "/api/beta/prospects",
    "/api/beta/prospects?status=accepted",
    "/api/beta/experience/versions",
    "/api/beta/assets",
]
# Of the instance.
TRANSLATORS_LISTS = [
    "/api/l10n/messages?locale=fy",
    "/api/l10n/messages?locale=fy&status=submitted",
    "/api/l10n/messages?locale=fy&status=approved",
    "/api/l10n/messages?locale=fy&ns=rare",
    "/api/l10n/messages?locale=fy&ns=rare&status=missing",
    "/api/l10n/messages?locale=fy&ns=common&status=submitted",
    "/api/l10n/messages/msg_1000000001/history",
]
# For everybody.
PUBLIC = [
    "/api/beta/config",
    "/api/beta/challenge",
    "/beta/template",
    "/api/i18n/catalog?locale=fr",
    "/api/i18n/catalog?locale=fy",
    "/api/config",
]
# Of whoever sees their own alone.
OWN_LISTS = ["/api/usage?by=user", "/api/usage?by=token"]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def grown(module_hall: Any) -> "Grown":
    """Returns a hall in which one team has much; no test changes it."""
    asker = await module_hall.join(module_hall.acme, "admin", org_role="org_owner")
    other = await module_hall.join(module_hall.acme)
    await fill(module_hall, asker, other)
    return Grown(module_hall, asker, other)


@dataclass(frozen=True)
class Grown:
    hall: Any
    asker: Any
    other: Any


async def fill(hall: Any, asker: Any, other: Any) -> None:
    who = {
        "org_id": asker.person.org_id,
        "team_id": asker.person.team_id,
        "user_id": asker.person.user_id,
        "other_id": other.person.user_id,
    }
    async with hall.server.data.write() as writer:
        await skip_key_checks(hall.server.data, writer)
        for statement in filling:
            _, names = numbered(statement.postgresql)
            known = {"many": MANY, **who}
            await writer.run(statement, **{name: known[name] for name in names})
    await plan_as_for_more(hall)


async def plan_as_for_more(hall: Any) -> None:
    if hall.database == "postgresql":
        await pretend_more_rows(hall.server.settings.database_url, times=10)


async def effort(hall: Any, asker: Any, monkeypatch: pytest.MonkeyPatch, path: str) -> int:
    """Of all statements that the request runs, each run once more to count; nobody changes anything."""
    asked: list[tuple[Statement, Mapping[str, Any]]] = []
    plainly = ScopedReader.all

    async def noted(reader: ScopedReader, statement: Statement, **binds: Any) -> Any:
        if current_scope.get().account.limited:  # else it is the server's own
            asked.append((statement, binds))
        return await plainly(reader, statement, **binds)

    with monkeypatch.context() as patched:
        patched.setattr(ScopedReader, "all", noted)
        answer = await asker.get(path)
    assert answer.status_code == 200, path
    spent = hall.cache.setdefault("spent", {})  # what every request asks is counted once
    for statement, binds in asked:
        if (one := (statement, repr(binds))) not in spent:
            spent[one] = await spent_on(hall, statement, binds)
    return sum(spent[statement, repr(binds)] for statement, binds in asked)


async def spent_on(hall: Any, statement: Statement, binds: Mapping[str, Any]) -> int:
    url = hall.server.settings.database_url
    if hall.database == "sqlite":
        return steps_on_sqlite(url.removeprefix("sqlite:///"), statement, binds)
    return await rows_on_postgresql(url, statement, binds)


@pytest.mark.short_on("sqlite")
async def test_a_page_reads_what_it_shows_however_much_there_is(
    grown: Grown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a team that has much, and for one that has little beside it."""
    hall, asker, other = grown.hall, grown.asker, grown.other
    neighbour = await hall.join(hall.globex, "admin", org_role="org_owner")
    for who in (asker, neighbour):
        efforts = {path: await effort(hall, who, monkeypatch, path) for path in LISTS}
        assert all(efforts.values())
        assert {path: spent for path, spent in efforts.items() if spent > LITTLE} == {}
    translator = await hall.join(hall.acme, "translator")
    for who, paths in ((other, OWN_LISTS), (translator, TRANSLATORS_LISTS), (hall.anonymous, PUBLIC)):
        efforts = {path: await effort(hall, who, monkeypatch, path) for path in paths}
        assert {path: spent for path, spent in efforts.items() if spent > LITTLE} == {}


async def test_putting_old_use_together_looks_at_nothing_that_was(grown: Grown) -> None:
    for statement in (usage.unfolded_hours, usage.unfolded_days):
        assert await spent_on(grown.hall, statement, {"until": 2**62, "limit": 200}) < NEXT_TO_NOTHING


async def test_a_page_of_the_trail_is_merged_from_the_months_and_not_sorted(grown: Grown) -> None:
    """Of the team that has nearly all events, whichever partition they are in; and who has none."""
    data = grown.hall.server.data
    if (months := data.engine.partitions(EVENTS)) is not None:
        await make_ahead(data, grown.hall.clock, months)
    async with grown.hall.server.data.write() as writer:
        await writer.run(filling.take_stock)
    await plan_as_for_more(grown.hall)
    place = {"org_id": grown.asker.person.org_id, "before": "evt_~"}
    sought = {**place, "since": "evt_", "actor": "", "action": "", "target": "", "team_id": ""}
    a_page = {**sought, "max_scanned": 51, "limit": 51}
    for statement, binds in (
        (audit.found_of_org, a_page),
        (audit.found_of_team, {**a_page, "team_id": "team_other"}),
        (audit.found_of_actor, {**a_page, "actor": "usr_nobody"}),
        (audit.found_of_target, {**a_page, "target": "note_none"}),
        (
            proofs.first_events,
            {"chain": "made", "until": 2**62, "before": 2**62, "limit": 50},
        ),
        (proofs.due_chains, {"after": "", "before": 2**62, "limit": 50}),
        (proofs.companies_without_chain, {}),
    ):
        assert await spent_on(grown.hall, statement, binds) < LITTLE, statement.name


async def test_the_columns_of_a_table_of_prospects_are_found_past_the_pages_of_other_teams(
    grown: Grown,
) -> None:
    for team_id in (grown.asker.person.team_id, grown.hall.globex.member.person.team_id):
        assert await spent_on(grown.hall, prospects.newest_form, {"team_id": team_id}) < NEXT_TO_NOTHING


async def test_forgetting_looks_at_what_it_forgets_alone(grown: Grown) -> None:
    """With every sign-up, and in the background: a few at a time, however many there are."""
    for floor in (0, 2**62):
        binds = {"floor": floor, "max_rows": 100}
        assert await spent_on(grown.hall, signups.sweep_arrivals, binds) < LITTLE
    limits = {"limit": 100, "max_items": 100}
    for statement in (
        old_usage.delete,
        translations.delete_old,
        old_runs.delete_items,
        old_runs.delete_runs,
        prospects.delete_old,
    ):
        for before, before_id in ((0, "a"), (2**62, "z")):
            binds = {"before": before, "before_id": before_id, **limits}
            asked = {name: binds[name] for name in numbered(statement.postgresql)[1]}
            assert await spent_on(grown.hall, statement, asked) < LITTLE, statement.name
