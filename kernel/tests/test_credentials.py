"""Tokens, and the principal that a token stands for."""

import asyncio
import hashlib
from dataclasses import dataclass

import pytest

from guildhall_sdk import NotFound, Statement
from guildhall_sdk.services.identity import NewToken
from kernel.identity.authenticate import principal_for
from kernel.identity.credentials import StoredCredentials
from kernel.rbac import DeclaredRoles
from kernel.tenancy.directory import StoredDirectory

HOUR = 3600 * 1000


@dataclass
class Desk:
    """A company with one owner, and what the tests ask for again and again."""

    data: object
    clock: object
    directory: StoredDirectory
    credentials: StoredCredentials
    roles: DeclaredRoles
    org_id: str = ""
    team_id: str = ""
    user_id: str = ""

    async def person(self, username: str, role: str, **more) -> str:
        async with self.data.write() as writer:
            user = await self.directory.create_user(writer, self.org_id, username, **more)
            await self.directory.add_member(writer, self.team_id, user.id, role)
        return user.id

    async def issue(self, kind="session", user_id=None, expires_in=HOUR, **more):
        end = None if expires_in is None else self.clock.now_ms() + expires_in
        async with self.data.write() as writer:
            return await self.credentials.issue(
                writer,
                NewToken(
                    kind=kind, user_id=user_id or self.user_id, team_id=self.team_id, expires_at=end, **more
                ),
            )

    async def who(self, token: str):
        async with self.data.read() as reader:
            return await principal_for(reader, token, self.clock.now_ms(), self.roles)


@pytest.fixture
async def desk(opened, clock, roles) -> Desk:
    desk = Desk(opened.data, clock, StoredDirectory(clock), StoredCredentials(clock, roles), roles)
    async with opened.data.write() as writer:
        desk.org_id = (await desk.directory.create_org(writer, "Acme")).id
        desk.team_id = (await desk.directory.create_team(writer, desk.org_id, "General")).id
    desk.user_id = await desk.person("Ada", "owner", locale="nl")
    return desk


async def test_a_token_stands_for_its_owner_as_they_are_now(desk):
    who = await desk.who((await desk.issue()).token)
    assert (who.user_id, who.username, who.locale) == (desk.user_id, "Ada", "nl")
    assert (who.team_id, who.team_name, who.role) == (desk.team_id, "General", "owner")
    assert (who.org_id, who.org_slug, who.org_name) == (desk.org_id, "acme", "Acme")
    assert (who.operator, who.org_role, who.org_suspended, who.two_factor) == (False, None, False, False)
    assert who.permissions == desk.roles.held_by("owner")
    assert who.credential.kind == "session"
    assert who.credential.scope is None


@pytest.mark.parametrize(("kind", "prefix"), [("session", "ghs_"), ("api", "gha_"), ("worker", "ghw_")])
async def test_a_token_tells_its_kind_and_holds_256_bits(desk, kind, prefix):
    token = (await desk.issue(kind)).token
    assert token.startswith(prefix)
    assert len(token) == 4 + 43


async def test_only_a_hash_of_a_token_is_stored(desk):
    issued = await desk.issue()
    everything = Statement("everything", "SELECT * FROM credentials", "SELECT * FROM credentials")
    async with desk.data.read() as reader:
        (row,) = await reader.all(everything)
    assert row["secret_hash"] == hashlib.sha256(issued.token.encode()).hexdigest()
    assert issued.token not in str(dict(row))


async def test_a_token_ends_at_its_time_and_not_before(desk, clock):
    token = (await desk.issue(expires_in=HOUR)).token
    clock.advance(milliseconds=HOUR - 1)
    assert await desk.who(token) is not None
    clock.advance(milliseconds=1)
    assert await desk.who(token) is None


async def test_a_token_without_an_end_lasts(desk, clock):
    token = (await desk.issue("api", expires_in=None)).token
    clock.advance(milliseconds=50 * 365 * 24 * HOUR)
    assert await desk.who(token) is not None


async def test_what_is_not_a_token_is_nobody(desk):
    token = (await desk.issue()).token
    for wrong in (
        "",
        "é",
        "ghs_",
        token[:-1],
        token + "A",
        token + "\n",
        " " + token,
        token.upper(),
        "ｇ" + token[1:],
    ):
        assert await desk.who(wrong) is None
    assert await desk.who("ghs_" + "A" * 43) is None


async def test_a_malformed_token_costs_no_query(clock, roles):
    class NoReader:
        def __getattr__(self, name: str):
            raise AssertionError("the database was asked")

    assert await principal_for(NoReader(), "ghs_é", clock.now_ms(), roles) is None


async def test_a_scope_narrows_and_never_widens(desk):
    issued = await desk.issue("api", scope=["notes:read", "instance:manage"])
    who = await desk.who(issued.token)
    assert who.permissions == {"notes:read"}
    assert who.credential.scope == {"notes:read", "instance:manage"}


async def test_an_empty_scope_permits_nothing(desk):
    assert (await desk.who((await desk.issue("api", scope=[])).token)).permissions == frozenset()


async def test_a_demotion_counts_at_the_next_use(desk):
    bob = await desk.person("bob", "admin")
    issued = await desk.issue("api", user_id=bob, scope=["notes:delete", "notes:read"])
    assert (await desk.who(issued.token)).permissions == {"notes:delete", "notes:read"}
    async with desk.data.write() as writer:
        await desk.directory.set_role(writer, desk.team_id, bob, "viewer")
    assert (await desk.who(issued.token)).permissions == {"notes:read"}


async def test_an_operator_holds_everything_and_an_org_role_adds(desk):
    operator = await desk.person("op", "viewer", operator=True)
    reader = await desk.person("reader", "viewer", org_role="org_reader")
    assert (await desk.who((await desk.issue(user_id=operator)).token)).permissions == set(
        desk.roles.permissions
    )
    held = (await desk.who((await desk.issue(user_id=reader)).token)).permissions
    assert held == desk.roles.held_by("viewer") | {"org:read"}


async def test_a_removed_member_is_out_at_once_and_gets_nothing_new(desk):
    bob = await desk.person("bob", "member")
    token = (await desk.issue(user_id=bob)).token
    async with desk.data.write() as writer:
        await desk.directory.remove_member(writer, desk.team_id, bob)
    assert await desk.who(token) is None
    with pytest.raises(NotFound):
        await desk.issue(user_id=bob)


async def test_issuing_while_the_member_is_removed_leaves_no_token(desk):
    bob = await desk.person("bob", "member")

    async def remove() -> None:
        async with desk.data.write() as writer:
            await desk.directory.remove_member(writer, desk.team_id, bob)

    results = await asyncio.gather(
        *(desk.issue(user_id=bob) for _ in range(4)),
        remove(),
        *(desk.issue(user_id=bob) for _ in range(4)),
        return_exceptions=True,
    )
    assert all(one is None or hasattr(one, "token") or isinstance(one, NotFound) for one in results)
    for one in results:
        if hasattr(one, "token"):
            assert await desk.who(one.token) is None


async def test_ending_sessions_keeps_the_one_in_use_and_api_tokens(desk):
    kept, other = await desk.issue(), await desk.issue()
    machine = await desk.issue("api")
    async with desk.data.write() as writer:
        await desk.credentials.end_sessions_of(writer, desk.user_id, keep=kept.id)
    assert await desk.who(kept.token) is not None
    assert await desk.who(other.token) is None
    assert await desk.who(machine.token) is not None
    async with desk.data.write() as writer:
        await desk.credentials.end_sessions_of(writer, desk.user_id)
        assert not await desk.credentials.alive(writer, kept.id)
        assert await desk.credentials.alive(writer, machine.id)


async def test_a_token_of_another_team_cannot_be_revoked(desk):
    issued = await desk.issue("api")
    async with desk.data.write() as writer:
        other = await desk.directory.create_team(writer, desk.org_id, "Other")
        assert not await desk.credentials.revoke_api_token(writer, other.id, issued.id)
    assert await desk.who(issued.token) is not None
    async with desk.data.write() as writer:
        assert await desk.credentials.revoke_api_token(writer, desk.team_id, issued.id)
    assert await desk.who(issued.token) is None


async def test_a_session_is_not_revoked_as_an_api_token(desk):
    issued = await desk.issue("session")
    async with desk.data.write() as writer:
        assert not await desk.credentials.revoke_api_token(writer, desk.team_id, issued.id)


async def test_the_list_shows_live_api_tokens_newest_first(desk, clock):
    await desk.issue("session")
    first = await desk.issue("api", expires_in=HOUR, name="short")
    clock.advance(milliseconds=1)
    second = await desk.issue("api", expires_in=None, name="long", scope=["search", "notes:read"])
    async with desk.data.read() as reader:
        tokens = await desk.credentials.api_tokens(reader, desk.team_id, None, 10)
        assert [token.id for token in tokens] == [second.id, first.id]
        assert tokens[0].scope == ["notes:read", "search"]
        assert await desk.credentials.api_tokens(reader, desk.team_id, second.id, 10) == tokens[1:]
    clock.advance(milliseconds=HOUR)
    async with desk.data.read() as reader:
        assert [t.id for t in await desk.credentials.api_tokens(reader, desk.team_id, None, 10)] == [
            second.id
        ]


async def test_what_ended_is_swept_a_month_later(desk, clock):
    """Until then it is known that it expired: what is not there any more was revoked."""
    ended = await desk.issue("session", expires_in=HOUR)
    lasting = await desk.issue("api", expires_in=None)
    left = Statement(
        "left", "SELECT id FROM credentials ORDER BY id", "SELECT id FROM credentials ORDER BY id"
    )
    for milliseconds, ids in ((HOUR, [ended.id, lasting.id]), (30 * 24 * HOUR, [lasting.id])):
        clock.advance(milliseconds=milliseconds)
        async with desk.data.write() as writer:
            await desk.credentials.sweep_expired(writer)
        async with desk.data.read() as reader:
            assert {row["id"] for row in await reader.all(left)} == set(ids)
