"""Outputs of tools: beside their source, with its people, and never twice."""

import asyncio

import pytest

from builtin_plugins.documents.outputs import key_stem
from guildhall_sdk import Conflict, InvalidRequest, NotFound, PermissionDenied, rfc3339
from guildhall_sdk.errors import ToolDisabled
from guildhall_sdk.services.repository import Repository

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

TEMPLATE = "Dear {{name}}"


@pytest.fixture
def render(hall, within_run):
    async def render(client, made, name="Ada", *, run=None, **more):
        with within_run(run):
            artifact = await hall.tool(
                "doc_render", as_=client, object=made["id"], template=TEMPLATE, data={"name": name}, **more
            )
        return artifact.public()

    return render


@pytest.mark.parametrize(
    ("key", "stem"),
    [
        ("a/b.pdf", "a/b"),
        ("a.b/c", "a.b/c"),
        ("a/b.c.pdf", "a/b.c"),
        ("a/.env", "a/.env"),
        ("a/...pdf", "a/...pdf"),
        ("folder.d/", "folder.d/"),
    ],
)
def test_the_extension_is_of_the_last_segment(key, stem):
    assert key_stem(key) == stem


async def test_an_output_lies_beside_its_source_and_says_where_it_is_from(hall, upload, render, content):
    author = hall.acme.member
    made = await upload(author, "in/letter.txt")
    output = await render(author, made, run="run_1", step="form")
    assert (output["kind"], output["key"], output["version"]) == ("document", "in/letter.form.md", 1)
    assert output["content_type"] == "text/markdown"
    assert await content(author, output["object_id"]) == "Dear Ada"
    answer = (await author.get(f"/api/repo-obj/{made['id']}/derivations")).json()
    entry = {"key": "in/letter.form.md", "version": 1, "run_id": "run_1", "step": "form"}
    assert answer == {"sources": [], "derived": [{"object_id": output["object_id"], **entry}]}
    answer = (await author.get(f"/api/repo-obj/{output['object_id']}/processing")).json()
    entry |= {"key": "in/letter.txt"}
    assert answer == {"sources": [{"object_id": made["id"], **entry}], "derived": [], "runs": []}


async def test_nobody_makes_up_the_run_that_something_is_from(hall, upload, within_run):
    author = hall.acme.member
    given = {"template": "x", "data": {}, "run": "run_of_others"}
    for key, run in (("a.txt", None), ("b.txt", "run_1")):
        made = await upload(author, key)
        with within_run(run):
            await hall.tool("doc_render", as_=author, object=made["id"], **given)
        (derived,) = (await author.get(f"/api/repo-obj/{made['id']}/derivations")).json()["derived"]
        assert (derived["run_id"], derived["step"]) == (run, "form")


async def test_a_second_run_writes_a_new_version_and_is_the_one_that_is_named(hall, upload, render, content):
    author = hall.acme.member
    made = await upload(author, "letter.txt")
    first = await render(author, made, run="run_1")
    await upload(author, "letter.txt", b"another")
    again = await render(author, made, "Grace", run="run_2")
    assert (again["object_id"], again["version"]) == (first["object_id"], 2)
    assert again["version_id"] != first["version_id"]
    assert await content(author, first["object_id"], version=1) == "Dear Ada"
    assert await content(author, first["object_id"]) == "Dear Grace"
    answer = (await author.get(f"/api/repo-obj/{made['id']}/derivations")).json()
    assert [(one["run_id"], one["version"]) for one in answer["derived"]] == [("run_2", 2)]
    answer = (await author.get(f"/api/repo-obj/{first['object_id']}/derivations")).json()
    assert [(one["run_id"], one["version"]) for one in answer["sources"]] == [("run_2", 2)]


async def test_a_key_that_something_else_holds_takes_a_number_and_keeps_it(hall, upload, render, listed):
    author = hall.acme.member
    theirs = await upload(hall.acme.colleague, "a.form.md", b"mine", visibility="private")
    first, second = await upload(author, "a.txt"), await upload(author, "a.pdf", b"%PDF")
    output = await render(author, first)
    assert output["key"] == "a.form (2).md"
    assert (await render(author, second))["key"] == "a.form (3).md"
    assert (await hall.acme.colleague.delete(f"/api/repo-obj/{theirs['id']}")).status_code == 204
    again = await render(author, first)
    assert (again["object_id"], again["version"]) == (output["object_id"], 2)
    own = await upload(author, "b.form.md", b"by hand")
    assert (await render(author, await upload(author, "b.txt")))["key"] == "b.form (2).md"
    assert (await author.get(f"/api/repo-obj/{own['id']}")).json()["version"] == 1


@pytest.mark.every_database
async def test_racing_twins_make_one_document_and_lose_no_version(hall, upload, render, listed):
    author = hall.acme.member
    made = await upload(author, "a.txt")
    outputs = await asyncio.gather(*[render(author, made, f"n{number}") for number in range(4)])
    assert {output["key"] for output in outputs} == {"a.form.md"}
    assert len({output["object_id"] for output in outputs}) == 1
    assert sorted(output["version"] for output in outputs) == [1, 2, 3, 4]
    assert await listed(author) == ["a.form.md", "a.txt"]
    # Of two sources that share a name, neither is lost.
    other = await upload(author, "a.docx", b"PK")
    both = await asyncio.gather(render(author, other), render(author, made))
    assert {output["key"] for output in both} == {"a.form.md", "a.form (2).md"}


@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
async def test_an_output_has_the_owner_the_visibility_and_the_grants_of_its_source(hall, upload, render):
    author, colleague = hall.acme.member, hall.acme.colleague
    made = await upload(author, "a.txt", visibility="private")
    with pytest.raises(NotFound):
        await render(colleague, made)
    grant = {"principal_type": "user", "principal_id": colleague.user_id, "capability": "edit"}
    assert (await author.post(f"/api/repo-obj/{made['id']}/share", grant)).status_code == 200
    output = await render(colleague, made)
    found = (await author.get(f"/api/repo-obj/{output['object_id']}")).json()
    assert (found["owner"]["id"], found["visibility"]) == (author.user_id, "shared")
    assert (await render(colleague, made))["version"] == 2
    assert (await hall.acme.owner.get(f"/api/repo-obj/{output['object_id']}")).status_code == 404


async def test_who_may_only_look_at_an_output_does_not_pile_up_others(hall, upload, render, listed):
    author, colleague = hall.acme.member, hall.acme.colleague
    made = await upload(author, "a.txt", visibility="private")
    grant = {"principal_type": "user", "principal_id": colleague.user_id, "capability": "view"}
    await author.post(f"/api/repo-obj/{made['id']}/share", grant)
    assert (await render(colleague, made))["key"] == "a.form.md"
    with pytest.raises(PermissionDenied):
        await render(colleague, made)
    assert await listed(author) == ["a.form.md", "a.txt"]


async def test_what_is_made_of_a_document_that_went_private_is_private_from_then_on(hall, upload, render):
    author = hall.acme.member
    made = await upload(author, "a.txt")
    output = await render(author, made)
    path = f"/api/repo-obj/{output['object_id']}"
    assert (await hall.acme.colleague.get(path)).status_code == 200
    await author.post(f"/api/repo-obj/{made['id']}/visibility", {"visibility": "private"})
    assert (await render(author, made))["version"] == 2
    assert (await hall.acme.colleague.get(path)).status_code == 404


async def test_what_is_made_of_a_document_again_is_not_for_those_who_see_it_no_more(hall, upload, render):
    author, colleague, viewer, team = (
        hall.acme.member,
        hall.acme.colleague,
        hall.acme.viewer,
        hall.acme.team_id,
    )
    stranger = hall.acme.second_team.member
    made = await upload(author, "a.txt", visibility="private")
    path = f"/api/repo-obj/{made['id']}"
    for other in (colleague, viewer, stranger):
        whom = {"principal_type": "user", "principal_id": other.user_id, "capability": "view"}
        assert (await author.post(f"{path}/share", whom)).status_code == 200
    output = await render(author, made)
    shown = f"/api/repo-obj/{output['object_id']}"

    async def who_sees():
        others = {"colleague": colleague, "viewer": viewer, "stranger": stranger}
        return {name for name, other in others.items() if (await other.get(shown)).status_code == 200}

    assert await who_sees() == {"colleague", "viewer", "stranger"}
    assert (await author.post(f"{path}/unshare", {"user_id": colleague.user_id})).status_code == 200
    ends = rfc3339(hall.clock.now_ms() + 3_600_000)
    whom = {
        "principal_type": "user",
        "principal_id": viewer.user_id,
        "capability": "view",
        "expires_at": ends,
    }
    assert (await author.post(f"{path}/share", whom)).status_code == 200
    assert (await render(author, made))["version"] == 2
    assert await who_sees() == {"viewer", "stranger"}
    hall.clock.advance(hours=1)
    assert await who_sees() == {"stranger"}
    # One of a team that sees the source keeps what they were given.
    whom = {"principal_type": "team", "principal_id": team, "capability": "view"}
    assert (await author.post(f"{path}/share", whom)).status_code == 200
    assert (await author.post(f"{shown}/share", {"user_id": colleague.user_id})).status_code == 200
    assert (await author.post(f"{path}/unshare", {"user_id": stranger.user_id})).status_code == 200
    assert (await render(author, made))["version"] == 3
    assert await who_sees() == {"colleague"}


async def test_a_deleted_output_is_made_anew_and_a_long_key_is_cut(hall, upload, render):
    author = hall.acme.member
    made = await upload(author, "a.txt")
    output = await render(author, made)
    assert (await hall.acme.owner.delete(f"/api/repo-obj/{output['object_id']}")).status_code == 204
    again = await render(author, made)
    assert (again["key"], again["version"]) == ("a.form.md", 1)
    long = await upload(author, "é" * 512)
    cut = await render(author, long)
    assert len(cut["key"].encode()) <= 1024
    assert cut["key"].endswith("é.form.md")


async def test_nobody_writes_by_a_tool_what_they_may_not_write(hall, upload, render):
    made = await upload(hall.acme.member, "a.txt")
    viewer = await hall.join(hall.acme, "viewer")
    with pytest.raises(PermissionDenied):
        await render(viewer, made)
    reading = await hall.with_token(hall.acme.member, scope=["files:read"])
    with pytest.raises(PermissionDenied):
        await render(reading, made)
    with pytest.raises(NotFound):
        await render(hall.globex.member, made)
    await hall.acme.owner.post("/api/tools/doc_render", {"enabled": False})
    with pytest.raises(ToolDisabled):
        await render(hall.acme.member, made)


NO_NAMES = ["../x", "a.b", "", "a" * 65, "a b", "a\n"]


async def test_a_step_that_is_no_name_names_no_key(hall, upload, render):
    made = await upload(hall.acme.member, "a.txt")
    for step in NO_NAMES:
        with pytest.raises(InvalidRequest):
            await render(hall.acme.member, made, step=step)


async def test_keys_that_are_all_taken_are_an_error(hall, upload, render, monkeypatch):
    monkeypatch.setattr("builtin_plugins.documents.outputs.MAX_NUMBER", 1)
    await upload(hall.acme.colleague, "a.form.md")
    with pytest.raises(Conflict, match="taken"):
        await render(hall.acme.member, await upload(hall.acme.member, "a.txt"))


async def test_a_call_that_was_cut_off_after_its_write_makes_no_second_document(
    hall, upload, render, listed, monkeypatch
):
    author = hall.acme.member
    made = await upload(author, "a.txt")
    repository = hall.server.service(Repository)
    write = repository.write

    async def killed(*arguments, **more):
        await write(*arguments, **more)
        raise ConnectionError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(repository, "write", killed)
        with pytest.raises(ConnectionError):
            await render(author, made, run="run_1")
    assert (await render(author, made, run="run_1"))["version"] == 2
    assert await listed(author) == ["a.form.md", "a.txt"]
