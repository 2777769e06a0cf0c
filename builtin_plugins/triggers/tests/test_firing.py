"""What becomes of a version that triggers match: a run as whoever wrote it, or a reason why not."""

import pytest

from builtin_plugins.s3.tests.clients import Bucket, boto_client
from builtin_plugins.s3.tests.conftest import signing_clock  # noqa: F401 - a fixture
from builtin_plugins.triggers import firing
from guildhall_sdk import Statement
from guildhall_sdk.dimensions import Quotas

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


async def execute(hall, text, **binds):
    async with hall.server.data.write() as writer:
        return await writer.all(Statement("execute", text, text), **binds)


@pytest.fixture
def open_bucket(hall, signing_clock):  # noqa: F811
    signing_clock(hall)

    async def open_bucket(client, **scope):
        answer = await client.post("/api/s3/credentials", {"scope": scope} if scope else {})
        key = answer.json()
        made = boto_client(hall.addresses["s3"], key["access_key_id"], key["secret_access_key"])
        return Bucket(made, key["bucket"], key)

    return open_bucket


@pytest.mark.every_database
async def test_every_way_to_write_a_version_fires_once_for_each(hall, triggers, tools, open_bucket):
    made = await triggers.create(match_prefix="in/")
    member, bucket = hall.acme.member, await open_bucket(hall.acme.member)
    await triggers.upload("in/a.txt")
    await triggers.upload("in/a.txt", content=b"again")
    await bucket.put_object(Key="in/b.txt", Body=b"two")
    await bucket.copy_object(Key="in/c.txt", CopySource=f"{bucket.name}/in/b.txt")
    upload = (await bucket.create_multipart_upload(Key="in/d.bin"))["UploadId"]
    part = await bucket.upload_part(Key="in/d.bin", UploadId=upload, PartNumber=1, Body=b"three")
    parts = {"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]}
    await bucket.complete_multipart_upload(Key="in/d.bin", UploadId=upload, MultipartUpload=parts)
    fires = list(reversed(await triggers.fires(made)))
    assert sorted((fire["key"], fire["version"]) for fire in fires) == [
        ("in/a.txt", 1),
        ("in/a.txt", 2),
        ("in/b.txt", 1),
        ("in/c.txt", 1),
        ("in/d.bin", 1),
    ]
    assert {(fire["outcome"], fire["reason"]) for fire in fires} == {("started", None)}
    assert sorted(call.value for call in tools.calls) == sorted(fire["object_id"] for fire in fires)
    assert {call.principal.user_id for call in tools.calls} == {member.user_id}
    for fire in fires:
        run = (await member.get(f"/api/runs/{fire['run_id']}")).json()
        assert (run["state"], run["trigger_id"]) == ("succeeded", made["id"])
        assert run["input"] == {"object_id": fire["object_id"]}


async def test_a_document_fires_when_it_is_created_and_with_each_update(hall, triggers):
    made = await triggers.create(match_types=["text/markdown"])
    document = (await hall.acme.member.post("/api/documents", {"title": "t", "body": "b"})).json()
    await hall.acme.member.put(f"/api/documents/{document['id']}", {"body": "c"})
    fires = await triggers.fires(made, as_=hall.acme.member)
    assert sorted((fire["object_id"], fire["version"]) for fire in fires) == [
        (document["id"], 1),
        (document["id"], 2),
    ]


@pytest.mark.every_database
async def test_a_folder_that_is_made_is_no_upload_and_stays_the_object_that_s3_says_it_is(
    hall, triggers, open_bucket
):
    made, bucket = await triggers.create(match_prefix="in/"), await open_bucket(hall.acme.member)
    await triggers.upload("in/new/", content=b"", type="application/x-directory")
    await bucket.put_object(Key="in/other/", Body=b"")
    await bucket.put_object(Key="in/other/empty.txt", Body=b"")
    await bucket.put_object(Key="in/full/", Body=b"bytes")
    fires = sorted(fire["key"] for fire in await triggers.fires(made))
    assert fires == ["in/full/", "in/other/empty.txt"]
    assert (await bucket.head_object(Key="in/other/"))["ContentLength"] == 0
    listed = await bucket.list_objects_v2(Prefix="in/other/", Delimiter="/")
    assert [one["Key"] for one in listed["Contents"]] == ["in/other/", "in/other/empty.txt"]


async def test_prefix_and_types_select(hall, triggers):
    cases = {
        ("", ()): {"a.txt", "in/a.txt", "in/b.pdf", "in/é.md", "inx"},
        ("in", ()): {"in/a.txt", "in/b.pdf", "in/é.md", "inx"},
        ("in/", ("TEXT/*",)): {"in/a.txt", "in/é.md"},
        ("in/", ("text/plain", "text/*", "application/pdf")): {"in/a.txt", "in/b.pdf", "in/é.md"},
        ("in/é", ("*/*",)): {"in/é.md"},
        ("in/é.md", ()): {"in/é.md"},
        ("in/é.mdx", ()): set(),
        ("", ("text/x-odd",)): {"inx"},
        ("", ("video/*",)): set(),
    }
    made = {case: await triggers.create(match_prefix=case[0], match_types=list(case[1])) for case in cases}
    for key in ("a.txt", "in/a.txt", "in/b.pdf", "in/é.md"):
        await triggers.upload(key)
    await triggers.upload("inx", type="Text/X-Odd; charset=utf-8")
    for case, keys in cases.items():
        assert {fire["key"] for fire in await triggers.fires(made[case])} == keys, case


async def test_a_run_acts_with_the_scope_of_the_credential_that_wrote(hall, triggers, tools, open_bucket):
    made = await triggers.create()
    scope = ["files:read", "files:write", "workflows:run"]
    bucket = await open_bucket(hall.acme.member, prefix="in/", permissions=scope)
    await bucket.put_object(Key="in/a.txt", Body=b"x")
    assert await triggers.reasons(made) == [None]
    (call,) = tools.calls
    assert call.principal.credential.scope == set(scope)
    assert call.principal.permissions == set(scope)


async def test_a_credential_without_the_right_to_run_fires_nothing_and_the_history_says_so(
    hall, triggers, tools, open_bucket
):
    made = await triggers.create()
    bucket = await open_bucket(hall.acme.member, permissions=["files:read", "files:write"])
    await bucket.put_object(Key="a.txt", Body=b"x")
    token = await hall.with_token(hall.acme.member, scope=["files:write", "files:read"])
    await triggers.upload("b.txt", as_=token)
    assert await triggers.reasons(made) == ["no_permission"] * 2
    (fire, _) = await triggers.fires(made)
    assert (fire["outcome"], fire["run_id"], fire["key"], fire["version"]) == ("skipped", None, "b.txt", 1)
    assert tools.calls == []


@pytest.mark.own_server
async def test_who_left_the_team_or_lost_the_right_before_the_delivery_starts_nothing(hall, triggers, tools):
    made = await triggers.create()
    gone, demoted = [await hall.join(hall.acme, "member") for _ in range(2)]
    await hall.server.declared.fan_out.stop()
    for client in (gone, demoted):
        await triggers.upload(f"{client.user_id}.txt", as_=client)
    assert (await triggers.admin.delete(f"/api/members/{gone.user_id}")).status_code == 204
    answer = await triggers.admin.patch(f"/api/members/{demoted.user_id}", {"role": "viewer"})
    assert answer.status_code == 200
    assert await triggers.reasons(made) == ["no_permission"] * 2
    assert tools.calls == []


async def test_whoever_writes_by_a_grant_from_another_team_starts_nothing_there(hall, triggers):
    made = await triggers.create()
    document = (await hall.acme.member.post("/api/documents", {"title": "t", "body": "b"})).json()
    stranger = hall.acme.second_team.member
    shared = {"principal_type": "user", "principal_id": stranger.user_id, "capability": "edit"}
    await hall.acme.member.post(f"/api/repo-obj/{document['id']}/share", shared)
    answer = await stranger.put(f"/api/documents/{document['id']}", {"body": "c"})
    assert answer.status_code == 200, answer.text
    fires = await triggers.fires(made)
    assert {fire["version"]: fire["reason"] for fire in fires} == {1: None, 2: "no_permission"}


async def test_derived_documents_fire_only_where_it_was_asked_for(hall, triggers):
    await triggers.publish("derive-it", tool="derive")
    await triggers.create("derive-it", match_prefix="in/", match_types=["image/png"])
    plain = await triggers.create(match_types=["text/plain"])
    eager = await triggers.create(match_types=["text/plain"], fire_on_derived=True)
    await triggers.upload("in/a.png")
    assert await triggers.reasons(plain) == ["derived"]
    (fire,) = await triggers.fires(eager)
    assert (fire["key"], fire["outcome"]) == ("in/a.png.derived.txt", "started")


async def test_a_trigger_does_not_lead_back_to_itself(hall, triggers):
    await triggers.publish("derive-it", tool="derive")
    first = await triggers.create("derive-it", match_prefix="in/", fire_on_derived=True)
    second = await triggers.create("derive-it", match_types=["text/plain"], fire_on_derived=True)
    await triggers.upload("in/a.png")
    assert {fire["key"]: fire["reason"] for fire in await triggers.fires(first)} == {
        "in/a.png": None,
        "in/a.png.derived.txt": "loop",
        "in/a.png.derived.txt.derived.txt": "loop",
    }
    assert {fire["key"]: fire["reason"] for fire in await triggers.fires(second)} == {
        "in/a.png.derived.txt": None,
        "in/a.png.derived.txt.derived.txt": "loop",
    }


async def test_so_many_triggers_lead_to_one_another_and_the_next_says_loop(hall, triggers):
    await triggers.publish("derive-it", tool="derive")
    keys = ["a" + ".derived.txt" * number for number in range(9)]
    made = [await triggers.create("derive-it", match_prefix=key, fire_on_derived=True) for key in keys]
    await triggers.upload("a")
    reasons = [
        {fire["key"]: fire["reason"] for fire in await triggers.fires(one)}.get(key, "none")
        for one, key in zip(made, keys, strict=True)
    ]
    assert reasons == [*[None] * firing.MAX_CHAIN, "loop", "none"]
    assert (await hall.acme.owner.get("/api/jobs?state=failed")).json()["items"] == []


async def test_while_the_feature_is_off_the_history_says_so(hall, triggers, tools):
    made = await triggers.create()
    await hall.set_feature(hall.acme, "workflows", False)
    await triggers.upload()
    await hall.drain_jobs()
    await hall.set_feature(hall.acme, "workflows", True)
    assert await triggers.reasons(made) == ["feature_disabled"]
    assert tools.calls == []


async def test_without_ai_budget_left_nothing_starts(hall, triggers):
    made = await triggers.create()
    for level, subject, dimension, key in (
        ("team", hall.acme.id, "ai.requests", "a"),
        ("org", hall.acme.org_id, "ai.tokens.total", "b"),
    ):
        for limit in (0, None):
            async with hall.server.data.write() as writer:
                await hall.server.service(Quotas).set_limit(writer, level, subject, dimension, "day", limit)
            await triggers.upload(f"{key}{limit}.txt")
            await hall.drain_jobs()
    assert {fire["key"]: fire["reason"] for fire in await triggers.fires(made)} == {
        "a0.txt": "quota",
        "aNone.txt": None,
        "b0.txt": "quota",
        "bNone.txt": None,
    }


async def test_a_workflow_that_is_gone_is_missing(hall, triggers):
    made = await triggers.create()
    await execute(hall, "DELETE FROM workflow_versions WHERE team_id = :id", id=hall.acme.team_id)
    await triggers.upload()
    assert await triggers.reasons(made) == ["workflow_missing"]


async def test_a_company_that_is_suspended_while_it_is_delivered_starts_nothing(
    hall, triggers, tools, monkeypatch
):
    standing = firing.Firing.standing

    async def suspend_then(self):
        found = await standing(self)
        await hall.suspend(hall.acme)
        return found

    monkeypatch.setattr(firing.Firing, "standing", suspend_then)
    made = await triggers.create()
    await triggers.upload()
    await hall.drain_jobs()
    await hall.resume(hall.acme)
    assert await triggers.reasons(made) == ["suspended"]
    assert tools.calls == []


@pytest.mark.own_server
async def test_what_waits_while_a_company_is_suspended_fires_when_it_is_not(hall, triggers, tools):
    made = await triggers.create()
    await hall.server.declared.fan_out.stop()
    await triggers.upload()
    await hall.suspend(hall.acme)
    await hall.drain_jobs()
    assert tools.calls == []
    await hall.resume(hall.acme)
    assert await triggers.reasons(made) == [None]


@pytest.mark.every_database
async def test_a_team_that_is_known_to_have_no_trigger_has_its_first_one_with_the_next_upload(hall, triggers):
    for number in range(2):
        await triggers.upload(f"in/{number}.txt")
    first = await triggers.create(match_prefix="in/")
    await triggers.upload("in/a.txt")
    answer = await hall.acme.owner.delete(f"/api/doc-triggers/{first['id']}")
    assert answer.status_code == 204, answer.text
    for number in range(2):
        await triggers.upload(f"in/{number}.txt")
    second = await triggers.create(match_prefix="in/")
    await triggers.upload("out/a.txt")
    await triggers.upload("in/b.txt")
    assert [fire["key"] for fire in await triggers.fires(second)] == ["in/b.txt"]


async def test_a_trigger_that_is_off_matches_nothing_and_does_again_once_it_is_on(hall, triggers):
    made = await triggers.create(match_prefix="in/")
    path = f"/api/doc-triggers/{made['id']}"
    assert made["enabled"] and not (await triggers.admin.patch(path, {"enabled": False})).json()["enabled"]
    await triggers.upload("in/a.txt")
    await triggers.admin.patch(path, {"match_prefix": "in/b"})
    await triggers.upload("in/b.txt")
    assert await triggers.fires(made) == []
    await triggers.admin.patch(path, {"enabled": True})
    await triggers.upload("in/b.txt", content=b"again")
    assert [(fire["key"], fire["version"]) for fire in await triggers.fires(made)] == [("in/b.txt", 2)]
    await triggers.admin.patch(path, {"enabled": False})
    assert (await triggers.admin.delete(path)).status_code == 204
