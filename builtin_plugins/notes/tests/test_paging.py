"""Pages: newest first, never shifted, never too large, and as cheap at the end as at the start."""

import pytest

from builtin_plugins.notes import listing
from guildhall_sdk import Statement

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


async def pages(client, query="limit=2"):
    """Every page's titles, following the cursors."""
    found, cursor = [], ""
    while True:
        answer = (await client.get(f"/api/notes?{query}{cursor}")).json()
        found.append([note["title"] for note in answer["items"]])
        if answer["next_cursor"] is None:
            return found
        cursor = f"&cursor={answer['next_cursor']}"


async def test_pages_follow_on_newest_first(hall, write_note):
    for number in range(5):
        await write_note(hall.acme.member, title=str(number), visibility=("private", "team")[number % 2])
    assert await pages(hall.acme.member) == [["4", "3"], ["2", "1"], ["0"]]
    assert await pages(hall.acme.member, "limit=5") == [["4", "3", "2", "1", "0"]]
    assert await pages(hall.acme.colleague) == [["3", "1"]]


async def test_an_empty_list_is_one_empty_page(hall):
    assert (await hall.acme.member.get("/api/notes")).json() == {"items": [], "next_cursor": None}


async def test_a_page_does_not_shift_under_inserts_and_deletes(hall, write_note):
    author = hall.acme.member
    notes = [await write_note(author, title=str(number)) for number in range(6)]
    first = (await author.get("/api/notes?limit=2")).json()
    await write_note(author, title="newer")
    await author.delete(f"/api/notes/{notes[4]['id']}")
    await author.delete(f"/api/notes/{notes[3]['id']}")
    second = (await author.get(f"/api/notes?limit=2&cursor={first['next_cursor']}")).json()
    assert [note["title"] for note in first["items"] + second["items"]] == ["5", "4", "2", "1"]


async def test_ways_of_seeing_are_merged_in_order(hall, write_note, share):
    author, colleague, afar = hall.acme.member, hall.acme.colleague, hall.acme.second_team.member
    await write_note(author, title="team 1", visibility="team")
    await write_note(colleague, title="own 1")
    await share(afar, await write_note(afar, title="given 1"), colleague)
    await write_note(author, title="unseen")
    await write_note(author, title="team 2", visibility="team")
    await write_note(colleague, title="own 2", visibility="team")
    await share(author, await write_note(author, title="given 2"), colleague)
    assert await pages(colleague, "limit=1") == [
        ["given 2"], ["own 2"], ["team 2"], ["given 1"], ["own 1"], ["team 1"],
    ]  # fmt: skip
    assert await pages(colleague, "limit=4") == [
        ["given 2", "own 2", "team 2", "given 1"],
        ["own 1", "team 1"],
    ]


async def test_a_foreign_cursor_opens_nothing(hall, write_note):
    for number in range(3):
        await write_note(hall.globex.member, title=f"globex {number}", visibility="team")
    await write_note(hall.acme.member, title="acme", visibility="team")
    for number in range(3):
        await write_note(hall.globex.member, title=f"globex {number}", visibility="team")
    cursor = (await hall.globex.member.get("/api/notes?limit=2")).json()["next_cursor"]
    answer = (await hall.acme.member.get(f"/api/notes?limit=2&cursor={cursor}")).json()
    assert [note["title"] for note in answer["items"]] == ["acme"]


async def test_a_page_of_long_notes_ends_early_and_leads_on(hall, write_note, monkeypatch):
    monkeypatch.setattr(listing, "MAX_BYTES_PER_PAGE", 25)
    for number in range(5):
        await write_note(hall.acme.member, title=str(number), body="é" * 5)
    await write_note(hall.acme.member, title="huge", body="x" * 100)
    await write_note(hall.acme.member, title="small")
    assert await pages(hall.acme.member, "limit=50") == [["small", "huge"], ["4", "3", "2"], ["1", "0"]]


MANY = 20_000


@pytest.mark.every_database
async def test_a_page_is_found_by_index_among_many_notes(hall):
    """No table is read through, whichever way of seeing and however far down."""
    acme, author = hall.acme, hall.acme.org_admin
    async with hall.server.data.write() as writer:
        for team, owner in ((acme.team_id, author), (acme.second_team.id, acme.second_team.member)):
            await writer.run(
                MANY_NOTES,
                org_id=acme.org_id,
                team_id=team,
                owner_id=owner.user_id,
                prefix=f"note_{team}",
                many=MANY,
            )
        await writer.run(MANY_SHARES, org_id=acme.org_id, user_id=author.user_id, team_id=acme.second_team.id)
        await writer.run(ANALYZE)
    for across_company in (False, True):
        plan = await plan_of_a_page(hall, author, across_company)
        for table in ("notes", "note_shares", "users"):
            assert f"SCAN {table}" not in plan, plan
            assert f"Seq Scan on {table}" not in plan, plan
        for index in ("notes_of_team", "notes_of_owner", "note_shares_of_user"):
            assert index in plan, plan
        assert "notes_of_org" in plan or not across_company, plan


async def plan_of_a_page(hall, author, across_company):
    query = listing.sql.page
    explain = Statement("explain", f"EXPLAIN QUERY PLAN {query.sqlite}", f"EXPLAIN {query.postgresql}")
    async with hall.server.data.read() as reader:
        rows = await reader.all(
            explain,
            across_company=int(across_company),
            org_id=hall.acme.org_id,
            team_id=hall.acme.team_id,
            user_id=author.user_id,
            before="note_team_01q3zzz",
            limit=51,
            max_bytes=1 << 22,
        )
    return "\n".join(str(row["detail" if hall.database == "sqlite" else "QUERY PLAN"]) for row in rows)


_INSERT = """
INSERT INTO notes (
    id, org_id, team_id, owner_id, visibility, revision, created_at, updated_at, size, title, body
)
"""
MANY_NOTES = Statement(
    "many_notes",
    f"""{_INSERT}
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :many)
    SELECT :prefix || '_' || n, :org_id, :team_id, :owner_id,
        CASE n & 3 WHEN 0 THEN 'private' ELSE 'team' END, 1, 0, 0, 4, 'many', 'text'
    FROM numbers""",
    f"""{_INSERT}
    SELECT CAST(:prefix AS TEXT) || '_' || n, :org_id, :team_id, :owner_id,
        CASE n & 3 WHEN 0 THEN 'private' ELSE 'team' END, 1, 0, 0, 4, 'many', 'text'
    FROM generate_series(1, CAST(:many AS INTEGER)) AS n""",
)
_SHARES = """
INSERT INTO note_shares (note_id, user_id, org_id, permission, created_at)
SELECT id, :user_id, :org_id, 'notes:read', 0 FROM notes WHERE team_id = :team_id
"""
MANY_SHARES = Statement("many_shares", _SHARES, _SHARES)
ANALYZE = Statement("analyze", "ANALYZE", "ANALYZE")
