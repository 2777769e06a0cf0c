"""What is published of objects, whichever way they come and go."""

import pytest

from guildhall_sdk.subscriptions import ObjectDeleted

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


def payloads(hall, name):
    return [event.payload for event in hall.events.recorded(name)]


async def test_every_way_to_write_an_object_is_published(hall, bucket, forms):
    put = (await hall.acme.owner.put("/api/repo/a.txt", content=b"one")).json()
    await bucket.put_object(Key="a.txt", Body=b"twofold")
    await bucket.copy_object(Key="b.txt", CopySource=f"{bucket.name}/a.txt")
    upload = (await bucket.create_multipart_upload(Key="c.bin"))["UploadId"]
    part = await bucket.upload_part(Key="c.bin", UploadId=upload, PartNumber=1, Body=b"three")
    parts = {"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]}
    await bucket.complete_multipart_upload(Key="c.bin", UploadId=upload, MultipartUpload=parts)
    await forms.send(forms.signed("d.txt"), b"four")
    written = payloads(hall, "object.written")
    assert [(one.number, one.size, one.created) for one in written] == [
        (1, 3, True),
        (2, 7, False),
        (1, 7, True),
        (1, 5, True),
        (1, 4, True),
    ]
    assert written[0].object_id == put["id"] == written[1].object_id
    assert all(one.fires_triggers and not one.derived for one in written)


async def test_every_way_to_delete_an_object_is_published(hall, bucket):
    ids = {}
    for key in "abcd":
        ids[key] = (await hall.acme.owner.put(f"/api/repo/{key}", content=b"one")).json()["id"]
    marker = (await bucket.delete_object(Key="a"))["VersionId"]
    await bucket.delete_object(Key="a", VersionId=marker)
    await bucket.delete_objects(Delete={"Objects": [{"Key": "b"}, {"Key": "c"}]})
    only = (await bucket.list_object_versions(Prefix="d"))["Versions"][0]["VersionId"]
    await bucket.delete_object(Key="d", VersionId=only)
    await hall.acme.owner.delete(f"/api/repo-obj/{ids['a']}")
    deleted = payloads(hall, "object.deleted")
    assert [(one.object_id, one.deleted) for one in deleted] == [
        (ids["a"], "marker"),
        (ids["a"], "version"),
        (ids["b"], "marker"),
        (ids["c"], "marker"),
        (ids["d"], "object"),
        (ids["a"], "object"),
    ]
    assert deleted[0].version_id == deleted[1].version_id == marker
    assert deleted[-1] == ObjectDeleted(object_id=ids["a"], version_id=None, deleted="object")


async def test_a_key_that_may_start_nothing_says_so_in_the_event(hall, open_bucket):
    bucket = await open_bucket(hall.acme.member, permissions=["files:read", "files:write"])
    await bucket.put_object(Key="a.txt", Body=b"two")
    (event,) = hall.events.recorded("object.written")
    assert not event.payload.fires_triggers
    assert event.origin.scope == {"files:read", "files:write"}
