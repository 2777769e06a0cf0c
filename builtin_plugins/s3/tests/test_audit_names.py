"""The audit trail names private things by id: not one of their names is in it, whoever reads it."""

import secrets

import pytest

from guildhall_sdk import Statement

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

_EVERY_EVENT = Statement(
    "every_event",
    "SELECT action, target_id, detail FROM audit_events",
    "SELECT action, target_id, detail FROM audit_events",
)
_ONE_EVENT = "UPDATE audit_events SET detail = :detail WHERE action = 'object.created'"


@pytest.fixture
def canary():
    return f"canary{secrets.token_hex(8)}"


async def work_on_notes(hall, canary):
    author, other = hall.acme.member, hall.acme.colleague
    note = (await author.post("/api/notes", {"title": canary, "body": canary})).json()
    path = f"/api/notes/{note['id']}"
    await author.put(path, {"title": f"{canary} again"})
    await author.post(f"{path}/share", {"user_id": other.user_id, "permission": "notes:read"})
    await other.put(path, {"title": f"{canary} refused"})
    await author.delete(f"{path}/share", {"user_id": other.user_id})
    await author.delete(path)


async def work_on_objects(hall, canary):
    author, other = hall.acme.member, hall.acme.colleague
    query = {"visibility": "private", "filename": f"{canary}.pdf"}
    found = (await author.put(f"/api/repo/{canary}/a.txt", content=b"one", params=query)).json()
    await author.put(f"/api/repo/{canary}/a.txt", content=b"two")
    assert (await other.put(f"/api/repo/{canary}/a.txt", content=b"three")).status_code == 409
    path, to = f"/api/repo-obj/{found['id']}", {"user_id": other.user_id}
    for name, body in (
        ("share", to),
        ("unshare", to),
        ("visibility", {"visibility": "team"}),
        ("visibility", {"visibility": "private"}),
    ):
        assert (await author.post(f"{path}/{name}", body)).status_code == 200
    assert (await author.delete(path)).status_code == 204
    document = (await author.post("/api/documents", {"title": canary, "body": canary})).json()
    await author.put(f"/api/documents/{document['id']}", {"title": f"{canary} again"})
    await author.delete(f"/api/documents/{document['id']}")


async def work_over_s3(hall, canary, bucket, refused):
    key = f"{canary}/b.txt"
    version = await bucket.put_object(Key=key, Body=b"one", Metadata={"about": canary})
    await bucket.put_object(Key=key, Body=b"two")
    await bucket.copy_object(Key=f"{key}.copy", CopySource={"Bucket": bucket.name, "Key": key})
    await bucket.put_object_tagging(Key=key, Tagging={"TagSet": [{"Key": canary, "Value": canary}]})
    await bucket.delete_object(Key=key, VersionId=version["VersionId"])
    await bucket.delete_object(Key=key)
    whole = {"Key": f"{key}.parts"}
    whole["UploadId"] = (await bucket.create_multipart_upload(**whole))["UploadId"]
    part = await bucket.upload_part(**whole, PartNumber=1, Body=b"part")
    parts = {"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]}
    await bucket.complete_multipart_upload(**whole, MultipartUpload=parts)
    assert await refused(bucket.put_object(Key=f"outside-{canary}", Body=b"no")) == ("AccessDenied", 403)
    await hall.acme.member.delete(f"/api/s3/credentials/{bucket.key['id']}")


async def everything(client, path):
    """All pages of a list, as text."""
    texts, cursor = [], None
    while True:
        params = {"limit": 200, **({"cursor": cursor} if cursor else {})}
        answer = await client.get(path, params=params)
        assert answer.status_code == 200, answer.text
        texts.append(answer.text)
        cursor = answer.json()["next_cursor"]
        if cursor is None:
            return "".join(texts)


@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
async def test_no_name_of_what_is_private_is_in_the_trail(hall, canary, open_bucket, refused):
    operator = await hall.join(hall.acme, "owner", org_role="org_owner", operator=True)
    await work_on_notes(hall, canary)
    await work_on_objects(hall, canary)
    bucket = await open_bucket(hall.acme.member, prefix=f"{canary}/")
    await work_over_s3(hall, canary, bucket, refused)
    await hall.drain_jobs()
    for reader, path in (
        (hall.acme.admin, "/api/audit"),
        (hall.acme.reader, "/api/org/audit"),
        (hall.acme.org_owner, "/api/org/audit"),
        (operator, "/api/org/audit"),
        (operator, "/api/audit"),
    ):
        read = await everything(reader, path)
        assert "object.created" in read
        assert canary not in read
    async with hall.server.data.read() as reader:
        events = await reader.all(_EVERY_EVENT)
    assert {"note.shared", "object.deleted", "s3_key.issued", "object.marked_deleted"} <= {
        event["action"] for event in events
    }
    assert [event for event in events if canary in f"{event['target_id']}{event['detail']}"] == []


@pytest.mark.every_database
async def test_names_that_older_versions_wrote_are_shown_to_nobody(hall, canary):
    await hall.acme.member.put("/api/repo/a.txt", content=b"one")
    detail = f'{{"key":"{canary}","scope":{{"prefix":"{canary}"}},"visibility":"team"}}'
    async with hall.server.data.write() as writer:
        await writer.run(Statement("older", _ONE_EVENT, _ONE_EVENT), detail=detail)
    read = await everything(hall.acme.reader, "/api/org/audit")
    assert '"visibility":"team"' in read.replace(" ", "")
    assert canary not in read
