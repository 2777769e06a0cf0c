"""Companies in the directory, and the condition that their writes stand under."""

import asyncio

import pytest

from guildhall_sdk import Conflict, NotFound, Statement
from guildhall_sdk.data import TENANT
from guildhall_sdk.errors import PaymentRequired
from guildhall_testing.databases import database_at
from kernel.tenancy.directory import StoredDirectory
from kernel.tenancy.suspension import open_to_writing

PROBE = Statement("probe", "SELECT 1", "SELECT 1")


@pytest.fixture
def directory(clock) -> StoredDirectory:
    return StoredDirectory(clock)


@pytest.fixture
async def org(opened, directory):
    async with opened.data.write() as writer:
        return await directory.create_org(writer, "Acme")


async def make_owner(opened, directory, org, username, org_role="org_owner") -> str:
    async with opened.data.write() as writer:
        user = await directory.create_user(writer, org.id, username, org_role=org_role)
        team = await directory.create_team(writer, org.id, "Team")
        await directory.add_member(writer, team.id, user.id, "owner")
        return user.id


async def set_role(opened, directory, org, user_id, org_role):
    """The role before, or the code of the refusal."""
    try:
        async with opened.data.write() as writer:
            return await directory.set_org_role(writer, org.id, user_id, org_role)
    except (Conflict, NotFound) as refusal:
        return refusal.code


async def test_the_last_org_owner_stays_one(opened, directory, org):
    first = await make_owner(opened, directory, org, "ada")
    assert await set_role(opened, directory, org, first, "org_admin") == "last_org_owner"
    assert await set_role(opened, directory, org, first, None) == "last_org_owner"
    assert await set_role(opened, directory, org, first, "org_owner") == "org_owner"
    await make_owner(opened, directory, org, "grace")
    assert await set_role(opened, directory, org, first, None) == "org_owner"
    assert await set_role(opened, directory, org, first, "org_reader") is None


async def test_an_owner_in_no_team_does_not_count(opened, directory, org):
    first = await make_owner(opened, directory, org, "ada")
    async with opened.data.write() as writer:
        await directory.create_user(writer, org.id, "grace", org_role="org_owner")
    assert await set_role(opened, directory, org, first, None) == "last_org_owner"


async def test_an_owner_of_another_company_does_not_count(opened, directory, org):
    async with opened.data.write() as writer:
        other = await directory.create_org(writer, "Globex")
    await make_owner(opened, directory, other, "grace")
    first = await make_owner(opened, directory, org, "ada")
    assert await set_role(opened, directory, org, first, None) == "last_org_owner"
    assert await set_role(opened, directory, other, first, None) == "not_found"


async def test_of_owners_who_are_all_demoted_at_once_one_remains(opened, directory, org):
    owners = [await make_owner(opened, directory, org, f"ada{number}") for number in range(8)]
    outcomes = await asyncio.gather(*(set_role(opened, directory, org, one, None) for one in owners))
    assert sorted(outcomes) == ["last_org_owner"] + ["org_owner"] * 7


async def test_a_hostname_goes_from_one_to_another(opened, directory, org):
    async with opened.data.write() as writer:
        other = await directory.create_org(writer, "Globex")
        await directory.set_domain(writer, org.id, "team.example")
    with pytest.raises(Conflict):
        async with opened.data.write() as writer:
            await directory.set_domain(writer, other.id, "team.example")
    async with opened.data.write() as writer:
        await directory.set_domain(writer, org.id, None)
        assert (await directory.set_domain(writer, other.id, "team.example")).domain == "team.example"
    with pytest.raises(NotFound):
        async with opened.data.write() as writer:
            await directory.set_domain(writer, "org_0", "free.example")


@pytest.fixture
async def conditioned(database_url, opened):
    """A database whose writes stand under the condition, as the boot opens it."""
    data = database_at(database_url, condition_of=open_to_writing, shared=True)
    await data.connect()
    yield data
    await data.disconnect()


async def is_open(data, within) -> bool:
    try:
        async with data.write(within=within) as writer:
            await writer.one(PROBE)
    except PaymentRequired:
        return False
    return True


async def test_a_suspension_closes_one_company_and_the_tenants_closes_all(
    opened, conditioned, directory, org
):
    async def open_places():
        return [place for place in (org.id, "org_0", TENANT) if await is_open(conditioned, place)]

    assert await open_places() == [org.id, "org_0", TENANT]
    async with opened.data.write() as writer:
        assert await directory.set_suspended(writer, org.id, 1) is True
        assert await directory.set_suspended(writer, org.id, 2) is False
    assert await open_places() == ["org_0", TENANT]
    async with opened.data.write() as writer:
        assert await directory.set_suspended(writer, org.id, None) is True
        assert await directory.set_suspended(writer, org.id, None) is False
        assert await directory.set_tenant_suspended(writer, 1) is True
        assert await directory.set_tenant_suspended(writer, 2) is False
        assert await directory.tenant_suspended_at(writer) == 1
    assert await open_places() == []
    async with opened.data.write() as writer:
        assert await directory.set_tenant_suspended(writer, None) is True
        assert await directory.set_tenant_suspended(writer, None) is False
    assert await open_places() == [org.id, "org_0", TENANT]


async def test_a_refused_write_leaves_its_connection_usable(opened, conditioned, directory, org):
    async with opened.data.write() as writer:
        await directory.set_suspended(writer, org.id, 1)
    for _ in range(25):
        assert not await is_open(conditioned, org.id)
    assert await is_open(conditioned, TENANT)


async def test_a_database_without_conditions_takes_no_write_under_one(opened, org):
    with pytest.raises(RuntimeError, match="without conditions"):
        opened.data.write(within=org.id)


async def test_nobody_suspends_what_is_not_there(opened, directory):
    with pytest.raises(NotFound):
        async with opened.data.write() as writer:
            await directory.set_suspended(writer, "org_0", 1)
