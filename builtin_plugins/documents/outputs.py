"""Outputs: documents beside their source, written again by the next run over the same source."""

import re
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, NamedTuple

from guildhall_sdk import Actor, Conflict, Host, InvalidRequest, NotFound, PermissionDenied, Principal, Reader
from guildhall_sdk.jobs import running_job
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.stored_objects import Derivation, NewVersion, StoredObject, StoredVersion
from guildhall_sdk.tools import Artifact

MAX_KEY_BYTES = 1024
#: How many keys are tried before the last one is refused as taken.
MAX_NUMBER = 99
_STEP = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


class Origin(NamedTuple):
    """The source of an output, with the version that was read of it, and the step that makes it."""

    source: StoredObject
    version: int
    step: str
    run_id: str | None = None
    locale: str | None = None

    @classmethod
    def of(
        cls,
        arguments: Mapping[str, Any],
        source: StoredObject,
        step: str,
        *,
        version: int | None = None,
        locale: str | None = None,
    ) -> "Origin":
        """Reads the `step` of a call, which an output is named by; `step` is taken where none is given.

        The run is the one that the call is a step of, whatever `run` says: nobody makes up where something is
        from. `version` is the one that was read, the newest unless given.
        """
        name = arguments.get("step", step)
        if _STEP.fullmatch(name) is None:
            raise InvalidRequest.at("/step", "takes up to 64 letters, digits, _ and -, a letter or _ first")
        return cls(source, version or source.current.number, name, running_job.get().run_id, locale)

    @property
    def derivation(self) -> Derivation:
        return Derivation(self.source.id, self.version, self.run_id, self.step)

    def candidate_keys(self) -> Iterator[str]:
        """Yields the key of the output, and those that it has where another is taken."""
        stem = key_stem(self.source.key)
        name = f".{self.step}" if self.locale is None else f".{self.step}.{self.locale}"
        for number in range(1, MAX_NUMBER + 1):
            suffix = f"{name}.md" if number == 1 else f"{name} ({number}).md"
            yield _cut(stem, MAX_KEY_BYTES - len(suffix)) + suffix


def key_stem(key: str) -> str:
    """Returns a key without the extension of its last segment; a name that is all extension stays."""
    folder, slash, name = key.rpartition("/")
    stem, dot, _ = name.rpartition(".")
    return f"{folder}{slash}{stem}" if dot and stem.strip(".") else key


def _cut(text: str, max_bytes: int) -> str:
    return text.encode()[:max_bytes].decode("utf-8", "ignore")


MARKDOWN = "text/markdown"
WRITE = "files:write"
_TAKEN = "key_taken"
# Others may take the key that was free a moment ago, but not for ever.
_TRIES = 10


class Place(NamedTuple):
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
                precondition=place.check,
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
