"""Every call back is checked when made: as the caller, within their credential's scope and the grant."""

import asyncio

import pytest

from builtin_plugins.oop.calls import PluginFailed
from builtin_plugins.oop.tests.folders import Programs, grant, turn_on, until
from guildhall_sdk import PermissionDenied

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

RUN = "oop__reader__run"
ALL = ("notes:read", "files:read", "model")
# What each capability opens, asked with an id where one is needed.
METHODS = {
    "notes:read": ("notes/list", "notes/read"),
    "files:read": ("files/list", "files/read"),
    "model": ("model/ask",),
}
TRY_ALL = """
result = {{}}
for method, params in {asked}.items():
    try:
        ask(method, **params)
        result[method] = 'done'
    except Exception as error:
        result[method] = str(error)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """With one plugin in it, which tests may share with the server that runs it."""
    return Programs(tmp_path_factory.mktemp("shared") / "programs").add("reader").root


@pytest.fixture
async def hall(share_hall, folder):
    """A hall whose plugin is connected, and granted nothing."""
    async with share_hall(SERVICE_OOP=str(folder)) as hall:
        await until(hall, lambda items: items["reader"]["status"] == "connected")
        await turn_on(hall, RUN)
        yield hall
        await grant(hall, "reader")


async def run(hall, who, code):
    return await hall.tool(RUN, as_=who, code=code)


async def things_of(hall, who):
    note = (await who.post("/api/notes", {"title": "Mine", "body": "of my own"})).json()
    file = (await who.put("/api/repo/mine.txt?visibility=private", content=b"words")).json()
    return {
        "notes/list": {},
        "notes/read": {"id": note["id"]},
        "files/list": {},
        "files/read": {"id": file["id"]},
        "model/ask": {"prompt": "Hello"},
    }


async def outcomes(hall, who, asked):
    return await run(hall, who, TRY_ALL.format(asked=asked))


@pytest.mark.own_server
async def test_a_call_back_needs_the_grant_and_nothing_is_granted_at_first(hall):
    asked = await things_of(hall, hall.acme.member)
    refused = dict.fromkeys(asked, "capability_not_granted")
    assert await outcomes(hall, hall.acme.member, asked) == refused
    for capability in ALL:
        await grant(hall, "reader", capability)
        opened = dict.fromkeys(METHODS[capability], "done")
        assert await outcomes(hall, hall.acme.member, asked) == refused | opened
    await grant(hall, "reader")
    assert await outcomes(hall, hall.acme.member, asked) == refused


async def test_the_scope_of_the_callers_credential_binds_the_plugin(hall):
    """A token for `chat:use` reads neither file nor note, not even its owner's own."""
    await grant(hall, "reader", *ALL)
    member = hall.acme.member
    asked = await things_of(hall, member)
    scoped = await hall.with_token(member, scope=["chat:use"])
    reads = ("notes/list", "notes/read", "files/list", "files/read")
    expected = dict.fromkeys(reads, "permission_denied") | {"model/ask": "done"}
    assert await outcomes(hall, scoped, asked) == expected
    with pytest.raises(PermissionDenied):
        await outcomes(hall, await hall.with_token(member, scope=["notes:read"]), asked)


async def test_a_plugin_reads_what_its_caller_may_read_and_no_more(hall):
    await grant(hall, "reader", *ALL)
    asked = await things_of(hall, hall.acme.member)
    await turn_on(hall, RUN, who=hall.globex.owner)
    for stranger in (hall.acme.owner, hall.operator, hall.globex.owner):
        if stranger is hall.operator:
            await turn_on(hall, RUN, who=stranger)
        found = await outcomes(hall, stranger, asked)
        assert (found["notes/read"], found["files/read"]) == ("not_found", "not_found")
        listed = "result = [ask('notes/list')['items'], ask('files/list')['items']]"
        assert await run(hall, stranger, listed) == [[], []]


LOOP = """
try:
    for _ in range(190):
        ask('notes/list')
        time.sleep(0.05)
except Exception as error:
    result = str(error)
"""


@pytest.mark.parametrize("change", ["grant", "role", "token"])
async def test_what_changes_while_a_call_is_served_holds_for_its_next_call_back(hall, change):
    await grant(hall, "reader", *ALL)
    colleague = await hall.join(hall.acme, "member")
    scoped = await hall.with_token(colleague, scope=["chat:use", "notes:read"])
    serving = asyncio.ensure_future(run(hall, scoped, LOOP))
    assert await run(hall, hall.acme.member, "result = len(tokens)") >= 1
    if change == "grant":
        await grant(hall, "reader", "model")
    elif change == "role":
        gone = await hall.acme.owner.delete(f"/api/members/{colleague.user_id}")
        assert gone.status_code == 204, gone.text
    else:
        tokens = (await hall.acme.owner.get("/api/tokens")).json()["items"]
        (token,) = [one["id"] for one in tokens if one["scope"] == ["chat:use", "notes:read"]]
        assert (await hall.acme.owner.delete(f"/api/tokens/{token}")).status_code == 204
    expected = {"grant": "capability_not_granted", "role": "unauthenticated", "token": "unauthenticated"}
    assert await serving == expected[change]


async def test_a_token_of_a_call_that_has_ended_opens_nothing(hall):
    await grant(hall, "reader", *ALL)
    assert await run(hall, hall.acme.owner, "ask('notes/list'); result = 'served'") == "served"
    with pytest.raises(PluginFailed, match="call_ended"):
        await run(hall, hall.acme.member, "ask('notes/list', token=tokens[0])")
    with pytest.raises(PluginFailed, match="call_ended"):
        await run(hall, hall.acme.member, "ask('notes/list', token='guessed')")


@pytest.mark.hall_databases("sqlite")
async def test_what_is_asked_wrongly_is_named_and_costs_nothing(hall):
    await grant(hall, "reader", *ALL)
    for wrong in (
        "ask('notes/delete')",
        "ask('notes/list', limit=0)",
        "ask('notes/list', limit='3')",
        "ask('notes/list', colour='red')",
        "ask('files/read')",
        "ask('files/read', id=5)",
        "ask('model/ask', prompt='')",
        "ask('model/ask', prompt='x', max_tokens=10**9)",
    ):
        with pytest.raises(PluginFailed, match="invalid_request"):
            await run(hall, hall.acme.member, wrong)
    used = (await hall.acme.owner.get("/api/usage")).json()["items"]
    assert {row["used"] for row in used if row["dimension"].startswith("ai.")} == {0}


async def test_a_long_text_comes_in_parts(hall):
    await grant(hall, "reader", *ALL)
    text = "".join(f"{number:06} \N{SNOWMAN}\n" for number in range(20_000))
    file = (await hall.acme.member.put("/api/repo/long.txt", content=text.encode())).json()
    code = f"""
result, offset = '', 0
while offset is not None:
    part = ask('files/read', id={file["id"]!r}, offset=offset)
    result, offset = result + part['text'], part['next_offset']
"""
    assert await run(hall, hall.acme.member, code) == text


async def test_a_turn_is_metered_as_the_callers_and_refused_beyond_their_quota(hall):
    await grant(hall, "reader", *ALL)
    limit = {"dimension": "ai.requests", "limit": 1, "window": "day"}

    async def ask():
        return await run(hall, hall.acme.member, "result = ask('model/ask', prompt='Hello')")

    operator_in_acme = await hall.join(hall.acme, "member", operator=True)
    assert (await operator_in_acme.post("/api/quota", limit)).status_code == 200
    assert (await ask())["simulated"] is True
    with pytest.raises(PluginFailed, match="quota_exceeded"):
        await ask()
    used = (await hall.acme.owner.get("/api/usage")).json()["items"]
    assert 1 in {row["used"] for row in used if row["dimension"] == "ai.requests"}


@pytest.mark.hall_databases("sqlite")
async def test_a_team_that_has_the_plugin_or_notes_off_is_left_alone(hall):
    await grant(hall, "reader", *ALL)
    owner = hall.acme.owner
    assert (await owner.post("/api/plugins/notes", {"enabled": False})).status_code == 200
    with pytest.raises(PluginFailed, match="feature_disabled"):
        await run(hall, hall.acme.member, "ask('notes/list')")
    serving = asyncio.ensure_future(run(hall, hall.acme.member, LOOP.replace("notes/list", "files/list")))
    assert await run(hall, owner, "result = 1") == 1
    assert (await owner.post("/api/plugins/oop", {"enabled": False})).status_code == 200
    assert await serving == "feature_disabled"
