"""Halls whose companies sign in at a provider of the test's own, and a browser that goes there and back."""

from urllib.parse import parse_qs, urlsplit

import pytest_asyncio

from builtin_plugins.oidc.tests.provider import Provider


@pytest_asyncio.fixture(loop_scope="session")
async def hall(share_hall):
    async with share_hall(SERVICE_ORG_PRIVATE_ENDPOINTS="on") as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def same_provider():
    provider = Provider()
    await provider.start()
    yield provider
    await provider.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def provider(hall, same_provider):
    same_provider.renew()
    same_provider.now_s = lambda: hall.clock.now_ms() // 1000
    return same_provider


class Browser:
    """Follows the way to the provider and back, and keeps cookies."""

    def __init__(self, hall, provider):
        self.hall = hall
        self.provider = provider
        self.cookies = {}

    async def get(self, url):
        parts = urlsplit(url)
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        path = f"{parts.path}?{parts.query}"
        answer = await self.hall.anonymous.get(path, headers={"Cookie": cookie} if cookie else {})
        for name, value in answer.cookies.items():
            self.cookies[name] = value
        return answer

    async def start(self, way):
        answer = await self.get(f"/api/auth/oidc/{way}/start")
        assert answer.status_code == 303
        return answer.headers["location"]

    async def back(self, url):
        """Returns what is behind the `#` of where the browser ends."""
        answer = await self.get(url)
        assert answer.status_code == 303, answer.text
        location = urlsplit(answer.headers["location"])
        assert location.path == "/login" and not location.query
        return {name: values[0] for name, values in parse_qs(location.fragment).items()}

    async def sign_in(self, way):
        location = await self.start(way)
        if "#error=" in location:
            return {"error": location.partition("#error=")[2]}
        return await self.back(self.provider.authorize(location))


@pytest_asyncio.fixture(loop_scope="session")
async def browser(hall, provider):
    return Browser(hall, provider)


@pytest_asyncio.fixture(loop_scope="session")
async def set_up(hall, provider):
    """Sets up the provider as a way of Acme, and returns its id."""

    made = []

    async def make(client=None, path="/api/org/sign-in", **more):
        body = {
            "kind": "oidc",
            "label": "Acme",
            "issuer": provider.issuer,
            "client_id": "guildhall",
            "client_secret": provider.secret,
            **more,
        }
        answer = await (client or hall.acme.org_owner).post(path, body)
        assert answer.status_code == 201, answer.text
        made.append((client or hall.acme.org_owner, f"{path}/{answer.json()['id']}"))
        return answer.json()["id"]

    yield make
    for client, place in made:
        await client.delete(place)
