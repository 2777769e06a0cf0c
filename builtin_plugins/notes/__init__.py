"""Notes: written, kept to oneself, shown to the team or shared by name."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from builtin_plugins.notes.handlers import HANDLERS
from builtin_plugins.notes.routes import ROUTES
from guildhall_sdk import Factory, Migrations, Plugin, Reply, RequestContext, Route, SampleClient, hookimpl

PLUGIN = Plugin(
    id="notes",
    name="Notes",
    version="0.1.0",
    description="Notes with visibility, sharing and pages that do not shift.",
    essential=True,
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[RequestContext], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return (Factory("/api/notes/:id", make_note),)


async def make_note(client: SampleClient, canary: str) -> str:
    note = {"title": canary, "body": canary, "visibility": "team"}
    _, answer = await client.call("POST", "/api/notes", note)
    return str(answer["id"])
