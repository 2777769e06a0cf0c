"""Ids of messages for the conformance tests: they are the instance's, the same for every company."""

from guildhall_sdk import Factory, SampleClient


async def a_message(client: SampleClient, canary: str) -> str:
    """Any that there is, after an import where there is none."""
    for _ in range(2):
        _, found = await client.call("GET", "/api/l10n/messages?locale=nl&limit=1")
        if found["items"]:
            break
        await client.call("POST", "/api/l10n/import", {"locale": "nl"})
    return str(found["items"][0]["id"])


FACTORIES = tuple(
    Factory(at, a_message, tenant=False, role="localizer")
    for at in ("/api/l10n/messages/:id", "/api/l10n/review/:id")
)
