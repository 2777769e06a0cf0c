"""The token of a pull executor: whom it stands for, and what is kept of it."""

import hashlib

from kernel.tenancy.directory import StoredDirectory


async def test_a_worker_token_stands_for_its_executor_in_no_team(desk):
    made, token = await desk.create("Night shift")
    assert token.startswith("ghw_")
    who = await desk.who(token)
    assert (who.user_id, who.username, who.display_name) == (made.id, "Night shift", "Night shift")
    assert (who.team_id, who.org_id, who.org_role, who.operator) == ("", "", None, False)
    assert who.permissions == {"jobs:execute"}
    assert (who.credential.kind, who.credential.scope) == ("worker", {"jobs:execute"})
    assert not who.scope_allows("notes:read")


async def test_one_of_a_company_belongs_to_it_and_to_its_suspension(desk):
    _, token = await desk.create(org_id=desk.acme)
    who = await desk.who(token)
    assert (who.org_id, who.org_slug, who.org_name, who.org_suspended) == (desk.acme, "acme", "Acme", False)
    async with desk.data.write() as writer:
        await StoredDirectory(desk.clock).set_suspended(writer, desk.acme, desk.clock.now_ms())
    assert (await desk.who(token)).org_suspended


async def test_only_a_hash_of_it_is_stored(desk):
    _, token = await desk.create()
    (row,) = await desk.rows("credentials")
    assert row["secret_hash"] == hashlib.sha256(token.encode()).hexdigest()
    assert (row["kind"], row["user_id"], row["team_id"], row["expires_at"]) == ("worker", None, None, None)
    everything = [await desk.rows(table) for table in ("executors", "audit_events", "secrets")]
    assert token not in str(everything)


async def test_it_has_no_end_of_its_own(desk):
    _, token = await desk.create()
    desk.clock.advance(days=3650)
    assert await desk.who(token) is not None
    assert await desk.who("ghw_" + "A" * 43) is None
