"""Real ids for the conformance tests, made through the front door."""

import secrets

from guildhall_sdk import Factory, SampleClient


async def make_org(client: SampleClient, canary: str) -> str:
    owner = {"username": f"{canary[:40]}-{secrets.token_hex(6)}"}
    _, answer = await client.call("POST", "/api/orgs", {"name": canary, "owner": owner})
    return str(answer["org"]["id"])


async def make_colleague(client: SampleClient, canary: str) -> str:
    _, teams = await client.call("GET", "/api/org/teams")
    body = {
        "username": f"{canary[:40]}-{secrets.token_hex(6)}",
        "team": teams["items"][0]["id"],
        "role": "viewer",
        "display_name": canary,
    }
    _, answer = await client.call("POST", "/api/org/members", body)
    return str(answer["member"]["user_id"])


async def make_team(client: SampleClient, canary: str) -> str:
    _, answer = await client.call("POST", "/api/org/teams", {"name": canary})
    return str(answer["id"])


FACTORIES = (
    # The operators' view: every company is theirs to look after.
    Factory("/api/orgs/:ref", make_org, tenant=False),
    Factory("/api/org/members/:id", make_colleague),
    Factory("/api/org/teams/:id", make_team),
)
