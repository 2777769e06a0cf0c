"""Halls with a kind of way whose other side is the test: it says what it is told, and takes passwords."""

import pytest
import pytest_asyncio

from guildhall_sdk import InvalidRequest, Plugin, hookimpl
from guildhall_sdk.schema import string
from guildhall_sdk.services.sign_in import SignInKind, SignInProof, SignInStep


class Tower:
    """The kind `tower`: it is told who has which password there, and may be down."""

    PLUGIN = Plugin("tower", "Tower", "1.0", "People who come in by a tower.", requires=("sign-in",))

    def __init__(self):
        self.renew()

    def renew(self):
        self.people = {}
        self.seen = []

    async def check(self, host, settings):
        if settings["url"].startswith("ftp:"):
            raise InvalidRequest.at("/url", "takes no ftp")
        return {**settings, "url": settings["url"].lower()}

    async def test(self, host, way):
        self.seen.append(way.settings)
        return [SignInStep("bridge", True, "down"), SignInStep("gate", False, "closed")]

    async def authenticate(self, host, way, username, password):
        self.seen.append(way.settings)
        known = self.people.get(username)
        if known is None or known["password"] != password:
            return None
        return SignInProof(subject=known["subject"], claims=known["claims"])

    @hookimpl
    def declare_sign_in_kinds(self):
        text = string(min_length=1, max_length=200)
        kind = SignInKind(
            name="tower",
            fields={"url": text, "secret": text, "colour": text},
            required=["url", "secret"],
            secrets=["secret"],
            anchors=["url"],
            addresses={"window": "/tower/{id}"},
            check=self.check,
            test=self.test,
            authenticate=self.authenticate,
        )
        return [kind]


@pytest.fixture(scope="session")
def same_tower():
    """One plugin, so that tests may share a server that has it."""
    return Tower()


@pytest.fixture
def tower(same_tower):
    same_tower.renew()
    return same_tower


@pytest_asyncio.fixture(loop_scope="session")
async def hall(share_hall, tower):
    async with share_hall(tower) as opened:
        yield opened


WAY = {"kind": "tower", "label": "The tower", "url": "https://tower.test", "secret": "sesame"}


@pytest.fixture
async def set_up(hall):
    """Sets up ways, which are gone with the test: a domain belongs to one company."""
    made = []

    async def make(client=None, path="/api/org/sign-in", **more):
        answer = await (client or hall.acme.org_owner).post(path, {**WAY, **more})
        assert answer.status_code == 201, answer.text
        made.append((client or hall.acme.org_owner, f"{path}/{answer.json()['id']}"))
        return answer.json()

    yield make
    for client, place in made:
        await client.delete(place)


@pytest.fixture
def log_in(hall, tower):
    """Logs in as somebody of the tower of whom it says these claims."""

    async def login(way, subject="s-1", *, password="open", client=None, **claims):
        tower.people = {"ada": {"password": "open", "subject": subject, "claims": claims}}
        body = {"username": "ada", "password": password, "way": way["id"]}
        return await (client or hall.anonymous).post("/api/login", body)

    return login
