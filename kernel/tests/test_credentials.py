"""Tokens, and the principal that a token stands for."""

import asyncio
import hashlib
from dataclasses import dataclass

import pytest

from guildhall_sdk import NotFound, Statement
from guildhall_sdk.services.identity import NewToken
from guildhall_testing.accounts import principal_for
from kernel.identity.credentials import StoredCredentials
from kernel.rbac import DeclaredRoles
from kernel.tenancy.directory import StoredDirectory

HOUR = 3600 * 1000


@dataclass
class CompanyEnv:
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
async def company(opened, clock, roles) -> CompanyEnv:
    company = CompanyEnv(opened.data, clock, StoredDirectory(clock), StoredCredentials(clock, roles), roles)
    async with opened.data.write() as writer:
        company.org_id = (await company.directory.create_org(writer, "Acme")).id
        company.team_id = (await company.directory.create_team(writer, company.org_id, "General")).id
    company.user_id = await company.person("Ada", "owner", locale="nl")
    return company


async def test_a_token_stands_for_its_owner_as_they_are_now(company):
    who = await company.who((await company.issue()).token)
    assert (who.user_id, who.username, who.locale) == (company.user_id, "Ada", "nl")
    assert (who.team_id, who.team_name, who.role) == (company.team_id, "General", "owner")
    assert (who.org_id, who.org_slug, who.org_name) == (company.org_id, "acme", "Acme")
    assert (who.operator, who.org_role, who.org_suspended, who.two_factor) == (False, None, False, False)
    assert who.permissions == company.roles.held_by("owner")
    assert who.credential.kind == "session"
    assert who.credential.scope is None


@pytest.mark.parametrize(("kind", "prefix"), [("session", "ghs_"), ("api", "gha_"), ("worker", "ghw_")])
async def test_a_token_tells_its_kind_and_holds_256_bits(company, kind, prefix):
    token = (await company.issue(kind)).token
    assert token.startswith(prefix)
    assert len(token) == 4 + 43


async def test_only_a_hash_of_a_token_is_stored(company):
    issued = await company.issue()
    everything = Statement("everything", "SELECT * FROM credentials", "SELECT * FROM credentials")
    async with company.data.read() as reader:
        (row,) = await reader.all(everything)
    assert row["secret_hash"] == hashlib.sha256(issued.token.encode()).hexdigest()
    assert issued.token not in str(dict(row))


async def test_a_token_ends_at_its_time_and_not_before(company, clock):
    token = (await company.issue(expires_in=HOUR)).token
    clock.advance(milliseconds=HOUR - 1)
    assert await company.who(token) is not None
    clock.advance(milliseconds=1)
    assert await company.who(token) is None


async def test_a_token_without_an_end_lasts(company, clock):
    token = (await company.issue("api", expires_in=None)).token
    clock.advance(milliseconds=50 * 365 * 24 * HOUR)
    assert await company.who(token) is not None


async def test_what_is_not_a_token_is_nobody(company):
    token = (await company.issue()).token
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
        assert await company.who(wrong) is None
    assert await company.who("ghs_" + "A" * 43) is None


async def test_a_malformed_token_costs_no_query(clock, roles):
    class NoReader:
        def __getattr__(self, name: str):
            raise AssertionError("the database was asked")

    assert await principal_for(NoReader(), "ghs_é", clock.now_ms(), roles) is None


async def test_a_scope_narrows_and_never_widens(company):
    issued = await company.issue("api", scope=["notes:read", "instance:manage"])
    who = await company.who(issued.token)
    assert who.permissions == {"notes:read"}
    assert who.credential.scope == {"notes:read", "instance:manage"}


async def test_an_empty_scope_permits_nothing(company):
    assert (await company.who((await company.issue("api", scope=[])).token)).permissions == frozenset()


async def test_a_demotion_counts_at_the_next_use(company):
    bob = await company.person("bob", "admin")
    issued = await company.issue("api", user_id=bob, scope=["notes:delete", "notes:read"])
    assert (await company.who(issued.token)).permissions == {"notes:delete", "notes:read"}
    async with company.data.write() as writer:
        await company.directory.set_role(writer, company.team_id, bob, "viewer")
    assert (await company.who(issued.token)).permissions == {"notes:read"}


async def test_an_operator_holds_everything_and_an_org_role_adds(company):
    operator = await company.person("op", "viewer", operator=True)
    reader = await company.person("reader", "viewer", org_role="org_reader")
    assert (await company.who((await company.issue(user_id=operator)).token)).permissions == set(
        company.roles.permissions
    )
    held = (await company.who((await company.issue(user_id=reader)).token)).permissions
    assert held == company.roles.held_by("viewer") | {"org:read"}


async def test_a_removed_member_is_out_at_once_and_gets_nothing_new(company):
    bob = await company.person("bob", "member")
    token = (await company.issue(user_id=bob)).token
    async with company.data.write() as writer:
        await company.directory.remove_member(writer, company.team_id, bob)
    assert await company.who(token) is None
    with pytest.raises(NotFound):
        await company.issue(user_id=bob)


async def test_issuing_while_the_member_is_removed_leaves_no_token(company):
    bob = await company.person("bob", "member")

    async def remove() -> None:
        async with company.data.write() as writer:
            await company.directory.remove_member(writer, company.team_id, bob)

    results = await asyncio.gather(
        *(company.issue(user_id=bob) for _ in range(4)),
        remove(),
        *(company.issue(user_id=bob) for _ in range(4)),
        return_exceptions=True,
    )
    assert all(one is None or hasattr(one, "token") or isinstance(one, NotFound) for one in results)
    for one in results:
        if hasattr(one, "token"):
            assert await company.who(one.token) is None


async def test_ending_sessions_keeps_the_one_in_use_and_api_tokens(company):
    kept, other = await company.issue(), await company.issue()
    machine = await company.issue("api")
    async with company.data.write() as writer:
        await company.credentials.end_sessions_of(writer, company.user_id, keep=kept.id)
    assert await company.who(kept.token) is not None
    assert await company.who(other.token) is None
    assert await company.who(machine.token) is not None
    async with company.data.write() as writer:
        await company.credentials.end_sessions_of(writer, company.user_id)
        assert not await company.credentials.alive(writer, kept.id)
        assert await company.credentials.alive(writer, machine.id)


async def test_a_token_of_another_team_cannot_be_revoked(company):
    issued = await company.issue("api")
    async with company.data.write() as writer:
        other = await company.directory.create_team(writer, company.org_id, "Other")
        assert not await company.credentials.revoke_api_token(writer, other.id, issued.id)
    assert await company.who(issued.token) is not None
    async with company.data.write() as writer:
        assert await company.credentials.revoke_api_token(writer, company.team_id, issued.id)
    assert await company.who(issued.token) is None


async def test_a_session_is_not_revoked_as_an_api_token(company):
    issued = await company.issue("session")
    async with company.data.write() as writer:
        assert not await company.credentials.revoke_api_token(writer, company.team_id, issued.id)


async def test_the_list_shows_live_api_tokens_newest_first(company, clock):
    await company.issue("session")
    first = await company.issue("api", expires_in=HOUR, name="short")
    clock.advance(milliseconds=1)
    second = await company.issue("api", expires_in=None, name="long", scope=["search", "notes:read"])
    async with company.data.read() as reader:
        tokens = await company.credentials.api_tokens(reader, company.team_id, None, 10)
        assert [token.id for token in tokens] == [second.id, first.id]
        assert tokens[0].scope == ["notes:read", "search"]
        assert await company.credentials.api_tokens(reader, company.team_id, second.id, 10) == tokens[1:]
    clock.advance(milliseconds=HOUR)
    async with company.data.read() as reader:
        assert [t.id for t in await company.credentials.api_tokens(reader, company.team_id, None, 10)] == [
            second.id
        ]


async def test_what_ended_is_swept_a_month_later(company, clock):
    """Until then it is known that it expired: what is not there any more was revoked."""
    ended = await company.issue("session", expires_in=HOUR)
    lasting = await company.issue("api", expires_in=None)
    left = Statement(
        "left", "SELECT id FROM credentials ORDER BY id", "SELECT id FROM credentials ORDER BY id"
    )
    for milliseconds, ids in ((HOUR, [ended.id, lasting.id]), (30 * 24 * HOUR, [lasting.id])):
        clock.advance(milliseconds=milliseconds)
        async with company.data.write() as writer:
            await company.credentials.sweep_expired(writer)
        async with company.data.read() as reader:
            assert {row["id"] for row in await reader.all(left)} == set(ids)
