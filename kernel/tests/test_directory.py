"""Companies, teams, people: what races and other companies cannot do."""

import asyncio
import re
from dataclasses import dataclass

import pytest

from guildhall_sdk import Conflict, NotFound
from guildhall_sdk.services.identity import NewToken
from guildhall_sdk.services.tenancy import Org, Team
from guildhall_testing.accounts import principal_for
from kernel.identity.credentials import StoredCredentials
from kernel.tenancy.directory import StoredDirectory


@pytest.fixture
def directory(clock) -> StoredDirectory:
    return StoredDirectory(clock)


@dataclass
class Company:
    org: Org
    team: Team


@pytest.fixture
async def company(opened, directory) -> Company:
    async with opened.data.write() as writer:
        org = await directory.create_org(writer, "Acme")
        return Company(org, await directory.create_team(writer, org.id, "General"))


async def add_person(opened, directory, company, username: str, role: str) -> str:
    async with opened.data.write() as writer:
        user = await directory.create_user(writer, company.org.id, username)
        await directory.add_member(writer, company.team.id, user.id, role)
    return user.id


async def outcome(work) -> str:
    """`done`, or the code of the refusal."""
    try:
        await work
    except (Conflict, NotFound) as refusal:
        return refusal.code
    return "done"


async def test_of_many_who_claim_the_instance_one_succeeds(opened, directory):
    async def claim() -> bool:
        async with opened.data.write() as writer:
            return await directory.claim_instance(writer)

    won = await asyncio.gather(*(claim() for _ in range(16)))
    assert won.count(True) == 1


async def test_an_instance_with_a_user_cannot_be_claimed(opened, directory, company):
    await add_person(opened, directory, company, "ada", "owner")
    async with opened.data.write() as writer:
        assert not await directory.claim_instance(writer)


async def test_teams_of_one_name_get_slugs_of_their_own_in_any_race(opened, directory, company):
    async def create() -> str:
        async with opened.data.write() as writer:
            return (await directory.create_team(writer, company.org.id, "Zoë & Søn / R&D")).slug

    slugs = await asyncio.gather(*(create() for _ in range(14)))
    assert len(set(slugs)) == 14
    assert "acme--zoe-sn-r-d" in slugs
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]", slug) for slug in slugs)


@pytest.mark.parametrize("name", ["日本", "x", "!", "-" * 128, "a" * 128, "x s3", "Table-S3"])
async def test_any_name_gives_a_slug_fit_for_a_bucket(opened, directory, company, name):
    async with opened.data.write() as writer:
        first = await directory.create_team(writer, company.org.id, name)
        second = await directory.create_team(writer, company.org.id, name)
    for slug in (first.slug, second.slug):
        assert re.fullmatch(r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]", slug)
        assert re.fullmatch(r".*--[a-z]+-s3", slug) is None


async def test_a_given_slug_that_is_taken_is_refused(opened, directory, company):
    async with opened.data.write() as writer:
        with pytest.raises(Conflict) as refusal:
            await directory.create_org(writer, "Other", slug="acme")
    assert refusal.value.code == "slug_taken"


async def test_names_that_look_alike_are_one_name(opened, directory, company):
    await add_person(opened, directory, company, "admin", "owner")
    for twin in ("ａdmin", "ADMIN", "Admin", "ⓐdmin"):
        with pytest.raises(Conflict) as refusal:
            await add_person(opened, directory, company, twin, "viewer")
        assert refusal.value.code == "username_taken"
    async with opened.data.read() as reader:
        found = await directory.user_by_name(reader, "ＡＤＭＩＮ")
    assert found is not None
    assert found.username == "admin"


async def test_nobody_joins_a_team_of_another_company(opened, directory, company):
    async with opened.data.write() as writer:
        other = await directory.create_org(writer, "Other")
        stranger = await directory.create_user(writer, other.id, "mallory")
        with pytest.raises(NotFound):
            await directory.add_member(writer, company.team.id, stranger.id, "viewer")


async def test_joining_twice_at_once_joins_once(opened, directory, company):
    async with opened.data.write() as writer:
        user = await directory.create_user(writer, company.org.id, "bob")

    async def join() -> None:
        async with opened.data.write() as writer:
            await directory.add_member(writer, company.team.id, user.id, "member")

    outcomes = await asyncio.gather(*(outcome(join()) for _ in range(8)))
    assert sorted(outcomes) == ["already_member"] * 7 + ["done"]


async def test_owners_who_leave_at_the_same_time_leave_one_behind(opened, directory, company):
    owners = [await add_person(opened, directory, company, f"owner{n}", "owner") for n in range(6)]

    async def leave(user_id: str) -> None:
        async with opened.data.write() as writer:
            await directory.remove_member(writer, company.team.id, user_id)

    async def step_down(user_id: str) -> None:
        async with opened.data.write() as writer:
            await directory.set_role(writer, company.team.id, user_id, "viewer")

    works = [leave(one) if n % 2 else step_down(one) for n, one in enumerate(owners)]
    outcomes = await asyncio.gather(*(outcome(work) for work in works))
    assert outcomes.count("last_owner") == 1
    async with opened.data.read() as reader:
        members = await directory.members(reader, company.team.id, None, 100)
    assert [member.role for member in members].count("owner") == 1


async def test_the_last_owner_may_stay_owner(opened, directory, company):
    owner = await add_person(opened, directory, company, "ada", "owner")
    async with opened.data.write() as writer:
        assert (await directory.set_role(writer, company.team.id, owner, "owner")).role == "owner"


async def test_changing_a_stranger_is_not_found(opened, directory, company):
    async with opened.data.write() as writer:
        other = await directory.create_org(writer, "Other")
        stranger = await directory.create_user(writer, other.id, "mallory")
        with pytest.raises(NotFound):
            await directory.set_role(writer, company.team.id, stranger.id, "viewer")
        with pytest.raises(NotFound):
            await directory.remove_member(writer, company.team.id, stranger.id)


async def test_whoever_is_removed_and_joins_again_gets_no_old_token_back(
    opened, directory, company, clock, roles
):
    await add_person(opened, directory, company, "ada", "owner")
    bob = await add_person(opened, directory, company, "bob", "member")
    async with opened.data.write() as writer:
        issued = await StoredCredentials(clock).issue(
            writer, NewToken(kind="api", user_id=bob, team_id=company.team.id, expires_at=None)
        )
    async with opened.data.write() as writer:
        await directory.remove_member(writer, company.team.id, bob)
    async with opened.data.write() as writer:
        await directory.add_member(writer, company.team.id, bob, "member")
    async with opened.data.read() as reader:
        assert await principal_for(reader, issued.token, clock.now_ms(), roles) is None


async def test_a_profile_keeps_what_is_not_given(opened, directory, company):
    ada = await add_person(opened, directory, company, "ada", "owner")
    async with opened.data.write() as writer:
        await directory.update_profile(writer, ada, display_name="Ada Lovelace", locale=None)
        user = await directory.update_profile(writer, ada, display_name=None, locale="nl-BE")
    assert (user.display_name, user.locale) == ("Ada Lovelace", "nl-BE")


async def test_teams_are_listed_by_the_age_of_the_membership(opened, directory, company, clock):
    async with opened.data.write() as writer:
        later = await directory.create_team(writer, company.org.id, "Later")
        user = await directory.create_user(writer, company.org.id, "ada")
        await directory.add_member(writer, later.id, user.id, "owner")
        clock.advance(milliseconds=1000)
        await directory.add_member(writer, company.team.id, user.id, "viewer")
    async with opened.data.read() as reader:
        teams = await directory.teams_of(reader, user.id)
    assert [(team.name, role) for team, role in teams] == [("Later", "owner"), ("General", "viewer")]
