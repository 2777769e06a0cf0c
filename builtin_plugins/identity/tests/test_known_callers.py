"""Whoever called before is known, and what they lose is lost on their very next request.

What takes it away is another pool on the same database, as that of another process: this server hears
nothing of it, and finds out by itself.
"""

import sqlite3
from contextlib import asynccontextmanager

import pytest

from guildhall_sdk.data import loaded_queries
from guildhall_sdk.plugin import Features
from guildhall_sdk.services.identity import Credentials
from guildhall_sdk.services.jobs import Worker, WorkerRegistry
from guildhall_sdk.services.tenancy import Directory
from guildhall_testing.databases import database_at, statement
from guildhall_testing.statements import before_statements

pytestmark = [pytest.mark.every_database, pytest.mark.shared_server]

VERSION = statement("SELECT version FROM access_version")
LOOK_UPS = {"principal_by_hash", "worker_by_hash", "teams_of_user"}
NOTE = {"title": "Written while it may be"}


@asynccontextmanager
async def other_process(hall):
    """A writer of another pool on the hall's database."""
    data = database_at(hall.server.settings.database_url, shared=True)
    await data.connect()
    try:
        async with data.write() as writer:
            yield writer
    finally:
        await data.disconnect()


async def credential_id(hall, client):
    return (await hall.principal(client)).credential.id


async def revoke_token(hall, client, writer):
    token = await credential_id(hall, client)
    assert await hall.server.service(Credentials).revoke_api_token(writer, hall.acme.id, token)


async def sign_out(hall, client, writer):
    await hall.server.service(Credentials).end_session(writer, await credential_id(hall, client))


async def end_sessions(hall, client, writer):
    """What a new password does to the other sessions."""
    await hall.server.service(Credentials).end_sessions_of(writer, client.user_id)


async def remove_member(hall, client, writer):
    await hall.server.service(Directory).remove_member(writer, hall.acme.id, client.user_id)


async def delete_team(hall, client, writer):
    await hall.server.service(Directory).delete_team(writer, hall.acme.org_id, hall.acme.id)


async def suspend_person(hall, client, writer):
    directory = hall.server.service(Directory)
    await directory.set_person_suspended(writer, hall.acme.org_id, client.user_id, hall.clock.now_ms())


async def suspend_company(hall, client, writer):
    await hall.server.service(Directory).set_suspended(writer, hall.acme.org_id, hall.clock.now_ms())


async def make_viewer(hall, client, writer):
    await hall.server.service(Directory).set_role(writer, hall.acme.id, client.user_id, "viewer")


async def switch_off(hall, client, writer):
    await hall.server.service(Features).set_plugin(writer, hall.acme.id, "notes", False)


async def switch_feature_off(hall, client, writer):
    await hall.server.service(Features).set(writer, hall.acme.id, "workflows", False)


async def lose_company_role(hall, client, writer):
    await hall.server.service(Directory).set_org_role(writer, hall.acme.org_id, client.user_id, None)


async def lose_operation(hall, client, writer):
    await hall.server.service(Directory).set_operator(writer, client.user_id, False, keep_one=False)


async def narrow_scope(hall, client, writer):
    narrow = statement("UPDATE credentials SET scope = '[]' WHERE id = :id")
    await writer.run(narrow, id=await credential_id(hall, client))


LOSSES = {
    "a token that is revoked": (revoke_token, ("GET", "/api/whoami"), 401),
    "a token whose scope is narrowed": (narrow_scope, ("GET", "/api/notes"), 403),
    "a session that is signed out": (sign_out, ("GET", "/api/whoami"), 401),
    "sessions that end with the old password": (end_sessions, ("GET", "/api/whoami"), 401),
    "a member who is removed": (remove_member, ("GET", "/api/whoami"), 401),
    "a team that is deleted": (delete_team, ("GET", "/api/whoami"), 401),
    "a person who is suspended": (suspend_person, ("GET", "/api/whoami"), 403),
    "a company that is suspended": (suspend_company, ("POST", "/api/notes"), 402),
    "a role that is taken away": (make_viewer, ("POST", "/api/notes"), 403),
    "a plugin that is switched off": (switch_off, ("GET", "/api/notes"), 403),
    "a feature that is switched off": (switch_feature_off, ("GET", "/api/doc-triggers"), 403),
    "a role in the company": (lose_company_role, ("GET", "/api/org/audit"), 403),
    "the right of an operator": (lose_operation, ("GET", "/api/orgs"), 403),
}


async def caller_for(hall, lose):
    if lose in (revoke_token, narrow_scope):
        return await hall.with_token(hall.acme.member)
    if lose is lose_company_role:
        return await hall.join(hall.acme, org_role="org_reader")
    return await hall.join(hall.acme, operator=lose is lose_operation)


def ask(client, method, path):
    return client.post(path, NOTE) if method == "POST" else client.get(path)


@pytest.mark.parametrize("name", LOSSES)
async def test_what_another_process_takes_away_is_gone_on_the_next_request(hall, monkeypatch, name):
    lose, request, refused = LOSSES[name]
    client = await caller_for(hall, lose)
    assert (await ask(client, *request)).is_success
    asked = noted_look_ups(monkeypatch)
    assert (await ask(client, *request)).is_success
    assert not asked, "the caller was known"
    async with other_process(hall) as writer:
        await lose(hall, client, writer)
    assert (await ask(client, *request)).status_code == refused


def noted_look_ups(monkeypatch):
    asked = []

    def note(call):
        if call.statement.name in LOOK_UPS:
            asked.append(call.statement.name)

    before_statements(monkeypatch.setattr, note)
    return asked


async def test_a_token_that_the_clock_ends_is_refused_though_nothing_was_written(hall):
    client = await hall.with_token(hall.acme.member, expires_at=hall.clock.now_ms() + 30_000)
    assert (await client.get("/api/whoami")).status_code == 200
    hall.clock.advance(seconds=29)
    assert (await client.get("/api/whoami")).status_code == 200
    hall.clock.advance(seconds=1)
    assert (await client.get("/api/whoami")).status_code == 401


async def test_what_a_revoked_token_has_made_ends_with_it(hall):
    maker = await hall.with_token(hall.acme.owner)
    made = hall.bearer((await maker.post("/api/tokens", {"name": "Made"})).json()["token"])
    assert (await made.get("/api/whoami")).status_code == 200
    async with other_process(hall) as writer:
        await revoke_token(hall, maker, writer)
    assert (await made.get("/api/whoami")).status_code == 401


@pytest.mark.own_server
async def test_a_worker_who_is_retired_claims_nothing_more(hall):
    registry = hall.server.service(WorkerRegistry)
    async with hall.server.data.write() as writer:
        issued = await registry.register(writer, Worker("wrk_of_the_test", "A worker"))
    worker, claim = hall.bearer(issued.token), {"kinds": [], "slots": 1, "wait_seconds": 0}
    before = (await worker.post("/api/workers/claim", claim)).status_code
    assert before not in (401, 403)
    async with other_process(hall) as writer:
        await registry.retire(writer, "wrk_of_the_test")
    assert (await worker.post("/api/workers/claim", claim)).status_code == 401


async def test_what_is_given_counts_on_the_next_request_too(hall):
    client = await hall.join(hall.acme, "viewer")
    assert (await client.post("/api/notes", NOTE)).status_code == 403
    directory = hall.server.service(Directory)
    async with other_process(hall) as writer:
        await directory.set_role(writer, hall.acme.id, client.user_id, "member")
        await directory.add_member(writer, hall.acme.second_team.id, client.user_id, "viewer")
        await directory.rename_team(writer, hall.acme.org_id, hall.acme.id, "Renamed")
        await directory.update_profile(writer, client.user_id, display_name="Other", locale="is")
    assert (await client.post("/api/notes", NOTE)).status_code == 201
    who = (await client.get("/api/whoami")).json()
    assert (who["team"]["name"], who["user"]["display_name"], who["locale"]) == ("Renamed", "Other", "is")
    assert [team["role"] for team in who["teams"]] == ["member", "viewer"]


@pytest.mark.parametrize(("lose", "refused"), [(remove_member, 401), (sign_out, 401), (make_viewer, 403)])
async def test_a_write_under_way_is_refused_by_what_another_process_commits(hall, monkeypatch, lose, refused):
    client = await hall.join(hall.acme)
    assert (await client.get("/api/notes")).json()["items"] == []
    taken = False

    async def take_away(call):
        nonlocal taken
        if call.writing and call.request_id is not None and not taken:
            taken = True
            async with other_process(hall) as writer:
                await lose(hall, client, writer)

    with monkeypatch.context() as patched:
        before_statements(patched.setattr, take_away)
        answer = await client.post("/api/notes", NOTE)
    assert taken and answer.status_code == refused
    assert (await hall.acme.owner.get("/api/notes")).json()["items"] == []


async def test_a_change_that_is_rolled_back_takes_nothing_away(hall):
    client = await hall.join(hall.acme)
    assert (await client.get("/api/whoami")).status_code == 200
    with pytest.raises(ZeroDivisionError):
        async with other_process(hall) as writer:
            await remove_member(hall, client, writer)
            raise ZeroDivisionError
    assert (await client.get("/api/whoami")).status_code == 200


async def test_a_date_of_use_is_read_again_within_a_minute(hall, monkeypatch):
    client = await hall.join(hall.acme)
    await client.get("/api/whoami")
    asked = noted_look_ups(monkeypatch)
    hall.clock.advance(seconds=59)
    await client.get("/api/whoami")
    assert asked == []
    hall.clock.advance(seconds=1)
    await client.get("/api/whoami")
    assert asked == ["principal_by_hash", "teams_of_user"]


#: What is read of a caller, and may be older: they decide nothing.
DATES_OF_USE = {("credentials", "last_used_at")}
READ = {
    "credentials": "id kind secret_hash user_id team_id scope made_with began_at created_at expires_at",
    "memberships": "team_id user_id role created_at",
    "users": "id username display_name locale two_factor operator org_role suspended_at",
    "teams": "id org_id slug name created_at switches",
    "orgs": "id slug name suspended_at",
    "job_workers": "id org_id name token_id retired_at",
}
COLUMNS = [(table, column) for table, names in READ.items() for column in names.split()]


def look_up_statements():
    return [one for _, file in loaded_queries().values() for one in file if one.name in LOOK_UPS]


@pytest.mark.hall_databases("sqlite")
async def test_these_are_all_columns_that_are_read_of_a_caller(hall):
    """SQLite itself tells which columns a statement reads."""
    read = set()

    def note(action, table, column, *_):
        if action == sqlite3.SQLITE_READ and column:
            read.add((table, column))
        return sqlite3.SQLITE_OK

    path = hall.server.settings.database_url.removeprefix("sqlite:///")
    connection = sqlite3.connect(path)
    connection.set_authorizer(note)
    found = look_up_statements()
    assert {one.name for one in found} == LOOK_UPS
    for one in found:
        connection.execute(f"EXPLAIN {one.sqlite}", dict.fromkeys(("secret_hash", "now", "user_id"))).close()
    connection.close()
    assert read - DATES_OF_USE - {("access_version", "version")} == {*COLUMNS}


async def moves_version(data, change):
    async with data.read() as reader:
        before = await reader.value(VERSION)
    async with data.write() as writer:
        await writer.run(change)
    async with data.read() as reader:
        return await reader.value(VERSION) != before


@pytest.mark.own_server
async def test_no_column_that_is_read_of_a_caller_is_written_without_moving_the_version(hall):
    data = hall.server.data
    async with data.write() as writer:
        await hall.server.service(WorkerRegistry).register(writer, Worker("wrk_of_the_test", "A worker"))
    still = []
    for table, column in COLUMNS:
        one = statement(f"UPDATE {table} SET {column} = {column}")
        if not await moves_version(data, one):
            still.append((table, column))
    assert still == []
    for table, column in (*DATES_OF_USE, ("users", "last_seen_at"), ("job_workers", "called_at")):
        assert not await moves_version(data, statement(f"UPDATE {table} SET {column} = 1")), table


@pytest.mark.own_server
async def test_no_row_that_is_read_of_a_caller_is_deleted_without_moving_the_version(hall):
    data, directory = hall.server.data, hall.server.service(Directory)
    async with data.write() as writer:
        org = await directory.create_org(writer, "Short")
        team = await directory.create_team(writer, org.id, "Lived")
        user = await directory.create_user(writer, org.id, "Nobody")
        await directory.add_member(writer, team.id, user.id, "owner")
        await hall.server.service(WorkerRegistry).register(writer, Worker("wrk_of_the_test", "A worker"))
    token = await hall.with_token(hall.acme.member)
    rows = {
        "job_workers": "id = 'wrk_of_the_test'",
        "credentials": f"id = '{await credential_id(hall, token)}'",
        "memberships": f"user_id = '{user.id}'",
        "users": f"id = '{user.id}'",
        "teams": f"id = '{team.id}'",
        "orgs": f"id = '{org.id}'",
    }
    assert rows.keys() == READ.keys()
    async with data.write() as writer:
        await writer.run(statement(f"DELETE FROM job_companies WHERE org_id = '{org.id}'"))
    for table, where in rows.items():
        assert await moves_version(data, statement(f"DELETE FROM {table} WHERE {where}")), table


async def test_signing_in_moves_no_version(hall):
    async with hall.server.data.read() as reader:
        before = await reader.value(VERSION)
    login = {"username": hall.acme.member.person.username, "password": hall.password}
    assert (await hall.anonymous.post("/api/login", login)).status_code == 200
    async with hall.server.data.read() as reader:
        assert await reader.value(VERSION) == before


async def test_a_migration_changes_rows_and_their_table_in_one_step(hall):
    migration = await hall.server.data.pool.migration()
    await migration.script("UPDATE teams SET name = name; ALTER TABLE teams ADD COLUMN one_more TEXT;")
    await migration.rollback()
