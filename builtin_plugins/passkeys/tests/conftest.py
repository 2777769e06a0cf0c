"""People with a password and an authenticator in software."""

from dataclasses import dataclass, field
from itertools import count

import pyotp
import pytest

from builtin_plugins.passkeys.authenticator import SoftwareAuthenticator

PASSWORD = "correct horse battery"
_numbers = count(1)


@dataclass
class KeyHolder:
    """Somebody of Acme's team; `client` is their first session, `key` what they hold in their hand."""

    hall: object
    username: str
    user_id: str
    client: object
    key: SoftwareAuthenticator
    secret: str = ""
    more: dict = field(default_factory=dict)

    async def options(self, path="/api/passkeys/options"):
        response = await self.client.post(path, {})
        assert response.status_code == 200, response.text
        return response.json()

    async def register(self, name="My laptop", *, key=None, client=None):
        credential = (key or self.key).create(await self.options())
        return await (client or self.client).post(
            "/api/passkeys/register", {"name": name, "credential": credential}
        )

    async def answer(self, key=None):
        """What the key answers to fresh options to sign in."""
        options = (await self.hall.anonymous.post("/api/login/passkey/options", {})).json()
        return (key or self.key).get(options)

    async def verify(self, credential, **more):
        return await self.hall.anonymous.post("/api/login/passkey/verify", {"credential": credential, **more})

    async def sign_in(self, key=None, **more):
        return await self.verify(await self.answer(key), **more)

    async def login(self, **more):
        return await self.hall.anonymous.post(
            "/api/login", {"username": self.username, "password": PASSWORD, **more}
        )

    async def enable_two_factor(self):
        self.secret = (await self.client.post("/api/2fa/enable")).json()["secret"]

    def totp(self):
        return pyotp.TOTP(self.secret).at(self.hall.clock.now_ms() // 1000)


@pytest.fixture
def new_holder(hall):
    """`await new_holder()`: a new person; `register=False` without a passkey."""

    async def create(*, register=True, role="member", company=None, **lies) -> KeyHolder:
        owner = (company or hall.acme).owner
        name = f"holder{next(_numbers)}"
        made = await owner.post("/api/members", {"username": name, "role": role, "password": PASSWORD})
        assert made.status_code == 201, made.text
        body = made.json()
        key = SoftwareAuthenticator(hall.base_url, **lies)
        holder = KeyHolder(hall, name, body["member"]["user_id"], hall.bearer(body["token"]), key)
        if register:
            response = await holder.register()
            assert response.status_code == 201, response.text
        return holder

    return create


@pytest.fixture
async def holder(new_holder) -> KeyHolder:
    return await new_holder()
