"""Deleting a key that never was leaves a delete marker, as S3 does, and nothing else."""

import asyncio

import pytest

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


@pytest.fixture
def markers():
    """`await markers(bucket)`: every delete marker, as its key, its id and whether it is the newest."""

    async def markers(bucket):
        listed = await bucket.list_object_versions()
        found = listed.get("DeleteMarkers", [])
        return [(one["Key"], one["VersionId"], one["IsLatest"]) for one in found]

    return markers


@pytest.fixture
def used(hall):
    async def used():
        items = (await hall.acme.owner.get("/api/usage")).json()["items"]
        return [item["used"] for item in items if item["dimension"] == "storage.bytes"]

    return used


async def test_a_key_that_never_was_is_marked_as_deleted(bucket, markers, refused):
    first = await bucket.delete_object(Key="never/was")
    assert (first["ResponseMetadata"]["HTTPStatusCode"], first["DeleteMarker"]) == (204, True)
    assert await markers(bucket) == [("never/was", first["VersionId"], True)]
    second = await bucket.delete_object(Key="never/was")
    assert await markers(bucket) == [
        ("never/was", second["VersionId"], True),
        ("never/was", first["VersionId"], False),
    ]
    assert await bucket.keys() == []
    with pytest.raises(bucket.client.exceptions.ClientError) as caught:
        await bucket.get_object(Key="never/was")
    headers = caught.value.response["ResponseMetadata"]["HTTPHeaders"]
    assert headers["x-amz-delete-marker"] == "true"
    assert headers["x-amz-version-id"] == second["VersionId"]
    call = bucket.get_object(Key="never/was", VersionId=first["VersionId"])
    assert await refused(call) == ("MethodNotAllowed", 405)


@pytest.mark.every_database
async def test_many_at_once_are_marked_alike(bucket, markers):
    await bucket.put_object(Key="was", Body=b"x")
    named = {"Objects": [{"Key": "never"}, {"Key": "was"}, {"Key": "never too", "VersionId": "none"}]}
    deleted = (await bucket.delete_objects(Delete=named))["Deleted"]
    assert [(one["Key"], one.get("DeleteMarker")) for one in deleted] == [
        ("never", True),
        ("was", True),
        ("never too", None),
    ]
    told = {(one["Key"], one["DeleteMarkerVersionId"], True) for one in deleted if "DeleteMarker" in one}
    assert set(await markers(bucket)) == told


async def test_a_marker_that_is_deleted_leaves_nothing(bucket, markers):
    marker = await bucket.delete_object(Key="k")
    gone = await bucket.delete_object(Key="k", VersionId=marker["VersionId"])
    assert (gone["DeleteMarker"], gone["VersionId"]) == (True, marker["VersionId"])
    assert await markers(bucket) == []


async def test_a_condition_on_what_never_was_marks_nothing(bucket, markers):
    for condition in ("*", '"other"'):
        for _ in range(2):
            assert "VersionId" not in await bucket.delete_object(Key="k", IfMatch=condition)
    named = {"Objects": [{"Key": "k", "ETag": "other"}]}
    assert "DeleteMarker" not in (await bucket.delete_objects(Delete=named))["Deleted"][0]
    assert await markers(bucket) == []


async def test_what_never_had_content_is_nowhere_but_among_the_versions(hall, bucket, used):
    owner, before = hall.acme.owner, await used()
    await bucket.delete_object(Key="unmistakable.md")
    assert await used() == before
    assert (await owner.get("/api/repo")).json()["items"] == []
    assert (await owner.get("/api/documents")).json()["items"] == []
    assert (await owner.get("/api/search", params={"q": "unmistakable"})).json()["items"] == []
    events = (await owner.get("/api/audit")).json()["items"]
    (event,) = [event for event in events if event["action"] == "object.marked_deleted"]
    object_id = event["target"]["id"]
    assert (await owner.get(f"/api/repo-obj/{object_id}")).status_code == 404
    assert (await owner.delete(f"/api/repo-obj/{object_id}")).status_code == 204
    assert "DeleteMarkers" not in await bucket.list_object_versions()


async def test_what_is_written_above_markers_is_the_writers_own(hall, bucket, open_bucket, markers):
    """Whoever only deleted what never was holds nothing there."""
    marker = await (await open_bucket(hall.acme.member)).delete_object(Key="k.txt")
    written = await hall.acme.colleague.put(
        "/api/repo/k.txt", content=b"mine", params={"visibility": "private"}
    )
    assert written.status_code == 201, written.text
    found = written.json()
    assert found["owner"]["id"] == hall.acme.colleague.user_id
    assert len(found["versions"]) == 1
    assert (await hall.acme.member.get(f"/api/repo-obj/{found['id']}")).status_code == 404
    theirs = await open_bucket(hall.acme.colleague)
    assert await markers(theirs) == [("k.txt", marker["VersionId"], False)]
    assert await markers(bucket) == []
    events = (await hall.acme.owner.get("/api/audit")).json()["items"]
    assert "object.created" in {event["action"] for event in events if event["target"]["id"] == found["id"]}


async def test_a_marker_gives_no_right_to_write(hall, open_bucket, refused, markers):
    admin = await hall.join(hall.acme, "admin")
    theirs = await open_bucket(admin)
    await theirs.delete_object(Key="later")
    changed = await hall.acme.owner.patch(f"/api/members/{admin.user_id}", {"role": "viewer"})
    assert changed.status_code == 200, changed.text
    assert await refused(theirs.put_object(Key="later", Body=b"x")) == ("AccessDenied", 403)
    call = theirs.create_multipart_upload(Key="later")
    assert await refused(call) == ("AccessDenied", 403)
    assert await refused(theirs.delete_object(Key="later")) == ("AccessDenied", 403)
    events = (await hall.acme.owner.get("/api/audit")).json()["items"]
    (marked,) = [event["target"]["id"] for event in events if event["action"] == "object.marked_deleted"]
    assert (await admin.delete(f"/api/repo-obj/{marked}")).status_code == 403
    assert len(await markers(theirs)) == 1
    assert (await hall.globex.owner.delete(f"/api/repo-obj/{marked}")).status_code == 404
    assert (await hall.acme.member.delete(f"/api/repo-obj/{marked}")).status_code == 204


async def test_who_may_not_delete_marks_nothing(hall, bucket, open_bucket, refused, markers):
    denied = ("AccessDenied", 403)
    viewer = await open_bucket(await hall.join(hall.acme, "viewer"))
    reading = await open_bucket(hall.acme.owner, permissions=["files:read", "files:write"])
    narrow = await open_bucket(hall.acme.owner, prefix="inbox/")
    elsewhere = await open_bucket(hall.globex.owner)
    for other in (viewer, reading, narrow):
        assert await refused(other.delete_object(Key="k")) == denied
        answer = await other.delete_objects(Delete={"Objects": [{"Key": "k"}]})
        assert [one["Code"] for one in answer["Errors"]] == ["AccessDenied"]
    assert await refused(elsewhere.delete_object(Bucket=bucket.name, Key="k")) == denied
    assert await markers(bucket) == []


async def test_a_key_that_is_held_privately_is_not_marked(hall, bucket, open_bucket, refused, markers):
    private = {"visibility": "private"}
    assert (await hall.acme.member.put("/api/repo/k", content=b"x", params=private)).status_code == 201
    assert await refused(bucket.delete_object(Key="k")) == ("AccessDenied", 403)
    theirs = await open_bucket(hall.acme.member)
    version = (await theirs.list_object_versions())["Versions"][0]["VersionId"]
    await theirs.delete_object(Key="k")
    await theirs.delete_object(Key="k", VersionId=version)
    # Only a marker is left, and it is as private as what it hides.
    assert await refused(bucket.put_object(Key="k", Body=b"mine")) == ("AccessDenied", 403)
    assert await markers(bucket) == []
    await theirs.put_object(Key="k", Body=b"back")


@pytest.mark.every_database
async def test_racing_deletes_and_writes_of_a_new_key_all_stand(bucket):
    writes = [bucket.put_object(Key="k", Body=b"x") for _ in range(6)]
    deletes = [bucket.delete_object(Key="k") for _ in range(6)]
    calls = [call for pair in zip(deletes, writes, strict=True) for call in pair]
    answers = await asyncio.gather(*calls)
    listed = await bucket.list_object_versions()
    made = {one["VersionId"] for one in (*listed["Versions"], *listed["DeleteMarkers"])}
    assert made == {answer["VersionId"] for answer in answers}
    assert sum(one["IsLatest"] for one in (*listed["Versions"], *listed["DeleteMarkers"])) == 1


async def test_what_was_granted_on_the_old_content_is_not_granted_on_the_new(hall, open_bucket):
    author, other = hall.acme.member, await hall.join(hall.acme, "viewer")
    found = (await author.put("/api/repo/k", content=b"old")).json()
    shared = await author.post(f"/api/repo-obj/{found['id']}/share", {"user_id": other.user_id})
    assert shared.status_code == 200, shared.text
    theirs = await open_bucket(author)
    version = (await theirs.list_object_versions())["Versions"][0]["VersionId"]
    await theirs.delete_object(Key="k")
    await theirs.delete_object(Key="k", VersionId=version)
    written = await hall.acme.colleague.put("/api/repo/k", content=b"new", params={"visibility": "shared"})
    assert written.status_code == 201, written.text
    for reader, status in ((hall.acme.colleague, 200), (author, 404), (other, 404)):
        assert (await reader.get(f"/api/repo-obj/{found['id']}")).status_code == status
