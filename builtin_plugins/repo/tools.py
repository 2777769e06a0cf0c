"""Tools: what waits to be read, and reading it."""

from collections.abc import Mapping
from typing import Any, cast

from builtin_plugins.repo.rights import READ
from builtin_plugins.repo.service import StoredRepository
from guildhall_sdk import Host, Parameter, Principal, Tool
from guildhall_sdk.services.repository import Repository


async def list_unindexed(host: Host, caller: Principal, _arguments: Mapping[str, Any]) -> list[str]:
    repository = cast(StoredRepository, host.service(Repository))
    async with host.data.read() as reader:
        return await repository.texts.unread(reader, caller)


async def extract_text(host: Host, caller: Principal, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Reads the text of an object; a second call leaves what is read already as it is."""
    read = await host.service(Repository).read_text(caller, arguments["id"])
    found = read.found
    return {
        "id": found.id,
        "key": found.key,
        "version": found.current.number,
        "text_status": found.text_status,
        **({} if read.reason is None else {"reason": f"The document {read.reason}."}),
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
