"""HTTP for plugins: where it goes, what comes back, and how it is counted."""

import pytest

from builtin_plugins.outbound.service import GuardedHttp, guarded_http
from guildhall_sdk import UserError
from guildhall_sdk.metrics import Metrics
from guildhall_sdk.services.outbound import OutboundFailed, OutboundHttp, OutboundRequest
from tests.name_service import Names

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


@pytest.fixture
async def hall(share_hall):
    async with share_hall(SERVICE_ORG_PRIVATE_ENDPOINTS="on") as opened:
        yield opened


async def counted(hall, plugin):
    families = {one.name: one for one in await hall.server.service(Metrics).collect()}
    family = families["guildhall_outbound_requests_total"]
    return {one.labels["outcome"]: one.value for one in family.samples if one.labels.get("plugin") == plugin}


@pytest.mark.own_server
async def test_an_answer_comes_whole_and_is_counted_for_the_plugin(hall, ask, receiver):
    receiver.answer(b"Hello", 201, X_Kind="greeting")
    answer = await ask(hall, f"{receiver.url}/in?a=b", method="POST", headers={"X-Key": "k"}, body=b"{}")
    assert (answer.status, answer.headers["x-kind"], answer.body) == (201, "greeting", b"Hello")
    line, headers, body = receiver.requests[0]
    assert (line, headers["x-key"], body) == ("POST /in?a=b HTTP/1.1", "k", b"{}")
    receiver.silent = True
    with pytest.raises(OutboundFailed) as late:
        await ask(hall, receiver.url, timeout_seconds=0.05)
    assert (late.value.status, late.value.code) == (502, "outbound_timeout")
    assert await counted(hall, "shelf") == {"2xx": 1, "timeout": 1}


async def test_what_comes_is_bounded(hall, ask, receiver):
    receiver.answer(b"x" * 2000)
    with pytest.raises(OutboundFailed) as large:
        await ask(hall, receiver.url, max_bytes=1000)
    assert large.value.code == "outbound_too_large"


async def test_a_redirect_is_not_followed(hall, ask, receiver):
    receiver.answer(b"", 302, Location=f"{receiver.url}/elsewhere")
    assert (await ask(hall, receiver.url)).status == 302
    assert len(receiver.requests) == 1


async def test_nobody_answers_where_nobody_is(hall, ask, receiver):
    await receiver.stop()
    with pytest.raises(OutboundFailed) as failed:
        await ask(hall, receiver.url)
    assert failed.value.code == "outbound_failed"


@pytest.mark.parametrize(
    "headers",
    [{"Host": "other"}, {"X-One": "a\r\nX-Two: b"}, {"X One": "a"}, {"Content-Length": "3"}, {"X-One": "é"}],
)
async def test_a_header_that_would_break_the_request_is_refused_without_its_value(
    hall, ask, receiver, headers
):
    with pytest.raises(UserError) as refused:
        await ask(hall, receiver.url, headers=headers)
    assert refused.value.code == "endpoint_refused"
    assert not any(value in refused.value.detail for value in headers.values() if len(value) > 3)
    assert receiver.requests == []


@pytest.mark.own_server
async def test_unless_the_operator_says_so_nothing_leads_inward(open_hall, ask, receiver):
    async with open_hall() as hall:
        service = hall.server.service(OutboundHttp)
        assert not service.private_allowed
        for url in (receiver.url, "http://localhost/", "http://169.254.169.254/latest", "http://[::1]/"):
            with pytest.raises(UserError) as refused:
                await service.check(url)
            assert refused.value.code == "endpoint_refused"
            with pytest.raises(UserError):
                await ask(hall, url)
        assert receiver.requests == []


@pytest.mark.own_server
async def test_a_name_is_checked_again_at_each_use(open_hall, receiver):
    names = Names()
    async with open_hall() as hall:
        guarded = GuardedHttp(hall.server.host_of("outbound"), names)
        names.known["hooks.example.com"] = ["8.8.8.8"]
        assert await guarded.check("https://Hooks.example.com/in") == "https://hooks.example.com/in"
        names.known["hooks.example.com"] = ["8.8.8.8", "127.0.0.1"]
        request = OutboundRequest(
            plugin="shelf", org_id=hall.acme.org_id, url=f"http://hooks.example.com:{receiver.port}/"
        )
        with pytest.raises(UserError):
            await guarded.send(request)
        await guarded.close()
        assert receiver.requests == []
        assert isinstance(guarded_http(hall.server.host), GuardedHttp)
