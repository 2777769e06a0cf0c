"""Ids for the conformance tests: out-of-process plugins are the operator's, the same for every company."""

from guildhall_sdk import Factory, SampleClient


async def a_plugin(client: SampleClient, canary: str) -> str:
    """Any that there is; without `SERVICE_OOP`, an id that is none."""
    _, listing = await client.call("GET", "/api/oop")
    return next((str(one["id"]) for one in listing["items"]), "no-plugin-here")


FACTORIES = (Factory("/api/oop/:id", a_plugin, tenant=False),)
