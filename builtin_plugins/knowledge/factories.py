"""Entities for the conformance tests."""

from guildhall_sdk import Factory, SampleClient


async def make_entity(client: SampleClient, canary: str) -> str:
    body = f"Anna {canary} works for Acme Shipping B.V. in Rotterdam."
    document = {"title": canary, "body": body, "visibility": "team"}
    _, made = await client.call("POST", "/api/documents", document)
    prompt = 'Call kg_extract of "{}".'.format(made["id"])
    await client.call("POST", "/api/agent", {"prompt": prompt, "tools": ["kg_extract"]})
    _, found = await client.call("GET", "/api/kg/entities?q=acme")
    return str(found["items"][0]["id"])


FACTORIES = (Factory("/api/kg/entities/:id", make_entity),)
