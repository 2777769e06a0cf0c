"""Notes for the conformance tests."""

from guildhall_sdk import Factory, SampleClient


async def make_note(client: SampleClient, canary: str) -> str:
    note = {"title": canary, "body": canary, "visibility": "team"}
    _, answer = await client.call("POST", "/api/notes", note)
    return str(answer["id"])


async def make_version(_client: SampleClient, _canary: str) -> str:
    return "1"


FACTORIES = (
    Factory("/api/notes/:id", make_note),
    Factory("/api/notes/:id/versions/:number", make_version, tenant=False),
)
