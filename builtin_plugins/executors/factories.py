"""Real ids for the conformance tests, made through the front door."""

import secrets

from guildhall_sdk import Factory, SampleClient


async def make_executor(client: SampleClient, canary: str) -> str:
    body = {"name": f"{canary[:40]}-{secrets.token_hex(6)}", "mode": "pull", "model": canary}
    _, answer = await client.call("POST", "/api/org/executors", body)
    return str(answer["id"])


FACTORIES = (Factory("/api/executors/:id", make_executor),)
