"""At use a name is resolved once, checked, and the connection goes where it was checked to go."""

from contextlib import aclosing

import httpcore
import pytest

from builtin_plugins.executors.endpoints import EndpointRefused, open_client
from builtin_plugins.executors.jobs import run_turn
from builtin_plugins.executors.model_endpoint import HttpModelEndpoint
from guildhall_sdk import JobFailed
from libs.outbound_http import HttpFault
from libs.outbound_http.network import AsyncioNetwork

HELLO = {"messages": [{"role": "user", "content": "Hello"}]}


async def turn(client, key):
    url = "http://models.example.com/v1"
    return await run_turn(HttpModelEndpoint(lambda: client, url, key, timeout_seconds=120), HELLO)


async def get(client, url):
    async with aclosing(await client.send("GET", url, {})) as answer:
        assert [chunk async for chunk in answer.chunks()]
        return answer.status


@pytest.fixture
def wires(monkeypatch, model_server):
    """Where connections were made to; each ends at the model server, whatever the address."""
    made = []
    connect = AsyncioNetwork.connect_tcp

    async def connected(self, host, port, *more, **named):
        made.append((host, port))
        if host == "8.8.4.4":
            raise httpcore.ConnectError("refused")
        return await connect(self, "127.0.0.1", model_server.port, *more, **named)

    monkeypatch.setattr(AsyncioNetwork, "connect_tcp", connected)
    return made


@pytest.fixture
async def pinned(names):
    async with aclosing(open_client(names)) as client:
        yield client


async def test_the_connection_goes_to_the_address_that_was_checked(names, pinned, wires, model_server):
    names.known["models.example.com"] = ["8.8.8.8"]
    await get(pinned, "http://models.example.com:8000/v1/models")
    assert wires == [("8.8.8.8", 8000)]
    assert names.asked == ["models.example.com"]
    assert model_server.requests[0][1]["host"] == "models.example.com:8000"


async def test_the_next_address_is_tried_when_one_does_not_answer(names, pinned, wires):
    names.known["models.example.com"] = ["8.8.4.4", "8.8.8.8"]
    await get(pinned, "http://models.example.com/v1/models")
    assert wires == [("8.8.4.4", 80), ("8.8.8.8", 80)]
    names.known["models.example.com"] = ["8.8.4.4"]
    with pytest.raises(HttpFault):
        await get(pinned, "http://models.example.com/v1/models")


async def test_a_name_that_turned_inward_is_refused_before_any_connection(names, pinned, wires):
    names.known["models.example.com"] = ["8.8.8.8"]
    await get(pinned, "http://models.example.com/v1/models")
    for inward in (["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::ffff:127.0.0.1"]):
        names.known["models.example.com"] = inward
        with pytest.raises(EndpointRefused):
            await get(pinned, "http://models.example.com/v1/models")
    assert wires == [("8.8.8.8", 80)]


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost", "[::ffff:127.0.0.1]"])
async def test_an_inward_address_is_refused_at_use_too(pinned, wires, host):
    with pytest.raises(EndpointRefused):
        await get(pinned, f"http://{host}/v1/models")
    assert wires == []


async def test_a_turn_that_leads_inward_fails_for_good(names, pinned, wires):
    names.known["models.example.com"] = ["10.0.0.1"]
    with pytest.raises(JobFailed) as failure:
        await turn(pinned, "sk-secret")
    assert (failure.value.code, failure.value.retry) == ("endpoint_refused", False)
    assert wires == []


async def test_tls_asks_for_the_name_and_not_for_the_address(names, pinned, monkeypatch):
    names.known["models.example.com"] = ["8.8.8.8"]
    asked = []

    class Stream(httpcore.AsyncNetworkStream):
        async def start_tls(self, ssl_context, server_hostname=None, timeout=None):
            asked.append((server_hostname, ssl_context.check_hostname))
            raise httpcore.ConnectError("enough")

        async def aclose(self):
            return None

    async def connected(self, *where, **named):
        return Stream()

    monkeypatch.setattr(AsyncioNetwork, "connect_tcp", connected)
    with pytest.raises(HttpFault):
        await get(pinned, "https://models.example.com/v1/models")
    assert asked == [("models.example.com", True)]


async def test_a_redirect_is_not_followed(names, pinned, wires, model_server):
    names.known["models.example.com"] = ["8.8.8.8"]
    model_server.answer(b"", 307, Location="http://127.0.0.1/v1/chat/completions")
    with pytest.raises(JobFailed, match="307; redirects are not followed") as failure:
        await turn(pinned, None)
    assert not failure.value.retry
    assert len(wires) == len(model_server.requests) == 1


async def test_no_cookie_and_no_proxy_of_the_environment_is_used(
    names, pinned, wires, model_server, monkeypatch
):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    names.known["models.example.com"] = ["8.8.8.8"]
    model_server.answer({}, Set_Cookie="who=acme; Path=/")
    async with aclosing(open_client(names)) as fresh:
        for client in (pinned, pinned, fresh):
            assert await get(client, "http://models.example.com/v1/models") == 200
    assert all("cookie" not in headers for _, headers, _ in model_server.requests)
