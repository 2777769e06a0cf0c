"""Halls with this plugin, as the tests of companies meet them."""

from importlib.metadata import entry_points

import pytest

from builtin_plugins import companies

INSTALLED = any(point.value == companies.__name__ for point in entry_points(group="guildhall.plugins"))


@pytest.fixture
def open_companies(open_hall):
    """`open_hall` with this plugin, whether or not it is installed."""

    def opened(*plugins, **settings):
        return open_hall(*(plugins if INSTALLED else (companies, *plugins)), **settings)

    return opened


@pytest.fixture
async def hall(share_hall):
    async with share_hall(*(() if INSTALLED else (companies,))) as opened:
        yield opened


@pytest.fixture
async def hosted(open_companies):
    """A hosted instance on which nobody has been provisioned."""
    token = "canary-of-the-provisioning-token"
    async with open_companies(populated=False, SERVICE_PROVISION_TOKEN=token) as hall:
        yield hall


@pytest.fixture
def found(hall):
    """`await found("Umbrella")`: a company as its operator makes it, and its owner as a client."""

    async def made(name="Umbrella", **more):
        body = {"name": name, "owner": {"username": f"owner-of-{name.lower()}"}, **more}
        response = await hall.operator.post("/api/orgs", body)
        assert response.status_code == 201, response.text
        answer = response.json()
        return answer, hall.bearer(answer["token"])

    return made


@pytest.fixture
def actions_of():
    """What a company finds in its own trail, newest first."""

    async def listed(client):
        response = await client.get("/api/org/audit")
        assert response.status_code == 200, response.text
        return [event["action"] for event in response.json()["items"]]

    return listed
