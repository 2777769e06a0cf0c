"""The rows of out-of-process plugins, their bodies and answers, and ids for the conformance tests."""

from dataclasses import fields

from guildhall_sdk import PAGE_QUERY, Factory, Route, SampleClient
from guildhall_sdk.schema import array, boolean, enum, listing, nullable, obj, shape, string
from libs.sandbox.measure import Measured

PROGRAM = shape(
    {
        "id": string(description="Of a folder without a readable manifest, its name"),
        "name": nullable(string()),
        "version": nullable(string()),
        "description": nullable(string()),
        "status": enum(
            "connected",
            "connecting",
            "down",
            "broken",
            "refused",
            description="broken: its manifest; refused: there is no sandbox for it",
        ),
        "detail": nullable(string(description="Why it is not connected; for operators")),
        "tier": enum(
            "A",
            "B",
            "C",
            description="A: closed, in a file tree of its own; B: closed; C: limits alone",
        ),
        "measured": shape(
            {area.name: boolean() for area in fields(Measured)},
            description="Whether a hostile program in the sandbox was refused every attempt",
        ),
        "requested": array(string()),
        "granted": array(string()),
        "tools": array(shape({"name": string(), "original": string()})),
        "left_out": array(
            shape({"name": string(), "reason": string()}), description="Tools that were not taken, and why"
        ),
    }
)
PROGRAMS = listing(
    PROGRAM,
    capabilities=array(
        shape({"name": string(), "description": string(), "permission": string()}),
        description="What a plugin may request",
    ),
)
GRANTS = obj(
    {"capabilities": array(string(max_length=64), maxItems=50)},
    required=["capabilities"],
    example={"capabilities": []},
)

ROUTES = (
    Route(
        "GET",
        "/api/oop",
        "list_programs",
        "Out-of-process plugins, how closed they are, and the capabilities that they may request",
        query=PAGE_QUERY,
        reply=PROGRAMS,
    ),
    Route(
        "POST",
        "/api/oop/:id/grants",
        "grant",
        "Grant an out-of-process plugin these of its requested capabilities, and no others",
        permission="instance:manage",
        body=GRANTS,
        reply=PROGRAM,
    ),
)


async def a_plugin(client: SampleClient, canary: str) -> str:
    """Returns the id of any plugin; without `SERVICE_OOP`, an id that is none."""
    _, listing = await client.call("GET", "/api/oop")
    return next((str(one["id"]) for one in listing["items"]), "no-plugin-here")


FACTORIES = (Factory("/api/oop/:id", a_plugin, tenant=False),)
