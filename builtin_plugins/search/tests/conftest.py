"""A hall with a shelf of things to find, and the few words that fill it and search it."""

from importlib.metadata import entry_points
from itertools import count

import pytest
import pytest_asyncio

from builtin_plugins import search
from builtin_plugins.search.tests import shelf
from guildhall_sdk.services.search import Findable, SearchIndex

_numbers = count(1)


@pytest.fixture(scope="session")
def search_plugins():
    """The shelf, and search itself where it is not installed as a plugin."""
    installed = {entry.value for entry in entry_points(group="guildhall.plugins")}
    return [shelf] if search.__name__ in installed else [search, shelf]


@pytest_asyncio.fixture(loop_scope="session")
async def shelved(share_hall, search_plugins):
    async with share_hall(*search_plugins) as opened:
        yield opened


@pytest.fixture
def put(shelved):
    """`await put("title", "text")`: a thing that everybody in Acme's first team may read."""

    async def put(title, text="", *, ref_id=None, company=None):
        company = company or shelved.acme
        ref_id = ref_id or f"open_{next(_numbers):06}"
        async with shelved.server.data.write() as writer:
            found = Findable("thing", ref_id, company.org_id, company.team_id, title, text)
            await shelved.server.service(SearchIndex).put(writer, found)
        return ref_id

    return put


@pytest.fixture
def found(shelved):
    """`await found("words")`: the ids, best first."""

    async def found(typed, client=None, **query):
        return [
            item["id"] for item in (await page_of(client or shelved.acme.member, typed, **query))["items"]
        ]

    return found


@pytest.fixture
def first_hit(shelved):
    async def first_hit(typed):
        return (await page_of(shelved.acme.member, typed))["items"][0]

    return first_hit


@pytest.fixture
def page():
    return page_of


async def page_of(client, typed, **query):
    response = await client.get("/api/search", params={"q": typed, **query})
    assert response.status_code == 200, response.text
    return response.json()
