"""`GET /api/admin/status`: each fact is measured."""

from contextlib import closing

import pytest

from guildhall_sdk import Statement
from guildhall_sdk.metrics import Metrics
from guildhall_sdk.services.identity import Vault
from kernel.boot import Server
from kernel.secrets.rotation import rotate

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

_EVENTS = "SELECT COUNT(*) FROM audit_events"


async def status(hall):
    answer = await hall.operator.get("/api/admin/status")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def counts(hall):
    return (await status(hall))["counts"]


async def test_status_has_exactly_the_named_facts(hall):
    found = await status(hall)
    assert set(found) == {"version", "kdf", "tls", "multitenant", "secrets_at_rest", "sandbox", "counts"}
    assert set(found["counts"]) == {
        "users",
        "teams",
        "orgs",
        "notes",
        "tokens",
        "audit_events",
        "tenants",
    }
    assert found["version"] == hall.server.settings.version
    assert (found["tls"], found["multitenant"]) == ("off", True)


async def test_the_kdf_is_the_one_that_passwords_are_hashed_with(hall):
    costs = (await hall.server._passwords.hash("a password that nobody has")).split("$")[3]
    assert (await status(hall))["kdf"] == f"argon2id({costs})"


async def test_a_server_that_is_no_tests_hashes_at_the_full_cost(hall):
    server = Server(hall.server.settings, admission=hall.server.admission)
    with closing(server._passwords) as passwords:
        stored = await passwords.hash("a password that nobody has")
    assert stored.startswith("$argon2id$v=19$m=19456,t=2,p=1$")


async def test_tls_is_what_the_base_url_promises(open_hall):
    async with open_hall(SERVICE_BASE_URL="https://hall.example", SERVICE_MULTITENANT="off") as hall:
        found = await status(hall)
        assert (found["tls"], found["multitenant"]) == ("proxy", False)


async def test_counts_follow_what_is_made_and_unmade(hall):
    before = await counts(hall)
    note = (await hall.acme.member.post("/api/notes", {"title": "x"})).json()
    await hall.join(hall.globex)
    assert await counts(hall) == before | {
        "notes": before["notes"] + 1,
        "users": before["users"] + 1,
        "audit_events": before["audit_events"] + 1,
    }
    await hall.acme.member.delete(f"/api/notes/{note['id']}")
    assert (await counts(hall))["notes"] == before["notes"]


async def test_tokens_are_the_api_tokens_that_still_work(hall):
    before = (await counts(hall))["tokens"]
    await hall.with_token(hall.acme.member)
    await hall.with_token(hall.acme.member, expires_at=hall.clock.now_ms() + 60_000)
    await hall.with_token(hall.acme.member, kind="session")
    assert (await counts(hall))["tokens"] == before + 2
    hall.clock.advance(minutes=2)
    assert (await counts(hall))["tokens"] == before + 1


@pytest.mark.every_database
async def test_audit_events_are_counted_over_every_chain(hall):
    for client in (hall.acme.admin, hall.globex.admin, hall.acme.admin):
        await client.post("/api/features/chat", {"enabled": True})
    await hall.anonymous.post("/api/login", {"username": "nobody", "password": "not a password"})
    async with hall.server.data.read() as reader:
        there = await reader.value(Statement("events", _EVENTS, _EVENTS))
    assert (await counts(hall))["audit_events"] == there > 3


@pytest.mark.own_server
async def test_tenants_are_the_companies_that_no_operator_belongs_to(hall):
    found = await counts(hall)
    assert (found["orgs"], found["tenants"]) == (3, 2)
    await hall.join(hall.globex, operator=True)
    assert (await counts(hall))["tenants"] == 1


async def test_secrets_at_rest_tells_the_key_by_its_id_and_how_much_it_seals(hall):
    vault, data = hall.server.service(Vault), hall.server.data
    async with data.write() as writer:
        await vault.put(writer, "totp", hall.acme.org_id, "one", b"a secret of somebody")
    found = (await status(hall))["secrets_at_rest"]
    first_key = found.pop("key_id")
    assert first_key.startswith("key_")
    assert found == {"state": "sealed", "cipher": "AES-256-GCM", "secrets": 1, "awaiting_reseal": 0}
    async with data.write() as writer:
        second_key = await hall.server.vault.keyring.switch(writer, "seal")
    found = (await status(hall))["secrets_at_rest"]
    assert (found["state"], found["key_id"], found["awaiting_reseal"]) == ("resealing", second_key, 1)
    third = await rotate(data, hall.server.vault)
    found = (await status(hall))["secrets_at_rest"]
    assert (found["state"], found["key_id"], found["awaiting_reseal"]) == ("sealed", third.key_id, 0)


@pytest.mark.own_server
async def test_many_are_counted_in_the_background_and_the_answer_says_how_long_ago(hall, monkeypatch):
    monkeypatch.setattr("builtin_plugins.metrics.measurements.EXACT_ROWS", 0)
    before = await hall.operator.get("/api/admin/status")
    assert "age" not in before.headers
    users = before.json()["counts"]["users"]
    await hall.join(hall.globex)
    hall.clock.advance(seconds=20)
    answer = await hall.operator.get("/api/admin/status")
    assert (answer.headers["age"], answer.json()["counts"]["users"]) == ("20", users)
    hall.clock.advance(seconds=20)
    await hall.operator.get("/api/admin/status")
    await hall.server.service(Metrics).sampled()
    assert (await counts(hall))["users"] == users + 1


async def test_without_a_plugin_that_keeps_notes_there_are_none(open_hall):
    async with open_hall(SERVICE_PLUGINS_BLOCKED="notes") as hall:
        assert (await counts(hall))["notes"] == 0
