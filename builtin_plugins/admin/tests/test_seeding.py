"""`POST /api/admin/seed` and `declare_samples`: what plugins give a team to look at."""

import pytest

from guildhall_sdk import Conflict, Plugin, hookimpl
from guildhall_sdk.factories import Samples, Seeded

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


class Toys:
    """A plugin whose samples are told to `seen` instead of a table."""

    PLUGIN = Plugin("toys", "Toys", "0.1.0", "Toys to seed")

    def __init__(self, *, permission="files:write", fails=False, name="toys"):
        self.seen = []
        self._samples = Samples(name, permission, self._seed)
        self._fails = fails

    @hookimpl
    def declare_samples(self):
        return [self._samples]

    async def _seed(self, host, writer, principal, now_ms):
        if self._fails:
            raise Conflict("The toy box is locked.")
        self.seen.append((principal.team_id, now_ms))
        return Seeded(2, 0) if len(self.seen) == 1 else Seeded(0, 2)


async def seed(client, **headers):
    answer = await client.post("/api/admin/seed", headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def seeded_events(client):
    events = (await client.get("/api/audit")).json()["items"]
    return [(event["target"], event["detail"]) for event in events if event["action"] == "team.seeded"]


async def test_every_plugin_gives_its_samples_once(open_hall):
    toys = Toys()
    async with open_hall(toys) as hall:
        now = hall.clock.now_ms()
        first = await seed(hall.acme.admin)
        assert first["toys"] == {"created": 2, "existing": 0}
        assert first["notes"]["created"] > 0
        # Nobody is shown usage that nobody had, unless the operator wants that.
        assert first["usage"] == {"created": 0, "existing": 0}
        again = await seed(hall.acme.owner)
        assert again["toys"] == {"created": 0, "existing": 2}
        assert again["notes"] == {"created": 0, "existing": first["notes"]["created"]}
        assert again["documents"] == {"created": 0, "existing": first["documents"]["created"]}
        assert [team for team, _ in toys.seen] == [hall.acme.team_id] * 2
        assert all(at > now for _, at in toys.seen)


async def test_the_trail_tells_what_was_seeded_and_nothing_when_nothing_was(open_hall):
    async with open_hall(Toys()) as hall:
        first = await seed(hall.acme.admin)
        notes, documents = first["notes"]["created"], first["documents"]["created"]
        await seed(hall.acme.admin)
        team = {"type": "team", "id": hall.acme.team_id}
        told = await seeded_events(hall.acme.admin)
        assert sorted(told, key=str) == [
            (team, {"documents": documents}),
            (team, {"notes": notes}),
            (team, {"toys": 2}),
        ]
        assert await seeded_events(hall.acme.second_team.admin) == []


async def test_a_token_seeds_only_what_its_scope_lets_it_write(hall):
    narrow = await hall.with_token(hall.acme.admin, scope=["settings:manage", "files:write"])
    answer = await narrow.post("/api/admin/seed")
    assert (answer.status_code, answer.json()["permission"]) == (403, "notes:write")
    assert (await hall.acme.member.get("/api/notes")).json()["items"] == []
    narrow = await hall.with_token(hall.acme.admin, scope=["settings:manage", "notes:write"])
    answer = await narrow.post("/api/admin/seed")
    assert (answer.status_code, answer.json()["permission"]) == (403, "files:write")
    wide = await hall.with_token(hall.acme.admin, scope=["settings:manage", "notes:write", "files:write"])
    assert (await seed(wide))["notes"]["created"] > 0


async def test_what_one_permission_forbids_seeds_nothing_at_all(open_hall):
    async with open_hall(Toys(permission="instance:manage")) as hall:
        answer = await hall.acme.admin.post("/api/admin/seed")
        assert (answer.status_code, answer.json()["permission"]) == (403, "instance:manage")
        assert (await hall.acme.member.get("/api/notes")).json()["items"] == []


@pytest.mark.every_database
async def test_a_kind_that_fails_is_tried_again_by_the_next_call(open_hall):
    toys = Toys(fails=True)
    async with open_hall(toys) as hall:
        assert (await hall.acme.admin.post("/api/admin/seed")).status_code == 409
        toys._fails = False
        assert (await seed(hall.acme.admin))["toys"] == {"created": 2, "existing": 0}


async def test_a_repeat_under_one_key_gets_the_first_answer(hall):
    first = await seed(hall.acme.admin, **{"Idempotency-Key": "once"})
    assert await seed(hall.acme.admin, **{"Idempotency-Key": "once"}) == first
    assert first["notes"]["created"] > 0


async def test_a_body_has_nothing_to_say(hall):
    answer = await hall.acme.admin.post("/api/admin/seed", {"team_id": hall.globex.team_id})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/team_id")


@pytest.mark.parametrize(
    ("toys", "reason"),
    [
        (Toys(name="notes"), "the sample content notes is declared twice"),
        (Toys(name="My toys"), "must be small letters, digits and _"),
        (Toys(permission="toys:write"), "there is no permission toys:write"),
    ],
)
async def test_samples_that_cannot_stand_keep_the_plugin_out(open_hall, toys, reason):
    async with open_hall(toys, allow_refused=True) as hall:
        (refused,) = [status for status in hall.registry.refused if status.id == "toys"]
        assert reason in refused.reason
        assert set(await seed(hall.acme.admin)) == {"notes", "documents", "usage"}
        assert toys.seen == []
