"""Outputs: documents beside their source, written again by the next run over the same source."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from builtin_plugins.documents.origins import Origin
from guildhall_sdk import Actor, Conflict, Host, NotFound, PermissionDenied, Principal, Reader
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.stored_objects import NewVersion, StoredVersion
from guildhall_sdk.tools import Artifact

MARKDOWN = "text/markdown"
WRITE = "files:write"
_TAKEN = "key_taken"
# Others may take the key that was free a moment ago, but not for ever.
_TRIES = 10


@dataclass(frozen=True, slots=True)
class Place:
    """The key of an output, and the id of what the same source has there already."""

    key: str
    object_id: str | None = None

    def check(self, found: StoredVersion | None) -> None:
        """Raises where something else has come to stand there."""
        if found is not None and found.object_id != self.object_id:
            raise Conflict("Something else stands at this key now.", code=_TAKEN)


async def check_place(host: Host, caller: Principal, origin: Origin) -> None:
    """Raises what writing the output would raise for want of rights, before a model is paid for it."""
    async with host.data.read() as reader:
        await _find_place(host, reader, caller, origin)


async def write_output(host: Host, caller: Principal, origin: Origin, text: str) -> StoredVersion:
    """Writes an output as the next version of what the same step made of the same source, or as a new one.

    Raises `PermissionDenied`, `NotFound` for a source that is gone, and `TooManyRequests` `quota_exceeded`.
    """
    content = text.encode()
    actor = Actor(caller.username, caller.user_id, caller.org_id, caller.team_id)
    for attempt in range(1, _TRIES + 1):
        async with host.data.read() as reader:
            place = await _find_place(host, reader, caller, origin)
        new = NewVersion(content_type=MARKDOWN, derived_from=origin.derivation)
        try:
            return await host.service(Repository).write(
                caller,
                actor,
                origin.source.team_id,
                place.key,
                _once(content),
                new,
                place.check,
                length=len(content),
            )
        except Conflict as taken:
            if taken.code != _TAKEN or attempt == _TRIES:
                raise
    raise AssertionError("the last attempt returns or raises")


def document(version: StoredVersion, summary: str, **extra: Any) -> Artifact:
    """Returns an output as the artifact of the tool that wrote it."""
    return Artifact(
        "document",
        version.filename,
        summary,
        content_type=version.content_type,
        object_id=version.object_id,
        version_id=version.id,
        extra={**extra, "key": version.key, "version": version.number},
    )


async def _find_place(host: Host, reader: Reader, caller: Principal, origin: Origin) -> Place:
    """Finds where the same source has this output already, else the first key that is free."""
    repository, team_id = host.service(Repository), origin.source.team_id
    if (place := await _place_before(repository, reader, caller, origin)) is not None:
        return place
    for key in origin.candidate_keys():
        if await _is_free(repository, reader, caller, team_id, key):
            # A twin that wrote since the first look has taken the key before this one, for the same output.
            return await _place_before(repository, reader, caller, origin) or Place(key)
    raise Conflict("Every key that the output could have is taken.", code=_TAKEN)


async def _place_before(
    repository: Repository, reader: Reader, caller: Principal, origin: Origin
) -> Place | None:
    """Returns where an earlier call wrote this output of the same source, or None."""
    before = await repository.derived_in(reader, caller, origin.source.id, origin.step)
    for key in origin.candidate_keys():
        if key in before:
            await _check_before(repository, reader, caller, before[key])
            return Place(key, before[key])
    return None


async def _check_before(repository: Repository, reader: Reader, caller: Principal, object_id: str) -> None:
    """Raises `PermissionDenied` for whoever may not write what an earlier call wrote."""
    try:
        await repository.require(reader, caller, object_id, WRITE)
    except (NotFound, PermissionDenied):
        raise PermissionDenied(
            WRITE, "What was made of this document before is there, and you may not write it."
        ) from None


async def _is_free(repository: Repository, reader: Reader, caller: Principal, team_id: str, key: str) -> bool:
    """Tells whether nothing stands at a key; raises `PermissionDenied` where the caller may write none."""
    try:
        await repository.check_right(reader, caller, team_id, key)
        found = await repository.at_key(reader, caller, team_id, key)
    except NotFound:
        return True
    except Conflict:
        return False
    return found.marker


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content
