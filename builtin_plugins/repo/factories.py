"""Objects and documents for the conformance tests."""

from collections.abc import Sequence

from guildhall_sdk import Factory, SampleClient


async def make_document(client: SampleClient, canary: str) -> str:
    """Makes a document that was written twice, so that it has versions to compare."""
    fields = {"title": canary, "body": canary, "visibility": "team"}
    _, answer = await client.call("POST", "/api/documents", fields)
    await client.call("PUT", f"/api/documents/{answer['id']}", {"body": f"{canary} again"})
    return str(answer["id"])


async def make_key(_client: SampleClient, canary: str) -> str:
    return f"conformance-{canary}"


FACTORIES: Sequence[Factory] = (
    Factory("/api/documents/:id", make_document),
    Factory("/api/repo/*key", make_key, tenant=False),
    Factory("/api/repo-obj/:id", make_document),
)
