"""The job that reads the text of a new version."""

from typing import Any, cast

from builtin_plugins.repo import finding
from builtin_plugins.repo.extraction import Outcome
from builtin_plugins.repo.service import StoredRepository
from builtin_plugins.repo.texts import EXTRACT
from guildhall_sdk import JobCall, JobFailed, JobKind, NotFound, Writer
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

    async def keep(writer: Writer) -> None:
        try:
            await repository.texts.keep(writer, job, version, found, prepared)
        except NotFound:
            return  # deleted while it was read

    job.on_success(keep)
    return {"outcome": found.outcome.value, "partial": found.partial}


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
)
