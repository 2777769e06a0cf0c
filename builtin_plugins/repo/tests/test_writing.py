"""What a write says of the object: put together from what was written, and just what a read would find."""

import pytest

from builtin_plugins.repo import finding
from builtin_plugins.repo.writing import IncomingVersion
from guildhall_sdk import Actor
from guildhall_sdk.services.stored_objects import Derivation, NewVersion

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]

ACTOR = Actor("a test")


async def one_chunk(content):
    yield content


@pytest.fixture
def put(hall, repository, principal):
    """Writes at a key of the member's team: what the write answers, and what a read finds."""

    async def put(client, key, **new):
        who, team_id = await principal(client), hall.acme.member.team_id
        staged = await repository.stage(who.org_id, team_id, one_chunk(b"bytes"))
        async with hall.server.data.write(ACTOR) as writer:
            version = NewVersion(attributes={"a": ["b"]}, **new)
            incoming = IncomingVersion(team_id=team_id, key=key, staged=staged, new=version)
            written, _ = await repository.writing.put(writer, who, incoming)
            return written, await finding.at_key(writer, who, team_id, key, hall.clock.now_ms())

    return put


@pytest.mark.every_database
async def test_a_new_object_and_further_versions_of_it(hall, repository, principal, put):
    author = hall.acme.member
    for new in ({"visibility": "private"}, {"content_type": "text/markdown", "visibility": "shared"}):
        written, found = await put(author, "a", **new)
        assert written == found
    async with hall.server.data.write(ACTOR) as writer:
        await repository.mark_deleted(writer, await principal(author), author.team_id, "a")
    written, found = await put(author, "a", filename="named")
    assert written == found
    assert (written.newest.number, written.revision, written.newest.filename) == (4, 4, "named")


async def test_one_that_somebody_has_a_grant_on(hall, upload, share, put):
    found = await upload(hall.acme.member, "a", visibility="private")
    guest = hall.acme.second_team.member
    await share(hall.acme.member, found, "edit", user=guest)
    written, found = await put(guest, "a")
    assert written == found and written.grants


async def test_one_that_is_derived_has_the_owner_and_the_grants_of_its_source(hall, upload, share, put):
    source = await upload(hall.acme.owner, "a", visibility="shared")
    await share(hall.acme.owner, source, "edit", user=hall.acme.member)
    written, found = await put(hall.acme.member, "made", derived_from=Derivation(source["id"], 1))
    assert written == found
    assert written.grants and written.owner_id == hall.acme.owner.user_id
