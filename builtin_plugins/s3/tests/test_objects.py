"""Objects through boto3 as it comes."""

import pytest

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


async def test_what_is_put_is_got(bucket):
    put = await bucket.put_object(Key="a/b.txt", Body=b"hello", Metadata={"colour": "green"})
    got = await bucket.head_object(Key="a/b.txt")
    assert await bucket.read("a/b.txt") == b"hello"
    assert got["ContentLength"] == 5
    assert got["ETag"] == put["ETag"] == '"5d41402abc4b2a76b9719d911017c592"'
    assert got["VersionId"] == put["VersionId"]
    assert got["Metadata"] == {"colour": "green"}


@pytest.mark.every_database
async def test_a_list_shows_keys_in_order_and_rolls_them_up(bucket):
    for key in ("b", "a/2", "a/1", "c/x/y"):
        await bucket.put_object(Key=key, Body=b"")
    assert await bucket.keys() == ["a/1", "a/2", "b", "c/x/y"]
    rolled = await bucket.list_objects_v2(Delimiter="/")
    assert [one["Prefix"] for one in rolled["CommonPrefixes"]] == ["a/", "c/"]
    assert [one["Key"] for one in rolled["Contents"]] == ["b"]


async def test_a_deleted_object_is_hidden_and_its_versions_stay(bucket, refused):
    put = await bucket.put_object(Key="k", Body=b"one")
    deleted = await bucket.delete_object(Key="k")
    assert deleted["DeleteMarker"] is True
    assert await refused(bucket.get_object(Key="k")) == ("NoSuchKey", 404)
    assert await bucket.keys() == []
    assert await bucket.read("k", VersionId=put["VersionId"]) == b"one"
    listed = await bucket.list_object_versions()
    assert [one["VersionId"] for one in listed["Versions"]] == [put["VersionId"]]
    assert [one["VersionId"] for one in listed["DeleteMarkers"]] == [deleted["VersionId"]]
    await bucket.delete_object(Key="k", VersionId=deleted["VersionId"])
    assert await bucket.read("k") == b"one"


@pytest.mark.every_database
async def test_what_was_moved_over_the_api_is_at_its_new_key_alone(hall, bucket, refused):
    owner = hall.acme.owner
    for body in (b"first", b"second"):
        await bucket.put_object(Key="old/key", Body=body)
    found = (await owner.get("/api/repo", params={"prefix": "old/"})).json()["items"][0]
    before = await bucket.list_object_versions()
    moved = await owner.post(f"/api/repo-obj/{found['id']}/move", {"key": "new/key"})
    assert moved.status_code == 200, moved.text
    assert await bucket.keys() == ["new/key"]
    assert await refused(bucket.get_object(Key="old/key")) == ("NoSuchKey", 404)
    after = await bucket.list_object_versions()
    ids = [[one["VersionId"] for one in listed["Versions"]] for listed in (before, after)]
    assert ids[0] == ids[1]
    assert {one["Key"] for one in after["Versions"]} == {"new/key"}
    assert "DeleteMarkers" not in after
    old = await bucket.get_object(Key="new/key", VersionId=ids[0][1])
    assert old["Body"].read() == b"first"
