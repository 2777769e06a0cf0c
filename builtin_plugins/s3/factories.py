"""Access keys for the conformance tests."""

from guildhall_sdk import Factory, SampleClient


async def make_key(client: SampleClient, canary: str) -> str:
    _, answer = await client.call("POST", "/api/s3/credentials", {"scope": {"prefix": f"{canary}/"}})
    return str(answer["id"])


FACTORIES = (Factory("/api/s3/credentials/:id", make_key),)
