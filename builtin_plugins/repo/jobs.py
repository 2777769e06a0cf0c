"""The job that reads the text of a new version, and the tools: what waits to be read, and reading it."""

from collections.abc import Mapping
from typing import Any, cast

from builtin_plugins.repo import finding
from builtin_plugins.repo.extraction import Outcome
from builtin_plugins.repo.folder_moving import MOVE_FOLDER, FolderMover, forget
from builtin_plugins.repo.object_row import READ
from builtin_plugins.repo.schemas import MOVE_PREFIX
from builtin_plugins.repo.service import StoredRepository
from builtin_plugins.repo.texts import EXTRACT
from guildhall_sdk import Host, JobCall, JobFailed, JobKind, NotFound, Parameter, Principal, Tool, Writer
from guildhall_sdk.schema import integer, obj, string
from guildhall_sdk.services.repository import Repository


async def extract(job: JobCall) -> dict[str, Any]:
    """Reads the text of an object; what is gone or has a newer version is left to another job."""
    repository = cast(StoredRepository, job.host.service(Repository))
    try:
        async with job.host.data.read() as reader:
            record = await finding.by_id(reader, job, job.payload["object_id"], job.host.clock.now_ms())
            version = await finding.version(reader, record, job.payload["version"])
    except NotFound:
        return {"outcome": "gone"}
    if not version.latest:
        return {"outcome": "outdated"}
    if record.text_status not in ("pending", "stale"):
        return {"outcome": "read_before"}  # by somebody who could not wait for this
    found = await repository.texts.read(version)
    if found.outcome is Outcome.FAILED:
        raise JobFailed("not_read", f"The document {found.reason or 'could not be read'}.", retry=True)
    if found.outcome is Outcome.UNCONFINED:
        # It stays unread without another attempt: the next start asks again, once it may be read.
        return {"outcome": found.outcome.value}

    prepared = await repository.texts.prepare(record.org_id, record.key, found.text)

    async def store(writer: Writer) -> None:
        try:
            await repository.texts.store(writer, job, version, found, prepared)
        except NotFound:
            return  # deleted while it was read

    job.on_success(store)
    return {"outcome": found.outcome.value, "partial": found.partial}


async def move_folder(job: JobCall) -> dict[str, Any]:
    repository = cast(StoredRepository, job.host.service(Repository))
    return await FolderMover(job, repository.moving).run()


JOB_KINDS = (
    JobKind(
        EXTRACT,
        "Reads the text of a document.",
        handler=extract,
        payload=obj(
            {"object_id": string(min_length=1, max_length=64), "version": integer(1)},
            required=["object_id", "version"],
            example={"object_id": "obj_0123456789", "version": 1},
        ),
        timeout_seconds=300,
        public=False,
        outlives_person=True,
    ),
    JobKind(
        MOVE_FOLDER,
        "Gives all objects below a prefix another one.",
        handler=move_folder,
        payload=MOVE_PREFIX,
        timeout_seconds=6 * 3600,
        public=False,
        stoppable=True,
        ended=forget,
    ),
)


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
        writes=False,
    ),
    Tool(
        name="repo_extract_text",
        description="Reads the text of a document, so that search finds it.",
        permission=READ,
        hosted=extract_text,
        parameters=[Parameter("id", "string", "The id of the document")],
    ),
)
