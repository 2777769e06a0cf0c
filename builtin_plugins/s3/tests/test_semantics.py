"""What S3 says of objects beyond their bytes: conditions, ranges, copies, tags, versions, lists."""

import asyncio

import httpx
import pytest

from guildhall_sdk.dimensions import Quotas

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


@pytest.mark.every_database
async def test_twenty_racing_puts_make_twenty_versions(bucket):
    await asyncio.gather(*(bucket.put_object(Key="k", Body=str(number).encode()) for number in range(20)))
    listed = (await bucket.list_object_versions())["Versions"]
    assert len(listed) == 20
    bodies = [await bucket.read("k", VersionId=one["VersionId"]) for one in listed]
    assert sorted(bodies) == sorted(str(number).encode() for number in range(20))
    assert [one["IsLatest"] for one in listed] == [True] + [False] * 19
    assert await bucket.read("k") == bodies[0]


@pytest.mark.every_database
async def test_of_many_that_must_be_first_one_is(bucket, refused):
    calls = [bucket.put_object(Key="k", Body=b"x", IfNoneMatch="*") for _ in range(10)]
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert sum(isinstance(result, dict) for result in results) == 1
    await bucket.delete_object(Key="k")
    await bucket.put_object(Key="k", Body=b"again", IfNoneMatch="*")


async def test_a_put_can_need_what_was_read(bucket, refused):
    first = await bucket.put_object(Key="k", Body=b"one")
    await bucket.put_object(Key="k", Body=b"two", IfMatch=first["ETag"])
    call = bucket.put_object(Key="k", Body=b"three", IfMatch=first["ETag"])
    assert await refused(call) == ("PreconditionFailed", 412)
    assert await refused(bucket.put_object(Key="none", Body=b"", IfMatch="*")) == ("NoSuchKey", 404)
    assert await bucket.read("k") == b"two"


async def test_reads_take_conditions(bucket, refused):
    put = await bucket.put_object(Key="k", Body=b"one")
    assert await bucket.read("k", IfMatch=put["ETag"]) == b"one"
    assert await refused(bucket.get_object(Key="k", IfMatch='"other"')) == ("PreconditionFailed", 412)
    assert (await refused(bucket.get_object(Key="k", IfNoneMatch=put["ETag"])))[1] == 304
    assert (await refused(bucket.head_object(Key="k", IfNoneMatch=put["ETag"])))[1] == 304


async def test_a_download_is_resumed_only_of_what_it_began_with(http, signed, bucket):
    first = (await bucket.put_object(Key="k", Body=b"0123456789"))["ETag"]
    second = (await bucket.put_object(Key="k", Body=b"abcdefghij"))["ETag"]
    modified = (await bucket.head_object(Key="k"))["ResponseMetadata"]["HTTPHeaders"]["last-modified"]

    async def resumed(method="GET", wanted="bytes=5-", **conditions):
        url, headers = signed(method, "/k", Range=wanted, **conditions)
        response = await http.request(method, url, headers=headers)
        return response.status_code, response.content

    assert await resumed(**{"If-Range": second}) == (206, b"fghij")
    assert await resumed(**{"If-Range": second.strip('"')}) == (206, b"fghij")
    # Neither a weak tag nor a second proves that it is the same.
    for other in (first, f"W/{second}", modified, '""', "", "*", f"{second}, {first}"):
        assert await resumed(**{"If-Range": other}) == (200, b"abcdefghij"), other
    assert await resumed("HEAD", **{"If-Range": first}) == (200, b"")
    assert await resumed(wanted="bytes=99-", **{"If-Range": first}) == (200, b"abcdefghij")
    assert (await resumed(**{"If-Range": first, "If-Match": first}))[0] == 412


async def test_a_delete_can_need_what_was_read(bucket, refused):
    put = await bucket.put_object(Key="k", Body=b"one")
    assert await refused(bucket.delete_object(Key="k", IfMatch='"other"')) == ("PreconditionFailed", 412)
    await bucket.delete_object(Key="k", IfMatch=put["ETag"])
    assert await bucket.keys() == []
    assert await refused(bucket.delete_object(Key="k", IfMatch=put["ETag"])) == ("PreconditionFailed", 412)
    await bucket.delete_object(Key="none", IfMatch='"other"')


@pytest.mark.parametrize(
    ("wanted", "got", "told"),
    [
        ("bytes=2-4", b"234", "bytes 2-4/10"),
        ("bytes=7-", b"789", "bytes 7-9/10"),
        ("bytes=7-9999999999999999999", b"789", "bytes 7-9/10"),
        ("bytes=-3", b"789", "bytes 7-9/10"),
        ("bytes=5-100", b"56789", "bytes 5-9/10"),
    ],
)
async def test_a_range_is_answered_as_one(bucket, wanted, got, told):
    await bucket.put_object(Key="k", Body=b"0123456789")
    answer = await bucket.get_object(Key="k", Range=wanted)
    assert (answer["Body"].read(), answer["ContentRange"]) == (got, told)
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 206


async def test_a_range_behind_the_end_is_refused(bucket, refused):
    await bucket.put_object(Key="k", Body=b"0123456789")
    assert await refused(bucket.get_object(Key="k", Range="bytes=10-")) == ("InvalidRange", 416)


async def test_what_is_said_with_an_object_comes_back(bucket):
    said = {
        "ContentType": "text/css",
        "CacheControl": "max-age=60",
        "ContentDisposition": 'attachment; filename="a.css"',
        "ContentEncoding": "gzip",
        "ContentLanguage": "de",
        "Metadata": {"key": "value"},
    }
    await bucket.put_object(Key="k", Body=b"x", Expires="Wed, 21 Oct 2026 07:28:00 GMT", **said)
    head = await bucket.head_object(Key="k")
    assert {name: head[name] for name in said} == said
    assert head["ExpiresString"] == "Wed, 21 Oct 2026 07:28:00 GMT"
    answer = await bucket.get_object(
        Key="k", ResponseContentType="text/plain", ResponseCacheControl="no-store"
    )
    assert (answer["ContentType"], answer["CacheControl"]) == ("text/plain", "no-store")


async def test_metadata_come_back_byte_for_byte(bucket):
    def add(params, **_):
        params["headers"]["x-amz-meta-word"] = "Gr\xfc\xdfe"

    bucket.client.meta.events.register("before-call.s3.PutObject", add)
    await bucket.put_object(Key="k", Body=b"x")
    (found,) = (await bucket.head_object(Key="k"))["Metadata"].values()
    assert found.encode("latin-1") == "Gr\xfc\xdfe".encode()


async def test_metadata_have_a_limit(bucket, refused):
    call = bucket.put_object(Key="k", Body=b"", Metadata={"a": "x" * 2100})
    assert await refused(call) == ("MetadataTooLarge", 400)
    assert await bucket.keys() == []


@pytest.mark.parametrize("algorithm", ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"])
async def test_a_checksum_is_verified_kept_and_shown(bucket, algorithm):
    name = f"Checksum{algorithm}"
    put = await bucket.put_object(Key="k", Body=b"hello", ChecksumAlgorithm=algorithm)
    head = await bucket.head_object(Key="k", ChecksumMode="ENABLED")
    assert head[name] == put[name]
    assert name not in await bucket.head_object(Key="k")
    told = await bucket.get_object_attributes(
        Key="k", ObjectAttributes=["ETag", "Checksum", "ObjectSize", "StorageClass", "ObjectParts"]
    )
    assert (told["Checksum"][name], told["ObjectSize"]) == (put[name], 5)
    assert told["ETag"] == put["ETag"].strip('"')
    assert "ObjectParts" not in told


async def test_a_copy_takes_over_or_replaces_what_is_said(bucket, refused):
    await bucket.put_object(Key="a", Body=b"x", ContentType="text/css", Metadata={"a": "1"}, Tagging="t=1")
    source = {"Bucket": bucket.name, "Key": "a"}
    await bucket.copy_object(Key="b", CopySource=source)
    head = await bucket.head_object(Key="b")
    assert (head["ContentType"], head["Metadata"], head["TagCount"]) == ("text/css", {"a": "1"}, 1)
    await bucket.copy_object(
        Key="c",
        CopySource=source,
        MetadataDirective="REPLACE",
        ContentType="text/plain",
        Metadata={"b": "2"},
        TaggingDirective="REPLACE",
        Tagging="",
    )
    head = await bucket.head_object(Key="c")
    assert (head["ContentType"], head["Metadata"]) == ("text/plain", {"b": "2"})
    assert "TagCount" not in head
    assert await refused(bucket.copy_object(Key="a", CopySource=source)) == ("InvalidRequest", 400)
    call = bucket.copy_object(Key="d", CopySource=source, CopySourceIfMatch='"other"')
    assert await refused(call) == ("PreconditionFailed", 412)
    none = {"Bucket": bucket.name, "Key": "none"}
    assert await refused(bucket.copy_object(Key="d", CopySource=none)) == ("NoSuchKey", 404)


async def test_an_old_version_can_be_copied(bucket):
    first = await bucket.put_object(Key="a", Body=b"old")
    await bucket.put_object(Key="a", Body=b"new")
    source = {"Bucket": bucket.name, "Key": "a", "VersionId": first["VersionId"]}
    copied = await bucket.copy_object(Key="a", CopySource=source)
    assert copied["CopySourceVersionId"] == first["VersionId"]
    assert await bucket.read("a") == b"old"


async def test_tags_are_set_read_and_removed(bucket, refused):
    await bucket.put_object(Key="k", Body=b"x", Tagging="a=1&b=two%20words", Metadata={"m": "1"})
    tags = (await bucket.get_object_tagging(Key="k"))["TagSet"]
    assert tags == [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "two words"}]
    await bucket.put_object_tagging(Key="k", Tagging={"TagSet": [{"Key": "c", "Value": "3"}]})
    assert (await bucket.get_object_tagging(Key="k"))["TagSet"] == [{"Key": "c", "Value": "3"}]
    await bucket.delete_object_tagging(Key="k")
    assert (await bucket.get_object_tagging(Key="k"))["TagSet"] == []
    assert (await bucket.head_object(Key="k"))["Metadata"] == {"m": "1"}
    many = {"TagSet": [{"Key": str(number), "Value": ""} for number in range(11)]}
    assert await refused(bucket.put_object_tagging(Key="k", Tagging=many)) == ("InvalidTag", 400)


@pytest.mark.every_database
async def test_many_are_deleted_at_once_and_each_has_its_answer(bucket):
    kept = [await bucket.put_object(Key=f"k{number}", Body=b"x") for number in range(4)]
    order = [
        {"Key": "k0"},
        {"Key": "k1", "VersionId": kept[1]["VersionId"]},
        {"Key": "none"},
        {"Key": "k2", "ETag": '"other"'},
    ]
    done = await bucket.delete_objects(Delete={"Objects": order})
    assert [one["Key"] for one in done["Deleted"]] == ["k0", "k1", "none"]
    assert done["Deleted"][0]["DeleteMarker"] is True
    assert [(one["Key"], one["Code"]) for one in done["Errors"]] == [("k2", "PreconditionFailed")]
    assert await bucket.keys() == ["k2", "k3"]
    quiet = await bucket.delete_objects(Delete={"Objects": [{"Key": "k3"}], "Quiet": True})
    assert "Deleted" not in quiet
    assert await bucket.keys() == ["k2"]


async def test_a_delete_marker_says_what_it_is(bucket, refused):
    await bucket.put_object(Key="k", Body=b"x")
    marker = (await bucket.delete_object(Key="k"))["VersionId"]
    with pytest.raises(bucket.client.exceptions.ClientError) as caught:
        await bucket.head_object(Key="k")
    headers = caught.value.response["ResponseMetadata"]["HTTPHeaders"]
    assert (headers["x-amz-delete-marker"], headers["x-amz-version-id"]) == ("true", marker)
    assert await refused(bucket.get_object(Key="k", VersionId=marker)) == ("MethodNotAllowed", 405)
    assert await refused(bucket.get_object(Key="k", VersionId="none")) == ("NoSuchVersion", 404)


@pytest.mark.every_database
async def test_pages_lead_on_without_gaps(bucket):
    keys = [f"{letter}/{number}" for letter in "abc" for number in range(5)]
    await asyncio.gather(*(bucket.put_object(Key=key, Body=b"") for key in keys))
    for operation in ("list_objects_v2", "list_objects"):
        found = [one["Key"] for page in await pages(bucket, operation) for one in page["Contents"]]
        assert found == keys
    versions = [
        one["Key"] for page in await pages(bucket, "list_object_versions") for one in page["Versions"]
    ]
    assert versions == keys


async def pages(bucket, operation):
    def collect():
        pager = bucket.client.get_paginator(operation)
        return list(pager.paginate(Bucket=bucket.name, PaginationConfig={"PageSize": 4}))

    return await asyncio.to_thread(collect)


@pytest.mark.every_database
async def test_versions_of_one_key_are_paged_too(bucket):
    made = [(await bucket.put_object(Key="k", Body=b""))["VersionId"] for _ in range(9)]
    found = [
        one["VersionId"] for page in await pages(bucket, "list_object_versions") for one in page["Versions"]
    ]
    assert found == made[::-1]


async def test_the_bucket_is_what_it_is(bucket, refused):
    await bucket.head_bucket()
    listed = await asyncio.to_thread(bucket.client.list_buckets)
    assert [one["Name"] for one in listed["Buckets"]] == [bucket.name]
    assert (await bucket.get_bucket_versioning())["Status"] == "Enabled"
    assert (await bucket.get_bucket_location())["LocationConstraint"] == "local"
    await bucket.put_bucket_versioning(VersioningConfiguration={"Status": "Enabled"})
    call = bucket.put_bucket_versioning(VersioningConfiguration={"Status": "Suspended"})
    assert await refused(call) == ("NotImplemented", 501)
    assert await refused(bucket.create_bucket()) == ("BucketAlreadyOwnedByYou", 409)


async def test_access_lists_are_accepted_when_they_change_nothing(hall, bucket, refused):
    await bucket.put_object(Key="k", Body=b"x", ACL="private")
    policy = await bucket.get_object_acl(Key="k")
    assert policy["Owner"]["ID"] == hall.acme.owner.user_id
    assert [grant["Permission"] for grant in policy["Grants"]] == ["FULL_CONTROL"]
    await bucket.put_object_acl(Key="k", ACL="private")
    same = {"Owner": policy["Owner"], "Grants": policy["Grants"]}
    await bucket.put_object_acl(Key="k", AccessControlPolicy=same)
    refusal = ("AccessControlListNotSupported", 400)
    assert await refused(bucket.put_object_acl(Key="k", ACL="public-read")) == refusal
    assert await refused(bucket.put_object(Key="p", Body=b"", ACL="public-read")) == refusal
    assert await refused(bucket.put_bucket_acl(ACL="public-read")) == refusal
    everyone = {"Type": "Group", "URI": "http://acs.amazonaws.com/groups/global/AllUsers"}
    public = {"Owner": policy["Owner"], "Grants": [{"Grantee": everyone, "Permission": "READ"}]}
    assert await refused(bucket.put_object_acl(Key="k", AccessControlPolicy=public)) == refusal
    assert await bucket.keys() == ["k"]


async def test_a_presigned_put_writes(bucket):
    link = bucket.client.generate_presigned_url("put_object", Params={"Bucket": bucket.name, "Key": "k"})
    async with httpx.AsyncClient(verify=False, trust_env=False) as http:
        assert (await http.put(link, content=b"by link")).status_code == 200
        assert (await http.get(link)).status_code == 403
    assert await bucket.read("k") == b"by link"


async def test_storage_that_is_used_up_takes_no_more(hall, bucket, refused):
    async with hall.server.data.write() as writer:
        quotas = hall.server.service(Quotas)
        await quotas.set_limit(writer, "team", hall.acme.owner.team_id, "storage.bytes", "none", 10)
    await bucket.put_object(Key="k", Body=b"0123456")
    assert await refused(bucket.put_object(Key="j", Body=b"0123")) == ("QuotaExceeded", 403)
    assert await bucket.keys() == ["k"]
    upload = (await bucket.create_multipart_upload(Key="m"))["UploadId"]
    part = await bucket.upload_part(Key="m", UploadId=upload, PartNumber=1, Body=b"89")
    call = bucket.upload_part(Key="m", UploadId=upload, PartNumber=2, Body=b"89")
    assert await refused(call) == ("QuotaExceeded", 403)
    named = {"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]}
    await bucket.complete_multipart_upload(Key="m", UploadId=upload, MultipartUpload=named)
    assert await bucket.read("m") == b"89"
