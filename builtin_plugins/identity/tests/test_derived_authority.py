"""What is made with a token ends with it, and a scope leaves only the reading of what needs no permission."""

import asyncio

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

DAY = 24 * 3600


def refusal(response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


@pytest.fixture
async def short(hall):
    """An API token of the owner's that lasts an hour, made by their session."""
    response = await hall.acme.owner.post("/api/tokens", {"ttl": 3600})
    assert response.status_code == 201
    return hall.bearer(response.json()["token"]), response.json()


async def test_a_session_makes_tokens_that_outlive_it(hall, account, new_account):
    admin = await new_account("admin")
    session = await admin.session()  # of 12 hours
    for ttl in ("never", 400 * DAY):
        assert (await session.post("/api/tokens", {"ttl": ttl})).status_code == 201
    answer = (await session.post("/api/tokens", {})).json()
    hall.clock.advance(days=89)
    assert (await hall.bearer(answer["token"]).get("/api/whoami")).status_code == 200


@pytest.mark.parametrize("ttl", ["never", 3601, 90 * DAY])
async def test_a_token_makes_none_that_outlives_it(short, ttl):
    token, _ = short
    assert refusal(await token.post("/api/tokens", {"ttl": ttl})) == (403, "permission_denied")


async def test_without_a_wish_a_token_is_cut_to_its_makers_end(hall, short):
    token, maker = short
    made = await token.post("/api/tokens", {})
    assert (made.status_code, made.json()["expires_at"]) == (201, maker["expires_at"])
    again = await hall.bearer(made.json()["token"]).post("/api/tokens", {"scope": ["notes:read"]})
    assert (again.status_code, again.json()["expires_at"]) == (201, maker["expires_at"])
    shorter = await token.post("/api/tokens", {"ttl": 60})
    assert shorter.status_code == 201
    assert shorter.json()["expires_at"] < maker["expires_at"]
    hall.clock.advance(hours=1)
    for dead in (made, again, shorter):
        assert (await hall.bearer(dead.json()["token"]).get("/api/whoami")).status_code == 401


@pytest.mark.parametrize("ttl", [3600, "never"])
async def test_revoking_a_token_revokes_all_that_was_made_with_it(hall, ttl):
    first = (await hall.acme.owner.post("/api/tokens", {"ttl": ttl})).json()
    other = (await hall.acme.owner.post("/api/tokens", {"ttl": ttl})).json()
    second = (await hall.bearer(first["token"]).post("/api/tokens", {})).json()
    third = (await hall.bearer(second["token"]).post("/api/tokens", {"scope": ["notes:read"]})).json()
    assert (await hall.acme.owner.delete(f"/api/tokens/{first['id']}")).status_code == 204
    for dead in (first, second, third):
        assert (await hall.bearer(dead["token"]).get("/api/whoami")).status_code == 401
    assert (await hall.bearer(other["token"]).get("/api/whoami")).status_code == 200
    listed = {token["id"] for token in (await hall.acme.owner.get("/api/tokens")).json()["items"]}
    assert listed.isdisjoint({first["id"], second["id"], third["id"]})


@pytest.mark.every_database
async def test_a_token_that_is_revoked_while_it_makes_others_leaves_none(hall):
    for _ in range(5):
        maker = (await hall.acme.owner.post("/api/tokens", {})).json()
        holder = hall.bearer(maker["token"])
        made, revoked = await asyncio.gather(
            asyncio.gather(*(holder.post("/api/tokens", {}) for _ in range(4))),
            hall.acme.owner.delete(f"/api/tokens/{maker['id']}"),
        )
        assert revoked.status_code == 204
        assert {answer.status_code for answer in made} <= {201, 401}
        for answer in made:
            if answer.status_code == 201:
                assert (await hall.bearer(answer.json()["token"]).get("/api/whoami")).status_code == 401


@pytest.mark.every_database
async def test_whoever_is_removed_while_their_token_makes_others_leaves_none(hall):
    for number in range(5):
        leaver = await hall.join(hall.acme, "admin", username=f"leaver-{number}")
        holder = hall.bearer((await leaver.post("/api/tokens", {})).json()["token"])
        made, removed = await asyncio.gather(
            asyncio.gather(*(holder.post("/api/tokens", {}) for _ in range(4))),
            hall.acme.owner.delete(f"/api/members/{leaver.user_id}"),
        )
        assert removed.status_code == 204
        assert {answer.status_code for answer in made} <= {201, 401}
        for answer in made:
            if answer.status_code == 201:
                assert (await hall.bearer(answer.json()["token"]).get("/api/whoami")).status_code == 401


async def test_a_new_persons_first_session_outlives_no_token(hall, short):
    token, maker = short
    body = {"username": "puppet", "role": "admin"}
    puppet = hall.bearer((await token.post("/api/members", body)).json()["token"])
    assert refusal(await puppet.post("/api/tokens", {"ttl": "never"})) == (403, "permission_denied")
    made = (await puppet.post("/api/tokens", {})).json()
    assert made["expires_at"] == maker["expires_at"]
    switched = (await puppet.post("/api/session/team", {"team": hall.acme.team_id})).json()
    assert (await hall.acme.owner.delete(f"/api/tokens/{maker['id']}")).status_code == 204
    for dead in (puppet, hall.bearer(made["token"]), hall.bearer(switched["token"])):
        assert (await dead.get("/api/whoami")).status_code == 401


async def test_a_new_companys_owner_and_a_worker_get_nothing_that_outlives_the_token(hall):
    issued = (await hall.operator.post("/api/tokens", {"ttl": 60})).json()
    token = hall.bearer(issued["token"])
    founded = await token.post("/api/orgs", {"name": "Brief", "owner": {"username": "brief-owner"}})
    assert (founded.status_code, founded.json()["expires_at"]) == (201, issued["expires_at"])
    pulling = await token.post("/api/executors", {"name": "brief worker", "mode": "pull"})
    assert (pulling.status_code, pulling.json()["worker_token_expires_at"]) == (201, issued["expires_at"])
    lasting = await hall.operator.post("/api/executors", {"name": "lasting worker", "mode": "pull"})
    assert "worker_token_expires_at" not in lasting.json()
    hall.clock.advance(minutes=1)
    claim = {"kinds": ["x.integrator-demo.lane-report"]}
    for answer, status in ((pulling, 401), (lasting, 204)):
        worker = hall.bearer(answer.json()["worker_token"])
        assert (await worker.post("/api/workers/claim", claim)).status_code == status


@pytest.mark.parametrize("scope", [[], ["notes:read", "settings:manage"]])
async def test_the_profile_wants_a_credential_without_a_scope(hall, scope):
    scoped = await hall.with_token(hall.acme.owner, scope=scope)
    response = await scoped.post("/api/profile", {"display_name": "Mallory"})
    assert refusal(response) == (403, "session_required")
    unscoped = await hall.with_token(hall.acme.owner)
    assert (await unscoped.post("/api/profile", {"display_name": "Olive"})).status_code == 200
    assert (await hall.acme.owner.get("/api/whoami")).json()["user"]["display_name"] == "Olive"


async def test_an_empty_scope_reads_what_needs_no_permission(hall):
    nothing = await hall.with_token(hall.acme.owner, scope=[])
    for path in ("/api/whoami", "/api/members", "/api/jobs", "/api/s3/credentials", "/api/plugins"):
        assert (await nothing.get(path)).status_code == 200
    assert refusal(await nothing.get("/api/notes")) == (403, "permission_denied")
