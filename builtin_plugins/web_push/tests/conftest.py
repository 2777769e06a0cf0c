"""A push service and a browser of the test's own: it reads what was encrypted for it."""

import asyncio
import hmac
from hashlib import sha256
from types import SimpleNamespace

import pytest
import pytest_asyncio
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from builtin_plugins.web_push.encryption import encoded
from builtin_plugins.web_push.sending import PushSender
from tests.told_server import ToldServer


@pytest.fixture
def by_hand(monkeypatch):
    """Nothing is sent by itself."""

    async def rest(self):
        await asyncio.Event().wait()

    monkeypatch.setattr(PushSender, "run", rest)


@pytest_asyncio.fixture(loop_scope="session")
async def hall(open_hall, by_hand):
    async with open_hall(SERVICE_ORG_PRIVATE_ENDPOINTS="on") as opened:
        yield opened


def hkdf(salt, material, info, length):
    """RFC 5869 for one block."""
    key = hmac.digest(salt, material, sha256)
    return hmac.digest(key, info + b"\x01", sha256)[:length]


class Browser:
    """Its keys, and where its push service takes messages."""

    def __init__(self, endpoint="https://push.test/1", key=None, secret=b"sixteen bytes ok"):
        self.endpoint, self.secret = endpoint, secret
        self.key = key or ec.generate_private_key(ec.SECP256R1())

    @property
    def public(self):
        return self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    @property
    def subscription(self):
        keys = {"p256dh": encoded(self.public), "auth": encoded(self.secret)}
        return {"endpoint": self.endpoint, "expirationTime": None, "keys": keys}

    def read(self, body):
        """Decrypts one record of `aes128gcm`, as RFC 8188 and 8291 say it."""
        salt, size, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        sender, sealed = body[21 : 21 + length], body[21 + length :]
        assert len(body) <= size == 4096
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
        shared = self.key.exchange(ec.ECDH(), point)
        mixed = hkdf(self.secret, shared, b"WebPush: info\x00" + self.public + sender, 32)
        key = hkdf(salt, mixed, b"Content-Encoding: aes128gcm\x00", 16)
        nonce = hkdf(salt, mixed, b"Content-Encoding: nonce\x00", 12)
        content = AESGCM(key).decrypt(nonce, sealed, None)
        assert content[-1] == 2
        return content[:-1]


@pytest_asyncio.fixture(loop_scope="session")
async def service():
    """A push service that does as the test tells it."""
    server = ToldServer()
    await server.start()
    server.answer(b"", 201)
    yield server
    await server.stop()


@pytest.fixture
def told(hall, service):
    """Somebody with a browser who wants to be told there of notes that are shared."""

    async def told(person, path="/1"):
        browser = Browser(service.url + path)
        answer = await person.post("/api/push-devices", browser.subscription)
        assert answer.status_code == 201, answer.text
        chosen = await person.put("/api/notification-settings", {"notes.shared": {"push": True}})
        assert chosen.status_code == 200, chosen.text
        return SimpleNamespace(browser=browser, id=answer.json()["id"], person=person)

    return told


@pytest.fixture
def share(hall):
    async def share(by, person, title="The plan"):
        note = (await by.post("/api/notes", {"title": title})).json()
        body = {"user_id": person.user_id, "permission": "notes:read"}
        assert (await by.post(f"/api/notes/{note['id']}/share", body)).status_code == 200
        return note["id"]

    return share


@pytest.fixture
def send(hall):
    """Sends all that is due, as the background does."""
    return lambda: hall.server.host.service(PushSender).work()
