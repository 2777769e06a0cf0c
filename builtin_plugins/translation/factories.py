"""Terms and translations for the conformance tests."""

from guildhall_sdk import Factory, SampleClient


async def make_term(client: SampleClient, canary: str) -> str:
    term = {"target": "nl", "term": canary, "translation": canary}
    _, answer = await client.call("POST", "/api/glossary", term)
    return str(answer["id"])


async def make_translation(client: SampleClient, canary: str) -> str:
    _, answer = await client.call("POST", "/api/translate", {"text": canary, "target": "nl"})
    return str(answer["id"])


FACTORIES = (Factory("/api/glossary/:id", make_term), Factory("/api/translate/:id", make_translation))
