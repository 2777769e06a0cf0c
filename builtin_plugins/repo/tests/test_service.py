"""The repository as other plugins use it: delete markers, versions by id, copies, walks along a bucket."""

import pytest

from builtin_plugins.repo import provenance
from builtin_plugins.repo.listing import past_prefix
from guildhall_sdk import Actor, Conflict, NotFound, PermissionDenied, UserError
from guildhall_sdk.errors import PaymentRequired
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.stored_objects import Derivation, NewVersion, just_after

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]

ACTOR = Actor("a test")


async def one_chunk(content):
    yield content


class Bucket:
    """One team's bucket in the hands of one caller."""

    def __init__(self, hall, repository, who, team_id=None):
        self.repository, self.who, self.data = repository, who, hall.server.data
        self.team_id = team_id or who.team_id

    async def write(self, key, content=b"bytes", precondition=None, **new):
        return await self.repository.write(
            self.who, ACTOR, self.team_id, key, one_chunk(content), NewVersion(**new), precondition
        )

    async def mark(self, key, precondition=None):
        async with self.data.write(ACTOR, within=self.who.org_id) as writer:
            return await self.repository.mark_deleted(writer, self.who, self.team_id, key, precondition)

    async def delete(self, key, version_id):
        async with self.data.write(ACTOR) as writer:
            return await self.repository.delete_version(writer, self.who, self.team_id, key, version_id)

    async def copy(self, source, key, **new):
        async with self.data.write(ACTOR) as writer:
            return await self.repository.copy(writer, self.who, source, self.team_id, key, NewVersion(**new))

    async def at(self, key, version_id=None):
        async with self.data.read() as reader:
            return await self.repository.at_key(reader, self.who, self.team_id, key, version_id)

    async def keys(self, **walk):
        async with self.data.read() as reader:
            return [v.key for v in await self.repository.keys(reader, self.who, self.team_id, **walk)]

    async def versions(self, **walk):
        async with self.data.read() as reader:
            return await self.repository.versions(reader, self.who, self.team_id, **walk)

    async def bytes_of(self, version, *part):
        return b"".join([chunk async for chunk in self.repository.open(version, *part)])


@pytest.fixture
def bucket(hall, repository, principal):
    async def bucket(client, team_id=None):
        return Bucket(hall, repository, await principal(client), team_id)

    return bucket


async def test_a_version_is_read_by_key_by_its_id_and_in_part(hall, bucket):
    mine = await bucket(hall.acme.member)
    first, second = await mine.write("a", b"one"), await mine.write("a", b"second")
    assert (await mine.at("a")).id == second.id
    assert (await mine.at("a", first.id)).number == 1
    assert await mine.bytes_of(first) == b"one"
    assert await mine.bytes_of(second, 1, 3) == b"ec"
    other = await mine.write("b")
    for version_id in (other.id, "ver_nonsense"):
        with pytest.raises(NotFound):
            await mine.at("a", version_id)


async def test_a_delete_marker_hides_the_object_and_keeps_its_versions(hall, bucket, listed, content):
    mine, author = await bucket(hall.acme.member), hall.acme.member
    first = await mine.write("a", b"one")
    marker = await mine.mark("a")
    assert (marker.marker, marker.number, marker.latest, marker.size) == (True, 2, True, 0)
    assert (await mine.at("a")).marker
    assert await mine.bytes_of(await mine.at("a", first.id)) == b"one"
    assert await mine.keys() == await listed(author) == []
    found = {"id": first.object_id}
    for path in ("", "/content", "/grants", "/diff", "/derivations"):
        assert (await author.get(f"/api/repo-obj/{found['id']}{path}")).status_code == 404
    again = await mine.mark("a")
    assert again.number == 3
    third = await mine.write("a", b"back")
    assert (third.object_id, third.number) == (first.object_id, 4)
    assert await content(author, found) == b"back"
    shown = (await author.get(f"/api/repo-obj/{found['id']}")).json()
    assert [version["version"] for version in shown["versions"]] == [4, 1]
    assert await content(author, found, version=2) == 404


@pytest.mark.every_database
async def test_what_was_deleted_many_times_is_brought_back_at_once(hall, bucket):
    mine = await bucket(hall.acme.member)
    first = await mine.write("a", b"one")
    for _ in range(4):
        await mine.mark("a")
    restored = await hall.acme.member.post(f"/api/repo-obj/{first.object_id}/restore", {})
    assert (restored.status_code, restored.json()["version"]) == (200, 1)
    trail = await hall.acme.owner.get("/api/audit?action=object.version_deleted")
    assert len(trail.json()["items"]) == 1  # however many markers there were


async def test_deleting_a_marker_brings_the_object_back(hall, bucket, listed, content):
    mine = await bucket(hall.acme.member)
    first = await mine.write("a", b"one")
    marker = await mine.mark("a")
    assert (await mine.delete("a", marker.id)).marker
    assert (await mine.at("a")).id == first.id
    assert await listed(hall.acme.member) == ["a"]
    assert await content(hall.acme.member, {"id": first.object_id}) == b"one"


async def test_deleting_versions_for_good_ends_with_the_object(hall, bucket, kept, used_bytes):
    mine = await bucket(hall.acme.member)
    first, second = await mine.write("a", b"one"), await mine.write("a", b"second")
    assert (await mine.delete("a", second.id)).id == second.id
    assert (await mine.at("a")).id == first.id
    assert await kept(hall.acme) == {first.sha256}
    assert await used_bytes(hall.acme.member) == 3
    assert await mine.delete("a", second.id) is None
    third = await mine.write("a", b"3")
    assert third.number == 3
    for version in (first, third):
        await mine.delete("a", version.id)
    assert await kept(hall.acme) == set()
    assert await used_bytes(hall.acme.member) == 0
    with pytest.raises(NotFound):
        await mine.at("a")
    assert (await mine.write("a")).object_id != first.object_id


async def test_an_object_below_a_marker_can_still_be_deleted_by_its_id(hall, bucket, kept):
    mine = await bucket(hall.acme.member)
    first = await mine.write("a", b"one")
    await mine.mark("a")
    assert (await hall.acme.member.delete(f"/api/repo-obj/{first.object_id}")).status_code == 204
    assert await kept(hall.acme) == set()


async def test_a_copy_moves_no_bytes_and_takes_its_own_face(hall, bucket, kept, used_bytes):
    mine = await bucket(hall.acme.member)
    source = await mine.write("a.txt", b"one", attributes={"colour": "red"})
    copied = await mine.copy(source, "b.bin", content_type="text/x-copy", attributes={"colour": "blue"})
    assert (copied.sha256, copied.etag, copied.size) == (source.sha256, source.etag, 3)
    assert (copied.content_type, copied.attributes) == ("text/x-copy", {"colour": "blue"})
    assert (await mine.at("a.txt")).attributes == {"colour": "red"}
    assert await kept(hall.acme) == {source.sha256}
    assert await used_bytes(hall.acme.member) == 6
    again = await mine.copy(source, "a.txt", attributes={"colour": "green"})
    assert (again.object_id, again.number) == (source.object_id, 2)
    await mine.delete("a.txt", source.id)
    assert await mine.bytes_of(again) == b"one"


async def test_attributes_change_in_place(hall, bucket, repository):
    mine = await bucket(hall.acme.member)
    version = await mine.write("a", attributes={"tags": {}})
    async with mine.data.write(ACTOR) as writer:
        await repository.set_attributes(writer, mine.who, version, {"tags": {"x": "é"}})
    changed = await mine.at("a")
    assert (changed.id, changed.attributes) == (version.id, {"tags": {"x": "é"}})
    theirs = await bucket(hall.acme.viewer)
    with pytest.raises(PermissionDenied):
        async with mine.data.write(ACTOR) as writer:
            await repository.set_attributes(writer, theirs.who, version, {})


async def test_a_precondition_is_asked_of_what_is_there_inside_the_write(hall, bucket):
    mine = await bucket(hall.acme.member)
    seen = []

    def refuse(found):
        seen.append(found)
        raise UserError("no")

    for act in (lambda: mine.write("a", precondition=refuse), lambda: mine.mark("a", refuse)):
        with pytest.raises(UserError):
            await act()
    version = await mine.write("a")
    with pytest.raises(UserError):
        await mine.write("a", precondition=refuse)
    await mine.mark("a")
    with pytest.raises(UserError):
        await mine.write("a", precondition=refuse)
    assert [found and found.id for found in seen] == [None, None, version.id, None]
    assert (await mine.at("a")).number == 2


async def test_rights_are_the_same_as_over_http(hall, bucket, share):
    mine, theirs = await bucket(hall.acme.member), await bucket(hall.acme.colleague)
    version = await mine.write("a", visibility="private")
    with pytest.raises(PermissionDenied):
        await theirs.at("a")
    with pytest.raises(Conflict) as taken:
        await theirs.write("a")
    assert taken.value.code == "key_taken"
    with pytest.raises(PermissionDenied):
        await theirs.mark("a")
    assert await theirs.keys() == []
    assert await theirs.versions() == []
    await share(hall.acme.member, {"id": version.object_id}, "edit", user=hall.acme.colleague)
    assert (await theirs.at("a")).id == version.id
    assert (await theirs.write("a")).number == 2
    assert await theirs.keys() == ["a"]
    with pytest.raises(PermissionDenied):
        await theirs.mark("a")


async def test_another_teams_bucket_shows_what_was_granted_and_takes_nothing_new(hall, bucket, share):
    mine = await bucket(hall.acme.member)
    foreign = await bucket(hall.acme.second_team.owner, hall.acme.team_id)
    await mine.write("a")
    given = await mine.write("b")
    await share(hall.acme.member, {"id": given.object_id}, "edit", team=hall.acme.second_team.id)
    assert await foreign.keys() == ["b"]
    assert (await foreign.write("b")).number == 2
    with pytest.raises(PermissionDenied):
        await foreign.write("c")
    other_company = await bucket(hall.globex.owner, hall.acme.team_id)
    assert await other_company.keys() == []
    with pytest.raises(NotFound):
        await other_company.at("a")


async def test_a_suspended_company_is_not_written_to(hall, bucket, kept):
    mine = await bucket(hall.acme.member)
    await mine.write("a", b"one")
    before = await kept(hall.acme)
    await hall.suspend(hall.acme)
    with pytest.raises(PaymentRequired):
        await mine.write("a", b"two")
    with pytest.raises(PaymentRequired):
        await mine.mark("a")
    assert await kept(hall.acme) == before


async def test_a_walk_goes_on_from_a_key_and_past_a_prefix(hall, bucket):
    mine = await bucket(hall.acme.member)
    for key in ("a/1", "a/2", "b", "c/1", "c/2"):
        await mine.write(key)
    assert await mine.keys(limit=2) == ["a/1", "a/2"]
    assert await mine.keys(start=just_after("a/2"), limit=2) == ["b", "c/1"]
    assert await mine.keys(start=past_prefix("a/")) == ["b", "c/1", "c/2"]
    assert await mine.keys(prefix="c/", start="c/2") == ["c/2"]
    assert await mine.keys(prefix="c/", start=past_prefix("c/")) == []


async def test_versions_come_by_key_and_then_newest_first(hall, bucket):
    mine = await bucket(hall.acme.member)
    for key, times in (("a", 3), ("b", 2), ("c", 1)):
        for _ in range(times):
            await mine.write(key)
    await mine.mark("b")
    whole = await mine.versions()
    expected = [("a", 3), ("a", 2), ("a", 1), ("b", 3), ("b", 2), ("b", 1), ("c", 1)]
    assert [(one.key, one.number) for one in whole] == expected
    assert [one.latest for one in whole] == [True, False, False, True, False, False, True]
    assert [one.marker for one in whole] == [False, False, False, True, False, False, False]
    for limit in (1, 2, 3, 7):
        found, start, after = [], "", None
        while page := await mine.versions(start=start, after_version=after, limit=limit):
            found += [(one.key, one.number) for one in page]
            start, after = page[-1].key, page[-1].id
        assert found == expected
    await mine.delete("a", whole[1].id)
    rest = await mine.versions(start="a", after_version=whole[1].id, limit=2)
    assert [(one.key, one.number) for one in rest] == [("a", 1), ("b", 3)]


async def test_what_is_derived_is_for_whom_its_source_is(hall, bucket, share, repository):
    mine = await bucket(hall.acme.member)
    source = await mine.write("a", visibility="private")
    await share(hall.acme.member, {"id": source.object_id}, "manage", user=hall.acme.colleague)
    theirs = await bucket(hall.acme.colleague)
    made = Derivation(source.object_id, 1, "run_1", "translate")
    derived = await theirs.write("a.nl", derived_from=made)
    async with mine.data.read() as reader:
        found = await repository.get(reader, mine.who, derived.object_id)
    assert (found.owner_id, found.visibility) == (hall.acme.member.user_id, "shared")
    assert (await theirs.at("a.nl")).id == derived.id
    with pytest.raises(PermissionDenied):
        await (await bucket(hall.acme.owner)).at("a.nl")
    author = hall.acme.member
    entry = {"key": "a", "version": 1, "run_id": "run_1", "step": "translate"}
    answer = (await author.get(f"/api/repo-obj/{derived.object_id}/derivations")).json()
    assert answer == {"sources": [{"object_id": source.object_id, **entry}], "derived": []}
    answer = (await author.get(f"/api/repo-obj/{source.object_id}/processing")).json()
    entry = {**entry, "key": "a.nl"}
    assert answer == {
        "sources": [],
        "derived": [{"object_id": derived.object_id, **entry}],
        "runs": [],
    }


async def test_provenance_tells_nothing_of_what_the_caller_cannot_read(hall, bucket, repository):
    mine = await bucket(hall.acme.member)
    source = await mine.write("secret", visibility="private")
    derived = await mine.write("open")
    async with mine.data.write(ACTOR) as writer:
        now = hall.clock.now_ms()
        await provenance.record(writer, mine.who, derived, Derivation(source.object_id, 1), now)
    answer = (await hall.acme.owner.get(f"/api/repo-obj/{derived.object_id}/derivations")).json()
    assert answer == {"sources": [], "derived": []}
    theirs = await bucket(hall.acme.colleague)
    with pytest.raises(NotFound):
        await theirs.write("mine", derived_from=Derivation(source.object_id, 1))


async def test_a_write_says_what_it_was_made_from_and_one_that_is_refused_says_nothing(hall, bucket):
    mine = await bucket(hall.acme.member)
    first = await mine.write("a")
    await mine.write("a", fires_triggers=False)
    await mine.write("b", derived_from=Derivation(first.object_id, 1))
    with pytest.raises(UserError):
        async with mine.data.write(ACTOR) as writer:
            await hall.server.service(Repository).mark_deleted(writer, mine.who, mine.who.team_id, "a")
            raise UserError("no")
    written = [event.payload for event in hall.events.recorded("object.written")]
    assert [(one.number, one.derived, one.fires_triggers) for one in written] == [
        (1, False, True),
        (2, False, False),
        (1, True, True),
    ]
    assert hall.events.recorded("object.deleted") == []
    assert await mine.keys() == ["a", "b"]
