"""Prospects for the conformance tests."""

import hashlib
from ipaddress import IPv6Address

from builtin_plugins.beta.signup.solving import solve
from guildhall_sdk import Factory, SampleClient

_FORM = {
    "fields": [{"name": "email", "type": "email", "label": "E-mail", "required": True}],
    "copy": {"en": {"title": "Join", "subtitle": "", "submit": "Join", "thanks": "Thank you."}},
}


async def make_prospect(client: SampleClient, canary: str) -> str:
    """Signs somebody up on the team's own page, at its company's hostname, unless they are there already.

    A server that believes the forwarded address asks each of them for the least work.
    """
    if (known := await _find(client, canary)) is not None:
        return known
    await client.call("PUT", "/api/beta/experience", _FORM)
    await client.call("POST", "/api/beta/experience/publish")
    address = _address(canary)
    _, challenge = await client.call("GET", "/api/beta/challenge", X_Forwarded_For=address)
    fields = {"email": f"{canary}@example.com"}
    _, company = await client.call("GET", "/api/org")
    signup = {"fields": fields, "challenge": solve(challenge)}
    status, answer = await client.call(
        "POST", "/api/beta/signup", signup, Host=company["domain"], X_Forwarded_For=address
    )
    if (made := await _find(client, canary)) is None:
        raise RuntimeError(f"signing up answered {status}: {answer}")
    return made


def _address(canary: str) -> str:
    """Returns an address in a subnet that nobody else signs up from."""
    return str(IPv6Address(hashlib.sha256(canary.encode()).digest()[:16]))


async def _find(client: SampleClient, canary: str) -> str | None:
    _, found = await client.call("GET", f"/api/beta/prospects?q={canary}")
    return next((str(prospect["id"]) for prospect in found.get("items", ())), None)


FACTORIES = (Factory("/api/beta/prospects/:id", make_prospect),)
