"""What somebody may not have, or did not ask for, is not looked at: by no claim, no list and no search."""

import asyncio
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

import builtin_plugins.notes
import builtin_plugins.repo
import builtin_plugins.search
import kernel
from bench import growth_claims, growth_search
from bench.growth_filling import opened, put_objects
from bench.growth_filling import sql as filling
from bench.job_books import Books
from builtin_plugins.repo.listing import folding as folding_sql
from builtin_plugins.repo.listing import sql as listing
from kernel.db.scopes import ScopedReader
from kernel.scheduler.statements import sql
from tests.growth.effort import rows_on_postgresql, steps_on_sqlite

MANY = 4_000
OBJECTS = 12_000
TEAMS = 500
DOCUMENTS = 10_000
FOLDERS = 50
CLAIM = {"pool": "local", "team_id": None, "awaited_only": 0, "max_rows": 20}
# Of a worker with one model: of what needs nothing, of what needs this, and of one company.
CLAIMS_FOR_A_MODEL = [
    (sql.lock_lanes_without_requirement, {**CLAIM, "none": ""}),
    (sql.lock_lanes_for, {**CLAIM, "requirement": "ours"}),
    (sql.lock_lanes_for_of_company, {**CLAIM, "requirement": "ours", "org_id": "org_10"}),
    (sql.needed, {"pool": "local", "provided": '{"ours": null}'}),
]
HEADS = {"pool": "local", "teams": '["team_10"]', "max_rows": 20}


@pytest.fixture
def url(database_url: str) -> str:
    """Returns a database that has the tables of the kernel."""
    return database_url


@pytest.fixture
def runner() -> Any:
    with asyncio.Runner() as runner:
        yield runner


def effort(runner: asyncio.Runner, url: str, statement: Any, binds: Any) -> int:
    if url.startswith("sqlite"):
        return steps_on_sqlite(url.removeprefix("sqlite:///"), statement, binds)
    return runner.run(rows_on_postgresql(url, statement, binds))


def test_a_claim_looks_past_the_jobs_for_another_model(url: str, runner: asyncio.Runner) -> None:
    fill = partial(growth_claims._one_team_for_another_model, MANY)
    with opened(runner, url, {"kernel": kernel}, fill):
        for statement, binds in (
            *CLAIMS_FOR_A_MODEL,
            (sql.heads_without_requirement, HEADS),
            (sql.heads_for, {**HEADS, "requirement": "ours"}),
        ):
            assert effort(runner, url, statement, binds) < MANY / 10


@pytest.mark.parametrize("waiting", [growth_claims._suspended, growth_claims._at_cap])
def test_a_claim_looks_past_teams_that_wait_in_vain(url: str, runner: asyncio.Runner, waiting: Any) -> None:
    with opened(runner, url, {"kernel": kernel}, partial(waiting, TEAMS)) as data:
        upkeep = Books(data, 1).scheduler.upkeep
        for _ in range(3):
            runner.run(upkeep.tick())
        assert 0 < effort(runner, url, sql.lock_lanes, CLAIM) < TEAMS / 2


def test_a_claim_looks_past_teams_that_wait_for_another_model(url: str, runner: asyncio.Runner) -> None:
    with opened(runner, url, {"kernel": kernel}, partial(growth_claims._teams_for_another_model, TEAMS)):
        for statement, binds in CLAIMS_FOR_A_MODEL:
            assert effort(runner, url, statement, binds) < TEAMS / 2, statement.name


def test_a_claim_for_a_company_looks_past_all_others(url: str, runner: asyncio.Runner) -> None:
    with opened(runner, url, {"kernel": kernel}, partial(growth_claims._places, waiting=TEAMS)):
        claim = {**CLAIM, "org_id": "org_1"}
        for statement, binds in (
            (sql.lock_lanes_of_company, claim),
            (sql.lock_lanes_without_requirement_of_company, {**claim, "none": ""}),
        ):
            assert 0 < effort(runner, url, statement, binds) < TEAMS / 2, statement.name


def test_who_may_read_little_is_shown_nothing_of_the_rest(
    url: str, runner: asyncio.Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    plainly = ScopedReader.all

    async def noted(reader: ScopedReader, statement: Any, **binds: Any) -> Any:
        rows = await plainly(reader, statement, **binds)
        asked.append((statement, binds, len(rows)))
        return rows

    with opened(runner, url, growth_search._OWNERS, partial(growth_search._fill, DOCUMENTS)) as data:
        monkeypatch.setattr(ScopedReader, "all", noted)
        growth_search._search_on(runner, data, "guest")
        spent = sum(effort(runner, url, statement, binds) for statement, binds, _ in asked)
    assert asked[-1][2] == growth_search.SHARED
    assert 0 < spent < DOCUMENTS / 4


def test_folders_are_leapt_over(url: str, runner: asyncio.Runner) -> None:
    owner = SimpleNamespace(org_id="org_0", team_id="team_0", user_id="author", token="")
    binds = {
        "team_id": "team_0",
        "my_team": "team_0",
        "user_id": "author",
        "org_id": "org_0",
        "by_role": 1,
        "owned": 1,
        "anywhere": 0,
        "not_owned": 0,
        "across_company": 0,
        "now": 0,
        "after": "",
        "start": "k/",
        "end": "k0",
        "limit": FOLDERS + 1,
    }
    folding = {
        "delimiter": "/",
        "behind_prefix": 3,
        "up_to_delimiter": 1,
        "past_delimiter": "0",
        "just_after": "\x01",
    }

    async def fill(writer: Any) -> None:
        await writer.run(filling.companies, many=1)
        await writer.run(filling.teams)
        await writer.run(filling.people, id="author")
        await put_objects(writer, owner, "k/", OBJECTS, present=True, folders=FOLDERS)
        await put_objects(writer, owner, "once/", 1, present=False)
        await writer.run(filling.older_markers, tag="once_", many=OBJECTS, org_id="org_0", user_id="author")

    with opened(runner, url, {"kernel": kernel, "repo": builtin_plugins.repo}, fill) as data:
        assert 0 < effort(runner, url, folding_sql.folded_page, {**binds, **folding}) < OBJECTS / 4
        assert len(runner.run(_rows(data, folding_sql.folded_page, {**binds, **folding}))) == FOLDERS
        one_key = {**binds, "start": "once/", "end": "once0", "below": 2**62, "above_all": 2**62}
        del one_key["across_company"]
        assert 0 < effort(runner, url, listing.versions_page, one_key) < OBJECTS / 4


async def _rows(data: Any, statement: Any, binds: Any) -> Any:
    async with data.read() as reader:
        return await reader.all(statement, **binds)
