"""Tools: what waits to be read, and reading it."""

from collections.abc import Mapping
from typing import Any, cast

from builtin_plugins.repo import finding
from builtin_plugins.repo.extraction import Outcome
from builtin_plugins.repo.rights import READ
from builtin_plugins.repo.service import StoredRepository
from guildhall_sdk import Host, Parameter, Principal, Tool, Unavailable
from guildhall_sdk.services import Repository


async def list_unindexed(host: Host, caller: Principal, _arguments: Mapping[str, Any]) -> list[str]:
    repository = cast(StoredRepository, host.service(Repository))
    async with host.data.read() as reader:
        return await repository.texts.unread(reader, caller)


async def extract_text(host: Host, caller: Principal, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Reads the text of an object; a second call leaves what is read already as it is."""
    repository = cast(StoredRepository, host.service(Repository))
    async with host.data.read() as reader:
        record = await finding.readable(reader, caller, arguments["id"], host.clock.now_ms())
    reason = None
    if record.text_status in ("pending", "stale"):
        found = await repository.texts.read(record.newest)
        if found.outcome is Outcome.FAILED:
            raise Unavailable(f"The document {found.reason or 'could not be read'}; try again.")
        if found.outcome is Outcome.UNCONFINED:
            raise Unavailable("This server cannot confine what reads documents; its operator must decide.")
        prepared = await repository.texts.prepare(record.org_id, record.key, found.text)
        async with host.data.write(within=caller.org_id) as writer:
            record = await repository.texts.keep(writer, caller, record.newest, found, prepared)
        reason = found.reason
    return {
        "id": record.id,
        "key": record.key,
        "version": record.newest.number,
        "text_status": record.text_status,
        **({} if reason is None else {"reason": f"The document {reason}."}),
    }


TOOLS = (
    Tool(
        name="repo_list_unindexed",
        description="Lists the ids of up to 40 documents of the team whose text is unread or outdated.",
        permission=READ,
        hosted=list_unindexed,
    ),
    Tool(
        name="repo_extract_text",
        description="Reads the text of a document, so that search finds it.",
        permission=READ,
        hosted=extract_text,
        parameters=[Parameter("id", "string", "The id of the document")],
    ),
)
