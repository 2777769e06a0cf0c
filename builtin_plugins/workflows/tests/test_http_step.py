"""The step `http`: what it sends, with a secret of the team, and what becomes of the answer."""

import pytest
import pytest_asyncio

from builtin_plugins.workflows.tests.conftest import Flows, ref, tool
from tests.told_server import ToldServer

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


@pytest_asyncio.fixture(loop_scope="session")
async def receiver():
    told = ToldServer()
    await told.start()
    yield told
    await told.stop()


@pytest.fixture
async def hall(share_hall, toys):
    async with share_hall(toys, SERVICE_ORG_PRIVATE_ENDPOINTS="on") as opened:
        yield opened


def http(url, method="GET", **more):
    return {"name": "h", "kind": "http", "method": method, "url": url, **more}


@pytest.mark.every_database
async def test_a_request_goes_out_and_its_answer_is_the_result(flows, receiver):
    receiver.answer({"ok": True}, 201, Content_Type="application/json", X_Kind="k")
    step = http(f"{receiver.url}/in", "POST", headers={"X-From": ref("input.x")}, body={"n": ref("input.x")})
    run = await flows.run(step, inputs={"x": "string"}, x="a")
    assert run["state"] == "succeeded", run["error"]
    result = run["output"]["result"]
    assert (result["status"], result["body"], result["headers"]["x-kind"]) == (201, {"ok": True}, "k")
    line, headers, _ = receiver.requests[0]
    assert (line, headers["x-from"], receiver.sent) == ("POST /in HTTP/1.1", "a", {"n": "a"})
    assert headers["idempotency-key"] == f"{run['id']}-1"


@pytest.mark.parametrize(
    ("headers", "name", "sent"),
    [
        ({}, "authorization", "Bearer s3cr3t-text"),
        ({"X-Key": "key {{secret}}"}, "x-key", "key s3cr3t-text"),
    ],
)
async def test_a_secret_of_the_team_is_sent_and_shown_nowhere(flows, receiver, headers, name, sent):
    await flows.hall.acme.owner.put("/api/team-secrets/status-key", {"value": "s3cr3t-text"})
    receiver.answer(b"you said s3cr3t-text", X_Echo="s3cr3t-text")
    run = await flows.run(http(receiver.url, headers=headers, secret="status-key"))
    assert receiver.requests[-1][1][name] == sent
    assert run["output"]["result"]["body"] == "you said [secret]"
    assert "s3cr3t-text" not in str(run)


async def test_a_secret_that_the_team_has_not_fails_the_step_and_one_of_others_is_none(flows, receiver):
    await flows.hall.globex.owner.put("/api/team-secrets/theirs", {"value": "s3cr3t-text"})
    run = await flows.run(http(receiver.url, secret="theirs"))
    assert (run["state"], run["error"]["code"]) == ("failed", "secret_missing")
    assert receiver.requests == []


@pytest.mark.parametrize(("retry", "tries"), [(0, 1), (1, 2)])
async def test_an_answer_that_may_pass_is_asked_for_again_while_a_retry_is_left(
    flows, receiver, retry, tries
):
    receiver.answer(b"busy", 503)
    await flows.publish(http(receiver.url, retry=retry))
    run = await flows.start()
    for _ in range(tries):
        await flows.hall.drain_jobs()
        flows.hall.server.clock.advance(seconds=30)
    ended = await flows.settle(run)
    assert (ended["state"], ended["output"]["result"]["status"]) == ("succeeded", 503)
    assert len(receiver.requests) == tries
    keys = {headers["idempotency-key"] for _, headers, _ in receiver.requests}
    assert len(keys) == 1


async def test_an_answer_that_never_comes_whole_can_be_caught(flows, receiver):
    receiver.answer(b"x" * (1024 * 1024 + 1))
    run = await flows.run(
        http(receiver.url, catch={"codes": ["outbound_too_large"], "next": "z"}), tool("z", 1)
    )
    assert (run["state"], run["output"]) == ("succeeded", {"result": 1})


@pytest.mark.own_server
async def test_an_address_inside_is_refused_unless_the_operator_allows_it(share_hall, toys, receiver):
    async with share_hall(toys) as hall:
        run = await Flows(hall, toys).run(http(receiver.url))
    assert (run["state"], run["error"]["code"]) == ("failed", "endpoint_refused")
    assert receiver.requests == []


@pytest.mark.parametrize(
    ("step", "pointer"),
    [
        (http(ref("input.x"), secret="k"), "/steps/0/url"),
        (http("ftp://x"), "/steps/0/url"),
        (http("https://x", headers={"a": "{{secret}}"}), "/steps/0/secret"),
        (http("https://x", "BREW"), "/steps/0/method"),
    ],
)
async def test_what_could_not_be_sent_is_refused_at_its_place(flows, step, pointer):
    spec = {"slug": "x", "inputs": {"x": {"type": "string"}}, "start": "h", "steps": [step]}
    refused = await flows.hall.acme.owner.post("/api/workflows", spec)
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, pointer)
