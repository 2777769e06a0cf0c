"""Programs that ask to act for people, in few words."""

import base64
import hashlib
import secrets
from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

CALLBACK = "https://app.example/callback"


def challenge_of(verifier):
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


def answer_in(address):
    """The parameters behind an address that a browser is sent to."""
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}


@dataclass
class App:
    """A program that registered: `await app.connect(person)` is the whole journey."""

    hall: object
    id: str
    verifier: str

    def asked(self, **changes):
        fields = {
            "client_id": self.id,
            "redirect_uri": CALLBACK,
            "response_type": "code",
            "code_challenge": challenge_of(self.verifier),
            "code_challenge_method": "S256",
            "scope": "notes:read notes:write",
            "state": "their state",
            **changes,
        }
        return {name: value for name, value in fields.items() if value is not None}

    async def decide(self, person, decision="allow", *, permissions=None, **changes):
        body = {**self.asked(**changes), "decision": decision}
        if permissions is not None:
            body["permissions"] = permissions
        return await person.post("/api/oauth/consent", body)

    async def code(self, person, **changes):
        response = await self.decide(person, **changes)
        assert response.status_code == 200, response.text
        return answer_in(response.json()["redirect_to"])["code"]

    async def form(self, path, **fields):
        sent = {name: value for name, value in fields.items() if value is not None}
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return await self.hall.anonymous.post(path, content=urlencode(sent).encode(), headers=headers)

    async def exchange(self, code, **changes):
        fields = {
            "grant_type": "authorization_code",
            "client_id": self.id,
            "code": code,
            "code_verifier": self.verifier,
            "redirect_uri": CALLBACK,
            **changes,
        }
        return await self.form("/oauth/token", **fields)

    async def refresh(self, token, **changes):
        fields = {"grant_type": "refresh_token", "client_id": self.id, "refresh_token": token, **changes}
        return await self.form("/oauth/token", **fields)

    async def connect(self, person, **changes):
        response = await self.exchange(await self.code(person, **changes))
        assert response.status_code == 200, response.text
        return response.json()


@pytest.fixture
def new_app(hall):
    async def register(name="Their editor", uris=(CALLBACK,)):
        body = {"client_name": name, "redirect_uris": list(uris)}
        response = await hall.anonymous.post("/oauth/register", body)
        assert response.status_code == 201, response.text
        return App(hall, response.json()["client_id"], secrets.token_urlsafe(48))

    return register


@pytest.fixture
async def app(new_app):
    return await new_app()
