"""Real ids for the conformance tests, made through the front door."""

import secrets

from guildhall_sdk import Factory, SampleClient


async def make_member(client: SampleClient, canary: str) -> str:
    body = {
        "username": f"{canary[:40]}-{secrets.token_hex(6)}",
        "role": "viewer",
        "display_name": canary,
    }
    _, answer = await client.call("POST", "/api/members", body)
    return str(answer["member"]["user_id"])


async def make_token(client: SampleClient, canary: str) -> str:
    _, answer = await client.call("POST", "/api/tokens", {"name": canary, "scope": ["notes:read"]})
    return str(answer["id"])


async def make_session(client: SampleClient, canary: str) -> str:
    _, who = await client.call("GET", "/api/whoami")
    await client.call("POST", "/api/session/team", {"team": who["team"]["id"]}, User_Agent=canary)
    _, answer = await client.call("GET", "/api/sessions")
    return next(str(session["id"]) for session in answer["items"] if session["agent"] == canary)


FACTORIES = (
    Factory("/api/members/:id", make_member),
    Factory("/api/tokens/:id", make_token),
    Factory("/api/sessions/:id", make_session),
    # An operator's view: every company's people are theirs to help.
    Factory("/api/admin/users/:id", make_member, tenant=False),
)
