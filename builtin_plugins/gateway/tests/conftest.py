"""Clients of OpenAI's API at a hall whose own model is scripted."""

import json

import pytest


@pytest.fixture
async def hall(share_hall):
    async with share_hall(with_model=True) as opened:
        yield opened


@pytest.fixture(scope="session")
def openai():
    """Their client, which takes as long to import as fifty tests to run."""
    import openai

    return openai


@pytest.fixture
async def client_of(hall, openai):
    """`await client_of(person)`: OpenAI's own client, with a token of the hall as its key."""
    opened = []

    async def client_of(person=None, key=None):
        if key is None:
            key = (await hall.with_token(person or hall.acme.member, scope=["chat:use"])).token
        http = openai.DefaultAsyncHttpxClient(trust_env=False)
        opened.append(http)
        return openai.AsyncOpenAI(
            api_key=key, base_url=f"{hall.base_url}/v1", http_client=http, max_retries=0
        )

    yield client_of
    for http in opened:
        await http.aclose()


def call(name, arguments, call_id="call_1"):
    """A tool call as a model writes it."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": call_id, "type": "function", "function": function}
