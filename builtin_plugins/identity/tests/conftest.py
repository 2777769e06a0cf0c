"""People who sign in, as the tests of identity meet them."""

from dataclasses import dataclass
from itertools import count

import pyotp
import pytest

PASSWORD = "correct horse battery"
_numbers = count(1)


@dataclass
class Account:
    """Somebody of Acme's team with a password; `client` is their first session."""

    hall: object
    username: str
    user_id: str
    client: object
    secret: str = ""
    codes: tuple[str, ...] = ()

    async def login(self, password: str = PASSWORD, **more):
        body = {"username": self.username, "password": password, **more}
        return await self.hall.anonymous.post("/api/login", body)

    async def session(self, **more):
        """A further session, as a client."""
        response = await self.login(**more)
        assert response.status_code == 200, response.text
        return self.client.bearing(response.json()["token"])

    def totp(self, steps: int = 0) -> str:
        """The code of this moment, or of so many steps from it."""
        return pyotp.TOTP(self.secret).at(self.hall.clock.now_ms() // 1000 + 30 * steps)

    async def enable_two_factor(self) -> None:
        response = await self.client.post("/api/2fa/enable")
        assert response.status_code == 200, response.text
        self.secret = response.json()["secret"]
        self.codes = tuple(response.json()["recovery_codes"])


@pytest.fixture
async def hall(hall):
    """A hall in which the failed logins of tests before this one count no more."""
    hall.clock.advance(hours=1)
    return hall


@pytest.fixture
def new_account(hall):
    """`await new_account(role)`: a new person with a password."""

    async def create(role: str = "member", username: str | None = None) -> Account:
        name = username or f"person{next(_numbers)}"
        body = {"username": name, "role": role, "password": PASSWORD}
        response = await hall.acme.owner.post("/api/members", body)
        assert response.status_code == 201, response.text
        answer = response.json()
        user_id = answer["member"]["user_id"]
        return Account(hall, name, user_id, hall.bearer(answer["token"]))

    return create


@pytest.fixture
async def account(new_account) -> Account:
    return await new_account()
