"""A team's rules throw old versions, empty markers and deleted objects away, and nothing else."""

import asyncio
from contextvars import Context
from pathlib import Path

import asyncpg
import pytest

from builtin_plugins import repo
from builtin_plugins.repo import lifecycle_sweep, provenance, small_blobs
from builtin_plugins.repo.lifecycle import OLD_VERSIONS
from builtin_plugins.repo.lifecycle_sweep import HELD_MS, LifecycleUpkeep
from guildhall_sdk import Statement
from guildhall_sdk.services.stored_objects import Derivation
from guildhall_sdk.services.workflows import RunCause, Workflows

pytestmark = pytest.mark.any_database

PATH = "/api/repo-lifecycle"
MIGRATION = Path(repo.__file__).with_name("migrations") / "0009_lifecycle.sql"
LARGE = b"l" * (small_blobs.MAX_BYTES + 1)
NONE = {"versions": 0, "markers": 0, "deleted_objects": 0, "bytes": 0, "complete": True}


class Killed(Exception):
    pass


@pytest.fixture
def ruled(hall):
    """`await ruled({"old_version_days": 1})`: sets rules, and lets `days` pass."""

    async def ruled(*rules, days=2):
        numbered = [{"id": str(number), **rule} for number, rule in enumerate(rules)]
        answer = await hall.acme.owner.put(PATH, {"rules": numbered})
        assert answer.status_code == 200, answer.text
        hall.clock.advance(days=days)
        return answer.json()

    return ruled


@pytest.fixture
def sweep(repository):
    return lambda: repository.lifecycles.sweep(pause_seconds=0)


@pytest.fixture
def numbers():
    async def numbers(client, found):
        answer = await client.get(f"/api/repo-obj/{found['id']}")
        return [one["version"] for one in answer.json()["versions"]] if answer.status_code == 200 else None

    return numbers


async def preview(hall):
    return (await hall.acme.owner.get(PATH)).json()["preview"]


async def statement(hall, text, **binds):
    async with hall.server.data.write() as writer:
        return await writer.all(Statement("asked", text, text), **binds)


async def test_without_rules_nothing_goes(hall, upload, sweep, numbers):
    member = hall.acme.member
    for content in (b"1", b"2"):
        found = await upload(member, "k", content)
    hall.clock.advance(days=3000)
    answer = (await hall.acme.owner.get(PATH)).json()
    assert (answer["rules"], answer["holds_from"], answer["preview"]) == ([], None, NONE)
    assert await sweep() == 0
    assert await numbers(member, found) == [2, 1]


async def test_old_versions_go_after_their_days_but_for_so_many_of_the_newest(
    hall, upload, sweep, ruled, numbers, used_bytes, kept
):
    member = hall.acme.member
    for number in range(5):
        found = await upload(member, "k/a", LARGE + str(number).encode())
        other = await upload(member, "other", str(number).encode())
    before = await used_bytes(member)
    await ruled({"old_version_days": 1, "keep_old_versions": 2, "prefix": "k/"})
    gone = 2 * (len(LARGE) + 1)
    assert await preview(hall) == {**NONE, "versions": 2, "bytes": gone}
    assert await sweep() == 2
    assert await numbers(member, found) == [5, 4, 3]
    assert await numbers(member, other) == [5, 4, 3, 2, 1]
    assert await used_bytes(member) == before - gone
    assert len(await kept(hall.acme)) == 3 + 5
    assert await preview(hall) == NONE
    hall.clock.advance(days=1)
    assert await sweep() == 0
    assert await used_bytes(member) == before - gone
    assert (await hall.acme.owner.get(PATH)).json()["thrown_away"] == {"versions": 2, "bytes": gone}


@pytest.mark.every_database
async def test_a_stricter_rule_holds_a_day_later_and_a_milder_one_at_once(
    hall, upload, sweep, ruled, numbers
):
    member = hall.acme.member
    for content in (b"1", b"2"):
        found = await upload(member, "k", content)
    hall.clock.advance(days=20)
    first = await ruled({"old_version_days": 10}, days=0)
    assert first["preview"]["versions"] == 1
    assert await sweep() == 0
    hall.clock.advance(hours=23)
    again = await ruled({"old_version_days": 30}, days=0)
    assert again["holds_from"] == first["holds_from"]
    hall.clock.advance(hours=2)
    assert await sweep() == 0
    stricter = await ruled({"old_version_days": 5}, days=0)
    assert stricter["holds_from"] > first["holds_from"]
    assert await sweep() == 0
    hall.clock.advance(days=1)
    assert await sweep() == 1
    assert await numbers(member, found) == [2]


async def test_what_was_deleted_goes_whole_and_markers_that_hide_nothing_go(
    hall, upload, sweep, ruled, used_bytes, listed, kept
):
    owner = hall.acme.owner
    for key in ("bin/a", "bin/b", "stays"):
        found = await upload(owner, key, LARGE + key.encode())
        await owner.delete(f"/api/repo-obj/{found['id']}?keep=1")
    await ruled({"deleted_days": 5, "prefix": "bin/"}, {"empty_markers": True}, days=4)
    assert (await preview(hall), await sweep()) == (NONE, 0)
    hall.clock.advance(days=2)
    assert await preview(hall) == {**NONE, "deleted_objects": 2, "bytes": 2 * (len(LARGE) + 5)}
    assert await sweep() == 4
    assert await listed(owner, deleted="1") == ["stays"]
    assert await used_bytes(owner) == len(LARGE) + 5
    assert len(await kept(hall.acme)) == 1


async def test_old_versions_of_what_was_deleted_go_and_then_its_marker(hall, upload, sweep, ruled, listed):
    owner = hall.acme.owner
    found = await upload(owner, "k", b"1")
    await owner.delete(f"/api/repo-obj/{found['id']}?keep=1")
    await ruled({"old_version_days": 1})
    assert await sweep() == 1
    assert await listed(owner, deleted="1") == []
    assert (await owner.post(f"/api/repo-obj/{found['id']}/restore", {})).status_code == 404
    await ruled({"old_version_days": 1, "empty_markers": True})
    assert await preview(hall) == {**NONE, "markers": 1}
    assert await sweep() == 1
    assert await statement(hall, "SELECT id FROM objects") == []


async def test_a_version_that_is_the_newest_again_stays(hall, upload, sweep, ruled, numbers, content):
    owner = hall.acme.owner
    found = await upload(owner, "k", b"1")
    await owner.delete(f"/api/repo-obj/{found['id']}?keep=1")
    restored = await owner.post(f"/api/repo-obj/{found['id']}/restore", {})
    assert restored.status_code == 200, restored.text
    await ruled({"old_version_days": 1}, {"deleted_days": 1}, {"empty_markers": True})
    assert await sweep() == 0
    assert await content(owner, found) == b"1"


async def test_what_something_was_made_from_stays_until_that_is_gone(
    hall, upload, sweep, ruled, numbers, repository, principal
):
    owner = hall.acme.owner
    for text in (b"1", b"2", b"3"):
        source = await upload(owner, "source", text)
        derived = await upload(owner, "derived", text)
    who = await principal(owner)
    async with hall.server.data.write() as writer:
        made = await repository.version(writer, who, derived["id"], 2)
        now = hall.clock.now_ms()
        await provenance.record(writer, who, made, Derivation(source["id"], 1), now)
    await ruled({"old_version_days": 1}, {"deleted_days": 1})
    assert await sweep() == 2
    assert await numbers(owner, source) == [3, 1]
    assert await numbers(owner, derived) == [3, 2]
    await owner.delete(f"/api/repo-obj/{source['id']}?keep=1")
    hall.clock.advance(days=2)
    assert await sweep() == 1  # the third version, which is not the newest any more
    assert (await owner.get("/api/repo?deleted=1")).json()["items"] != []
    assert (await owner.delete(f"/api/repo-obj/{derived['id']}")).status_code == 204
    hall.clock.advance(days=1)
    assert await sweep() >= 2
    assert (await owner.get("/api/repo?deleted=1")).json()["items"] == []


async def test_what_a_run_under_way_or_the_knowledge_graph_names_stays(hall, upload, sweep, ruled, numbers):
    owner = hall.acme.owner
    for text in (b"1", b"2", b"3"):
        found = await upload(owner, "k", text)
    person = owner.person
    await statement(
        hall,
        "INSERT INTO runs (id, org_id, team_id, slug, version, state, input, locale, created_by, object_id,"
        " object_version, chain, steps_used, last_number, revision, created_at, moved_at) VALUES ('run_1',"
        " :org_id, :team_id, 's', 1, 'running', '{}', 'en', :user_id, :id, 1, '[]', 0, 0, 0, :now, :now)",
        now=hall.clock.now_ms() + 10 * 86_400_000,  # or it is found to be stuck
        org_id=person.org_id,
        team_id=person.team_id,
        user_id=owner.user_id,
        id=found["id"],
    )
    await statement(
        hall,
        "INSERT INTO kg_extractions (object_id, org_id, team_id, version_id)"
        " SELECT object_id, org_id, old_in, id FROM object_versions WHERE number = 2",
    )
    await ruled({"old_version_days": 1})
    assert await preview(hall) == NONE
    (line,) = await OLD_VERSIONS.describe(hall.server.host, hall.clock.now_ms())
    assert ": 0 versions, 0 delete markers and 0 deleted objects, 0 bytes;" in line
    assert await sweep() == 0
    assert await numbers(owner, found) == [3, 2, 1]
    await statement(hall, "UPDATE runs SET state = 'succeeded'")
    await statement(hall, "DELETE FROM kg_extractions")
    assert await preview(hall) == {**NONE, "versions": 2, "bytes": 2}
    hall.clock.advance(days=1)
    assert await sweep() == 2
    assert await numbers(owner, found) == [3]


@pytest.mark.every_database
@pytest.mark.parametrize(("deleted", "gone"), [(False, 1), (True, 3)])
async def test_whoever_starts_a_run_for_a_version_keeps_it_from_then_on(
    hall, upload, sweep, ruled, principal, deleted, gone
):
    """Also while the rules are applied, and the run is not committed yet."""
    owner = hall.acme.owner
    for text in (b"1", b"2"):
        found = await upload(owner, "k", text)
    if deleted:
        await owner.delete(f"/api/repo-obj/{found['id']}?keep=1")
    step = {"name": "count", "kind": "tool", "tool": "word_count", "with": {"text": "a b"}}
    spec = {"slug": "counting", "inputs": {}, "start": "count", "steps": [step]}
    assert (await owner.post("/api/workflows", spec)).status_code == 201
    await ruled({"deleted_days": 1} if deleted else {"old_version_days": 1})
    who = await principal(owner)
    cause = RunCause(trigger_id="trg_1", object_id=found["id"], version=1, chain=("trg_1",))
    hall.server.declared.scheduler.claimer._closed = True
    async with hall.server.data.write() as writer:
        await hall.server.service(Workflows).start(writer, who, "counting", {}, cause=cause)
        looking = asyncio.create_task(sweep(), context=Context())
        while not looking.done() and not await waits_for_a_lock(hall):  # noqa: ASYNC110
            await asyncio.sleep(0)
    assert await looking == 0
    hall.server.declared.scheduler.claimer._closed = False
    await hall.drain_jobs()
    hall.clock.advance(days=1)
    assert await sweep() == gone


async def waits_for_a_lock(hall):
    """Tells whether somebody waits for a row; on SQLite everybody does while another writes."""
    if hall.database == "sqlite":
        return True
    connection = await asyncpg.connect(hall.server.settings.database_url)
    try:
        return await connection.fetchval(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            " AND datname = current_database() AND query LIKE '%object_versions%'"
        )
    finally:
        await connection.close()


async def test_a_clock_that_leaps_ahead_throws_nothing_away_for_a_day_and_put_right_holds_nothing_up(
    hall, upload, sweep, ruled, caplog
):
    await upload(hall.acme.owner, "k", b"1")
    await ruled({"old_version_days": 30})
    assert await sweep() == 0
    await upload(hall.acme.owner, "k", b"2")
    hall.clock.advance(days=3650)
    for _ in range(2):
        assert await sweep() == 0
        hall.clock.advance(hours=11)
    hall.clock.advance(days=-3650)
    gone = [await sweep()]
    for _ in range(32):
        hall.clock.advance(days=1)
        gone.append(await sweep())
    assert (sum(gone), sum(gone[:30])) == (1, 0)
    assert [record.msg for record in caplog.records].count("lifecycle.clock_jumped") == 1


@pytest.mark.every_database
async def test_a_killed_process_leaves_the_rest_to_the_next(
    hall, repository, upload, sweep, ruled, used_bytes, kept, monkeypatch
):
    monkeypatch.setattr(lifecycle_sweep, "PORTION", 2)
    member = hall.acme.member
    for number in range(8):
        await upload(member, "k", LARGE + str(number).encode())
    await ruled({"old_version_days": 1})
    whole, portions = repository.lifecycles._settle, iter(range(2))

    async def dies(*args, **more):
        await whole(*args, **more)
        if next(portions, None) is None:
            raise Killed

    other = LifecycleUpkeep(hall.server.host, repository.blobs)
    monkeypatch.setattr(other, "_settle", dies)
    with pytest.raises(Killed):
        await other.sweep(pause_seconds=0)
    assert await used_bytes(member) == 4 * (len(LARGE) + 1)
    assert len(await kept(hall.acme)) == 4
    assert await sweep() == 0  # the other one may be alive
    hall.clock.advance(milliseconds=HELD_MS + 1)
    assert await sweep() == 3
    assert await used_bytes(member) == len(LARGE) + 1
    assert len(await kept(hall.acme)) == 1


async def test_what_stays_is_passed_by_with_few_writes_and_what_goes_goes_in_small_portions(
    hall, repository, upload, sweep, ruled, numbers, monkeypatch
):
    for name, many in (("PORTION", 2), ("ROWS_AT_ONCE", 7)):
        monkeypatch.setattr(lifecycle_sweep, name, many)
    owner = hall.acme.owner
    for number in range(6):
        for key in ("a", "b", "c"):
            found = await upload(owner, f"stays/{key}", str(number).encode())
        going = await upload(owner, "goes", str(number).encode())
    for number in range(3):
        gone = await upload(owner, f"goes/{number}", b"x")
        await owner.delete(f"/api/repo-obj/{gone['id']}?keep=1")
    await ruled({"old_version_days": 1, "prefix": "goes"}, {"deleted_days": 1, "prefix": "goes"})
    before = hall.server.data.write_scopes
    assert await sweep() == 5 + 3 * 2
    throwing = hall.server.data.write_scopes - before
    assert await numbers(owner, going) == [6]
    assert await numbers(owner, found) == [6, 5, 4, 3, 2, 1]
    hall.clock.advance(days=1)
    before = hall.server.data.write_scopes
    assert await sweep() == 0
    # A look at seven is two writes; there are fifteen that stay.
    assert hall.server.data.write_scopes - before == 1 + 2 * (3 + 1 + 1) + 1 < throwing


@pytest.mark.every_database
async def test_every_team_has_its_turn(hall, repository, upload, sweep, ruled, monkeypatch):
    monkeypatch.setattr(lifecycle_sweep, "PORTION", 1)
    for client in (hall.acme.owner, hall.globex.owner):
        for number in range(4):
            await upload(client, "k", str(number).encode())
        await client.put(PATH, {"rules": [{"id": "r", "old_version_days": 1}]})
    hall.clock.advance(days=2)
    teams, claim = [], repository.lifecycles._claim

    async def claimed():
        hall.clock.advance(milliseconds=1)
        turn = await claim()
        if turn is not None and turn.stage == "versions":
            teams.append(turn.team_id)
        return turn

    monkeypatch.setattr(repository.lifecycles, "_claim", claimed)
    assert await sweep() == 6
    assert len(set(teams[:2])) == len(set(teams[2:4])) == 2


async def test_nothing_of_a_suspended_company_goes(hall, upload, sweep, ruled, numbers):
    owner = hall.acme.owner
    for text in (b"1", b"2"):
        found = await upload(owner, "k", text)
    await ruled({"old_version_days": 1})
    suspend = "UPDATE orgs SET suspended_at = :at WHERE id = :id"
    await statement(hall, suspend, at=1, id=hall.acme.org_id)
    assert await sweep() == 0
    await statement(hall, suspend, at=None, id=hall.acme.org_id)
    assert await sweep() == 0
    hall.clock.advance(days=1)
    assert await sweep() == 1
    assert await numbers(owner, found) == [2]


async def test_of_many_versions_of_one_deleted_object_a_portion_goes_at_a_time(
    hall, upload, sweep, ruled, used_bytes, listed, monkeypatch
):
    monkeypatch.setattr(lifecycle_sweep, "PORTION", 3)
    owner = hall.acme.owner
    for number in range(7):
        found = await upload(owner, "k", str(number).encode())
    await owner.delete(f"/api/repo-obj/{found['id']}?keep=1")
    await upload(owner, "there", b"there")
    await ruled({"deleted_days": 1})
    assert await sweep() == 8
    assert await listed(owner, deleted="1") == []
    assert await used_bytes(owner) == 5


@pytest.mark.every_database
@pytest.mark.parametrize("writes", ["put", pytest.param("restore", marks=pytest.mark.short_on("sqlite"))])
async def test_it_meets_whoever_writes_the_same_key(
    hall, repository, upload, sweep, ruled, content, used_bytes, kept, writes
):
    owner = hall.acme.owner
    for number in range(12):
        for text in (b"old", b"new"):
            found = await upload(owner, f"k{number}", LARGE + text)
    await ruled({"old_version_days": 1})

    async def write(number):
        if writes == "put":
            return await upload(owner, f"k{number}", LARGE + b"old")
        item = (await owner.get("/api/repo", params={"prefix": f"k{number}"})).json()["items"][0]
        return (await owner.post(f"/api/repo-obj/{item['id']}/restore", {"version": 1})).json()

    await asyncio.gather(sweep(), *(write(number) for number in range(12)))
    await repository.blobs.settled()
    items = (await owner.get("/api/repo")).json()["items"]
    sizes = [version["size"] for item in items for version in item["versions"]]
    assert await used_bytes(owner) == sum(sizes)
    assert {version["sha256"] for item in items for version in item["versions"]} == await kept(hall.acme)
    for item in items:
        assert (await content(owner, item))[: len(LARGE)] == LARGE
    assert found


async def test_whoever_reads_a_version_while_it_goes_reads_it_to_its_end(
    hall, repository, upload, sweep, ruled, principal, kept
):
    owner, large = hall.acme.owner, LARGE * 400
    found = await upload(owner, "k", large)
    await upload(owner, "k", b"new")
    await ruled({"old_version_days": 1})
    async with hall.server.data.read() as reader:
        old = await repository.version(reader, await principal(owner), found["id"], 1)
    chunks = repository.open(old)
    read = await anext(chunks)
    assert len(read) < len(large)
    assert await sweep() == 1
    assert len(await kept(hall.acme)) == 1
    assert read + b"".join([chunk async for chunk in chunks]) == large


@pytest.mark.every_database
async def test_versions_from_an_earlier_time_are_as_those_from_now(hall, upload):
    owner = hall.acme.owner
    for text in (b"1", b"2", b"3"):
        await upload(owner, "k", text)
    gone = await upload(owner, "gone")
    await owner.delete(f"/api/repo-obj/{gone['id']}?keep=1")
    seen = "SELECT id, old_in, old_since FROM object_versions ORDER BY id"
    before = await statement(hall, seen)
    assert [row["old_in"] is None for row in before].count(True) == 2
    await statement(hall, "UPDATE object_versions SET old_in = NULL, old_since = NULL")
    await statement(hall, "DELETE FROM object_versions WHERE object_id = :id AND marker = 0", id=gone["id"])
    for part in MIGRATION.read_text().split(";"):
        if part.strip().startswith("UPDATE"):
            await statement(hall, part)
    after = await statement(hall, seen)
    assert after == [row for row in before if row["id"] in {one["id"] for one in after}]
    vacant = await statement(hall, "SELECT key, vacant FROM objects ORDER BY key")
    assert [(row["key"], row["vacant"]) for row in vacant] == [("gone", 1), ("k", 0)]


async def test_rules_are_the_administrators_and_each_team_its_own(hall, ruled):
    await ruled({"old_version_days": 7}, days=0)
    assert (await hall.acme.member.get(PATH)).status_code == 403
    assert (await hall.acme.member.put(PATH, {"rules": []})).status_code == 403
    assert (await hall.globex.owner.get(PATH)).json()["rules"] == []
    events = (await hall.acme.owner.get("/api/audit")).json()["items"]
    assert "lifecycle.set" in {event["action"] for event in events}


WRONG_RULES = [
    {},
    {"old_version_days": 0},
    {"old_version_days": True},
    {"keep_old_versions": 3},
    {"deleted_days": 3, "empty_markers": True},
    {"old_version_days": 1, "days": 3},
    {"old_version_days": 1, "prefix": "\0"},
]


async def test_a_rule_that_says_nothing_or_too_much_is_refused(hall):
    for rule in WRONG_RULES:
        answer = await hall.acme.owner.put(PATH, {"rules": [{"id": "r", **rule}]})
        assert answer.status_code == 400, answer.text
        two = [{"id": "r", "deleted_days": 1}] * 2
        assert (await hall.acme.owner.put(PATH, {"rules": two})).status_code == 400
        assert (await hall.acme.owner.get(PATH)).json()["rules"] == []
