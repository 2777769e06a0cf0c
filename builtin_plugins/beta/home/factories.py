"""Tickets for the conformance tests."""

from builtin_plugins.beta.home.preview import PATH
from guildhall_sdk import Factory, SampleClient


async def make_ticket(client: SampleClient, canary: str) -> str:
    """Saves a draft that says the canary, and returns a ticket to look at it."""
    await client.call("PUT", "/api/beta/experience", {"copy": {"en": {"title": canary}}})
    _, issued = await client.call("POST", "/api/beta/experience/preview")
    return str(issued["url"]).removeprefix(PATH)


FACTORIES = (Factory(f"{PATH}:ticket", make_ticket),)
