"""Ways to send what no client would, and to see that nothing came of it."""

from contextlib import ExitStack

import pytest
import pytest_asyncio

from guildhall_testing.conformance.state import Snapshot
from guildhall_testing.hall import open_hall
from guildhall_testing.raw import RawAnswer, request_bytes
from tests.bad_input.shares import gets_all, is_sampled


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "strict_on_postgresql: a test of a row, which on SQLite runs for one row in ten"
    )
    config.addinivalue_line(
        "markers", "before_the_handler: what refuses is one for all rows, so that some of them are tried"
    )


def pytest_itemcollected(item):
    """What comes to the database as it is is tried on PostgreSQL, and for one row in ten on SQLite too.

    What comes to no handler is tried for some rows; of the others it is a long form.
    """
    given, asked = getattr(item, "callspec", None), item.config.getoption
    if given is None or asked("--every-database") or asked("--hall-database"):
        return
    bound, database = given.params.get("bound"), given.params.get("hall_database")
    if database == "sqlite" and item.get_closest_marker("strict_on_postgresql") and not gets_all(bound):
        item.add_marker(pytest.mark.long_form)
    if bound is not None and item.get_closest_marker("before_the_handler") and not is_sampled(bound):
        item.add_marker(pytest.mark.long_form)


#: Rows of a protocol that is not ours, which refuses in its own words unless a caller asks for ours.
SPOKEN_BY_OTHERS = "/scim/"


@pytest.fixture
def send(shared_hall):
    """`await send(client, "GET", path, body, If_Match="x")`: these bytes, on a connection of its own."""

    async def sent(client, method, path, body=b"", **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if body:
            named.setdefault("Content-Length", str(len(body)))
        if path.startswith(SPOKEN_BY_OTHERS):
            named.setdefault("Accept", "application/problem+json")
        request = request_bytes(method, path, token=client.token, headers=named, body=body)
        return RawAnswer.parse(await shared_hall.raw(request))

    return sent


@pytest.fixture
def code_of():
    """Asserts that an answer is a refusal in our own words, and gives its code."""

    def code(answer, call):
        assert 400 <= answer.status < 500, f"{call} answered {answer.status} {answer.body[:300]!r}"
        assert answer.headers["content-type"] == "application/problem+json", call
        problem = answer.json()
        assert problem["status"] == answer.status, call
        return problem["code"]

    return code


@pytest.fixture
async def unchanged(shared_hall):
    """The test makes what it needs, then calls this; from there on nothing may change."""
    before = []

    async def watch():
        await shared_hall.drain_jobs()
        if not shared_hall.cache.get("has workflows"):
            # With its first look a team has the workflows that ship.
            for company in (shared_hall.acme, shared_hall.globex):
                await company.owner.get("/api/workflows")
            shared_hall.cache["has workflows"] = True
        before.append(stack.enter_context(Snapshot(shared_hall.server.data)))

    with ExitStack() as stack:
        yield watch
        assert await before[0].changes() is None


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def impatient_hall(hall_sites, hall_watch, hall_database):
    """A hall that soon hangs up on a connection where nothing happens."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("libs.listener.listening.CHECK_SECONDS", 0.01)
        patch.setattr("libs.listener.connection.KEEP_ALIVE_SECONDS", 0.05)
        patch.setattr("libs.listener.connection.HEAD_SECONDS", 0.05)
        async with open_hall(hall_sites, hall_database, hall_watch) as hall:
            yield hall
