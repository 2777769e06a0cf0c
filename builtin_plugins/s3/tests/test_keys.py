"""Access keys: issued, narrowed, revoked, and what becomes of them."""

import httpx
import pytest

from builtin_plugins.s3.keys import AccessKeys
from guildhall_sdk.metrics import Metrics
from guildhall_sdk.services.identity import Vault
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.tenancy import Directory
from guildhall_testing.databases import database_at, statement

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


async def test_a_key_is_shown_once_with_where_to_use_it(hall, issue):
    key = await issue(hall.acme.owner)
    assert key["region"] == "local"
    assert key["endpoint"] == f"{hall.base_url}/s3"
    listed = (await hall.acme.owner.get("/api/s3/credentials")).json()
    assert listed["bucket"] == key["bucket"]
    (item,) = listed["items"]
    assert (item["id"], item["access_key_id"], item["last_used_at"]) == (
        key["id"],
        key["access_key_id"],
        None,
    )
    assert key["secret_access_key"] not in str(listed)


async def test_a_used_key_says_when(hall, bucket):
    await bucket.list_objects_v2()
    await hall.server.service(AccessKeys).settled()
    (item,) = (await hall.acme.owner.get("/api/s3/credentials")).json()["items"]
    assert item["last_used_at"] is not None


async def test_a_use_that_was_not_noted_yet_is_when_the_server_stops(hall, bucket, monkeypatch):
    keys = hall.server.service(AccessKeys)
    monkeypatch.setattr(hall.server.background_works, "_stopped", True)  # nothing begins any more
    await bucket.list_objects_v2()
    await hall.server.hooks.notify("on_stop", hall.server.host_of, undoes="on_start")
    (item,) = (await hall.acme.owner.get("/api/s3/credentials")).json()["items"]
    assert item["last_used_at"] is not None
    assert keys._noting == {}


async def test_nobody_sees_or_revokes_anothers_key(hall, issue):
    key = await issue(hall.acme.owner)
    for other in (await hall.join(hall.acme, "admin"), hall.globex.owner):
        assert (await other.get("/api/s3/credentials")).json()["items"] == []
        assert (await other.request("DELETE", f"/api/s3/credentials/{key['id']}")).status_code == 404


@pytest.mark.own_server
async def test_only_the_secrets_of_keys_used_last_stay_in_memory(hall, open_bucket, monkeypatch):
    monkeypatch.setattr("builtin_plugins.s3.keys.MAX_SECRETS", 2)
    members = (hall.acme.member, hall.acme.admin, hall.acme.owner)
    first, second, third = [await open_bucket(member) for member in members]
    unsealed = []
    vault = hall.server.service(Vault)
    get = vault.get

    async def counted(reader, kind, org_id, ref):
        unsealed.append(ref)
        return await get(reader, kind, org_id, ref)

    monkeypatch.setattr(vault, "get", counted)
    for bucket in (first, second, first, third, first, second):
        await bucket.list_objects_v2()
    ids = dict.fromkeys(unsealed)
    assert len(ids) == 3 and unsealed == [*ids, unsealed[1]]


@pytest.mark.every_database
@pytest.mark.parametrize("is_under_way", [False, True])
async def test_what_another_process_takes_from_a_key_is_gone_at_once(
    hall, bucket, refused, monkeypatch, is_under_way
):
    """Also from a write that has passed its gates and taken the bytes in."""
    await bucket.put_object(Key="k", Body=b"x")
    repository = hall.server.service(Repository)
    stage = repository.stage

    async def take_away():
        data = database_at(hall.server.settings.database_url, shared=True)
        await data.connect()
        try:
            await data.write_rows(statement("DELETE FROM s3_keys WHERE id = :id"), id=bucket.key["id"])
        finally:
            await data.disconnect()

    async def stage_and_take_away(*args, **options):
        staged = await stage(*args, **options)
        await take_away()
        return staged

    if is_under_way:
        monkeypatch.setattr(repository, "stage", stage_and_take_away)
    else:
        await take_away()
    code = "AccessDenied" if is_under_way else "InvalidAccessKeyId"
    assert await refused(bucket.put_object(Key="k", Body=b"y")) == (code, 403)


async def test_a_revoked_key_is_refused_at_once(hall, bucket, refused):
    await bucket.put_object(Key="k", Body=b"x")
    link = bucket.client.generate_presigned_url("get_object", Params={"Bucket": bucket.name, "Key": "k"})
    response = await hall.acme.owner.request("DELETE", f"/api/s3/credentials/{bucket.key['id']}")
    assert response.status_code == 204
    assert await refused(bucket.get_object(Key="k")) == ("InvalidAccessKeyId", 403)
    async with httpx.AsyncClient(verify=False, trust_env=False) as http:
        assert (await http.get(link)).status_code == 403


async def test_a_key_ends_with_the_membership(hall, open_bucket, refused):
    member = await hall.join(hall.acme)
    bucket = await open_bucket(member)
    await bucket.list_objects_v2()
    removed = await hall.acme.owner.request("DELETE", f"/api/members/{member.user_id}")
    assert removed.status_code in (200, 204), removed.text
    assert await refused(bucket.list_objects_v2()) == ("InvalidAccessKeyId", 403)


async def test_a_key_does_what_its_owner_may_now(hall, open_bucket, refused):
    viewer = await open_bucket(await hall.join(hall.acme, "viewer"))
    owner = await open_bucket(hall.acme.owner)
    await owner.put_object(Key="team", Body=b"for all")
    assert await viewer.read("team") == b"for all"
    assert await refused(viewer.put_object(Key="mine", Body=b"")) == ("AccessDenied", 403)
    assert await refused(viewer.put_object(Key="team", Body=b"")) == ("AccessDenied", 403)
    assert await refused(viewer.delete_object(Key="team")) == ("AccessDenied", 403)
    assert await owner.read("team") == b"for all"


async def test_a_key_with_a_prefix_reaches_nothing_else(hall, bucket, open_bucket, refused):
    await bucket.put_object(Key="secret", Body=b"x")
    narrow = await open_bucket(hall.acme.owner, prefix="inbox/")
    await narrow.put_object(Key="inbox/a", Body=b"in")
    assert await narrow.keys(Prefix="inbox/") == ["inbox/a"]
    denied = ("AccessDenied", 403)
    for call in (
        narrow.list_objects_v2(),
        narrow.list_objects(Prefix="inbo"),
        narrow.list_object_versions(Prefix="s"),
        narrow.list_multipart_uploads(),
        narrow.get_object(Key="secret"),
        narrow.put_object(Key="inboxes", Body=b""),
        narrow.delete_object(Key="secret"),
        narrow.create_multipart_upload(Key="other"),
        narrow.copy_object(Key="inbox/b", CopySource={"Bucket": narrow.name, "Key": "secret"}),
        narrow.get_object_tagging(Key="secret"),
    ):
        assert await refused(call) == denied
    done = await narrow.delete_objects(Delete={"Objects": [{"Key": "secret"}, {"Key": "inbox/a"}]})
    assert [error["Code"] for error in done["Errors"]] == ["AccessDenied"]
    assert await bucket.keys() == ["secret"]


async def test_a_key_with_permissions_does_no_more(hall, bucket, open_bucket, refused):
    await bucket.put_object(Key="k", Body=b"x")
    reading = await open_bucket(hall.acme.owner, permissions=["files:read"])
    assert await reading.read("k") == b"x"
    assert await refused(reading.put_object(Key="k", Body=b"")) == ("AccessDenied", 403)
    assert await refused(reading.delete_object(Key="k")) == ("AccessDenied", 403)
    assert await refused(reading.put_object_tagging(Key="k", Tagging={"TagSet": []})) == ("AccessDenied", 403)
    writing = await open_bucket(hall.acme.owner, permissions=["files:write"])
    await writing.put_object(Key="k", Body=b"y")
    assert await refused(writing.get_object(Key="k")) == ("AccessDenied", 403)
    assert await refused(writing.list_objects_v2()) == ("AccessDenied", 403)


async def test_a_scoped_credential_mints_nothing_wider_than_itself(hall):
    scoped = await hall.with_token(hall.acme.owner, scope=["files:read"])
    assert (await scoped.post("/api/s3/credentials", {})).status_code == 403
    wider = {"scope": {"permissions": ["files:read", "files:write"]}}
    assert (await scoped.post("/api/s3/credentials", wider)).json()["permission"] == "files:write"
    within = {"scope": {"permissions": ["files:read"]}}
    assert (await scoped.post("/api/s3/credentials", within)).status_code == 201


async def test_anothers_bucket_and_one_that_is_not_there_are_refused_alike(
    hall, bucket, open_bucket, refused
):
    other = await open_bucket(hall.globex.owner)
    for name in (other.name, "no-such-bucket"):
        assert await refused(bucket.list_objects_v2(Bucket=name)) == ("AccessDenied", 403)
        assert await refused(bucket.put_object(Bucket=name, Key="k", Body=b"")) == ("AccessDenied", 403)
        source = {"Bucket": name, "Key": "k"}
        assert await refused(bucket.copy_object(Key="c", CopySource=source)) == ("AccessDenied", 403)


async def test_a_private_object_of_someone_else_is_refused_and_not_listed(hall, bucket, open_bucket, refused):
    member = await hall.join(hall.acme)
    response = await member.put("/api/repo/private.txt", content=b"mine", params={"visibility": "private"})
    assert response.status_code == 201, response.text
    assert await bucket.keys() == []
    assert await refused(bucket.get_object(Key="private.txt")) == ("AccessDenied", 403)
    assert await refused(bucket.put_object(Key="private.txt", Body=b"")) == ("AccessDenied", 403)
    assert await refused(bucket.delete_object(Key="private.txt")) == ("AccessDenied", 403)
    theirs = await open_bucket(member)
    assert await theirs.read("private.txt") == b"mine"
    share = {"principal_type": "user", "principal_id": hall.acme.owner.user_id, "capability": "view"}
    shared = await member.post(f"/api/repo-obj/{response.json()['id']}/visibility", {"visibility": "shared"})
    assert shared.status_code == 200
    assert (await member.post(f"/api/repo-obj/{response.json()['id']}/share", share)).status_code == 200
    assert await bucket.read("private.txt") == b"mine"
    assert await bucket.keys() == ["private.txt"]
    assert await refused(bucket.put_object(Key="private.txt", Body=b"")) == ("AccessDenied", 403)


async def test_a_suspended_company_reads_on_and_writes_nothing(hall, bucket, refused):
    await bucket.put_object(Key="k", Body=b"before")
    upload = (await bucket.create_multipart_upload(Key="big"))["UploadId"]
    await hall.suspend(hall.acme)
    for call in (
        bucket.put_object(Key="k", Body=b"after"),
        bucket.delete_object(Key="k"),
        bucket.create_multipart_upload(Key="other"),
        bucket.upload_part(Key="big", UploadId=upload, PartNumber=1, Body=b"x"),
        bucket.abort_multipart_upload(Key="big", UploadId=upload),
        bucket.copy_object(Key="c", CopySource={"Bucket": bucket.name, "Key": "k"}),
        bucket.put_object_tagging(Key="k", Tagging={"TagSet": [{"Key": "a", "Value": "b"}]}),
    ):
        assert await refused(call) == ("AccessDenied", 403)
    assert await bucket.read("k") == b"before"
    assert await bucket.keys() == ["k"]
    await hall.resume(hall.acme)
    await bucket.put_object(Key="k", Body=b"after")


@pytest.mark.own_server
async def test_a_suspended_tenant_deletes_nothing_either(hall, bucket, refused):
    await bucket.put_object(Key="k", Body=b"before")
    async with hall.server.data.write() as writer:
        await hall.server.service(Directory).set_tenant_suspended(writer, hall.clock.now_ms())
    version = (await bucket.head_object(Key="k"))["VersionId"]
    for doomed in ({"Key": "k"}, {"Key": "k", "VersionId": version}, {"Key": "absent"}):
        call = bucket.delete_objects(Delete={"Objects": [doomed]})
        assert await refused(call) == ("AccessDenied", 403)
    assert await bucket.keys() == ["k"]


async def test_whoever_may_delete_nothing_is_refused_even_where_nothing_is(hall, open_bucket, refused):
    viewer = await open_bucket(hall.acme.viewer)
    reader = await open_bucket(hall.acme.owner, permissions=["files:read"])
    for bucket in (viewer, reader):
        assert await refused(bucket.delete_object(Key="absent")) == ("AccessDenied", 403)
    member = await open_bucket(hall.acme.member)
    await member.delete_object(Key="absent")


async def test_no_part_is_taken_for_a_key_that_somebody_else_holds(hall, open_bucket, refused):
    member = hall.acme.member
    headers = {"content-type": "text/plain"}
    response = await member.put("/api/repo/held?visibility=private", content=b"mine", headers=headers)
    assert response.status_code == 201, response.text
    colleague = await open_bucket(hall.acme.colleague)
    assert await refused(colleague.create_multipart_upload(Key="held")) == ("AccessDenied", 403)
    assert await refused(colleague.put_object(Key="held", Body=b"theirs")) == ("AccessDenied", 403)


@pytest.mark.every_database
async def test_keys_are_listed_in_pages(hall, issue):
    issued = [(await issue(hall.acme.member))["id"] for _ in range(3)]
    first = (await hall.acme.member.get("/api/s3/credentials?limit=2")).json()
    query = f"limit=2&cursor={first['next_cursor']}"
    second = (await hall.acme.member.get(f"/api/s3/credentials?{query}")).json()
    assert [one["id"] for one in first["items"] + second["items"]] == issued[::-1]
    assert second["next_cursor"] is None
    for query in ("limit=0", "limit=201", "limit=x", "cursor=!"):
        assert (await hall.acme.member.get(f"/api/s3/credentials?{query}")).status_code == 400


async def test_a_link_that_its_key_could_not_open_is_not_made(hall, bucket, issue):
    await bucket.put_object(Key="k", Body=b"x")
    (found,) = (await hall.acme.owner.get("/api/repo")).json()["items"]
    await issue(hall.acme.owner, permissions=["files:write"])
    for method, status in (("GET", 409), ("PUT", 200)):
        answer = await hall.acme.owner.post(f"/api/repo-obj/{found['id']}/presign", {"method": method})
        assert answer.status_code == status, answer.text


async def test_a_link_is_signed_with_the_newest_key(hall, bucket, issue):
    owner = hall.acme.owner
    await bucket.put_object(Key="a b/ü.txt", Body=b"linked")
    (found,) = (await owner.get("/api/repo")).json()["items"]
    newest = await issue(owner)
    answer = await owner.post(f"/api/repo-obj/{found['id']}/presign", {"expires_in": 60})
    assert answer.status_code == 200, answer.text
    link = answer.json()["url"]
    assert newest["access_key_id"] in link
    async with httpx.AsyncClient(verify=False, trust_env=False) as http:
        got = await http.get(link)
        assert (got.status_code, got.content) == (200, b"linked")
        assert (await http.put(link, content=b"no")).status_code == 403
        hall.clock.advance(seconds=61)
        assert (await http.get(link)).status_code == 403
        upload = {"method": "PUT"}
        link = (await owner.post(f"/api/repo-obj/{found['id']}/presign", upload)).json()["url"]
        assert (await http.put(link, content=b"changed")).status_code == 200
        old = {"version": 1}
        link = (await owner.post(f"/api/repo-obj/{found['id']}/presign", old)).json()["url"]
        assert (await http.get(link)).content == b"linked"
    assert await bucket.read("a b/ü.txt") == b"changed"


@pytest.mark.parametrize("scope", [None, {"prefix": "elsewhere/"}])
async def test_without_a_key_that_reaches_the_object_there_is_no_link(hall, issue, scope):
    owner = hall.acme.owner
    found = (await owner.put("/api/repo/k", content=b"x")).json()
    if scope:
        await issue(owner, **scope)
    answer = await owner.post(f"/api/repo-obj/{found['id']}/presign", {})
    assert (answer.status_code, answer.json()["code"]) == (409, "no_s3_key")


async def test_a_link_to_write_needs_the_right_to_write(hall, issue):
    viewer = await hall.join(hall.acme, "viewer")
    found = (await hall.acme.owner.put("/api/repo/k", content=b"x")).json()
    await issue(viewer)
    path = f"/api/repo-obj/{found['id']}/presign"
    assert (await viewer.post(path, {"method": "PUT"})).status_code == 403
    assert (await viewer.post(path, {"method": "GET"})).status_code == 200
    assert (await hall.globex.owner.post(path, {})).status_code == 404


@pytest.mark.own_server
async def test_requests_are_counted_by_operation_and_status(hall, bucket, refused):
    await bucket.put_object(Key="k", Body=b"x")
    await refused(bucket.get_object(Key="none"))
    families = {family.name: family for family in await hall.server.service(Metrics).collect()}
    counted = {
        (sample.labels["operation"], sample.labels["status"]): sample.value
        for sample in families["guildhall_s3_requests_total"].samples
    }
    assert counted == {("PutObject", "200"): 1, ("GetObject", "404"): 1}


async def test_a_team_that_has_s3_off_is_refused_and_no_other(hall, bucket, open_bucket, refused):
    elsewhere = await open_bucket(hall.globex.owner)
    await bucket.put_object(Key="k", Body=b"x")
    await hall.acme.owner.post("/api/plugins/s3", {"enabled": False})
    assert await refused(bucket.get_object(Key="k")) == ("AccessDenied", 403)
    assert await refused(bucket.put_object(Key="k", Body=b"y")) == ("AccessDenied", 403)
    answer = await hall.acme.owner.get("/api/s3/credentials")
    assert (answer.status_code, answer.json()["feature"]) == (403, "s3")
    await elsewhere.put_object(Key="k", Body=b"x")
    await hall.acme.owner.post("/api/plugins/s3", {"enabled": True})
    assert await bucket.read("k") == b"x"
