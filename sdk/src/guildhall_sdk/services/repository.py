"""The repository: objects by key in a team's bucket, each with versions, and the bytes below them.

Rights are checked in here, the same for every protocol. What is asked for by id raises `NotFound` when it is
not there or not for the caller; what is asked for by key raises `NotFound` when nobody holds the key and
`PermissionDenied` when somebody does and keeps it from the caller.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypedDict, Unpack

from guildhall_sdk.blobs import Blob, Hasher
from guildhall_sdk.data import Reader, Statement, Writer
from guildhall_sdk.dimensions import Reservation
from guildhall_sdk.principal import Actor, Principal
from guildhall_sdk.services.stored_objects import (
    LifecycleRule,
    NewVersion,
    Precondition,
    ReadText,
    Staged,
    StoredObject,
    StoredVersion,
    VersionPart,
)

#: `unconfined`: without a sandbox, as the operator wants; `refused`: there is none, so nothing is read.
Extraction = Literal["confined", "unconfined", "refused"]


class Keys(TypedDict, total=False):
    """The keyword arguments that say which keys are listed; by default all, a thousand at most."""

    prefix: str
    #: From this one on, itself included: `just_after(key)` leads on.
    start: str
    limit: int


class Repository(Protocol):
    """The objects of all teams. Calls that write take the caller's transaction, `write` opens its own."""

    #: The rule of who may read an object, as part of another plugin's query.
    #: A query of one row or none for the id in `hit.ref_id`, with the binds `:user_id`, `:team_id`,
    #: `:org_id`, `:now`, and `:by_role`, which is 1 where the caller may `files:read` and else 0. Whose
    #: credential's scope leaves `files:read` out reads none: look at that before.
    readable: Statement

    #: The rule of who may read an object with `scope=org`; the caller must hold `org:read`.
    readable_in_org: Statement

    async def extraction(self) -> Extraction:
        """Returns how the text of documents is read on this machine."""

    def check_key(self, key: str) -> None:
        """Raises `UserError` `invalid_key` unless it is 1..1024 bytes of UTF-8 that no path can escape by."""

    async def check_right(self, reader: Reader, principal: Principal, team_id: str, key: str) -> None:
        """Raises what `put` would raise for a caller without a right to the key, before bytes are taken."""

    async def stage(
        self,
        org_id: str,
        team_id: str,
        chunks: AsyncIterator[bytes],
        *,
        length: int | None = None,
        counted: int = 0,
        also: Sequence[Hasher] = (),
        check: Callable[[Blob], None] | None = None,
    ) -> Staged:
        """Stores the bytes, as `BlobStore.put` does, and computes their MD5. Not inside a scope.

        Few bytes stay in memory, and are kept with what is committed to refer to them. Of these the hashers
        and the check see all at once, on the event loop.

        Raises `TooManyRequests` `quota_exceeded` where the team's storage has no room: for the announced
        `length` before the first chunk is asked for, else as soon as what came passes what is left. For so
        many bytes as are `counted` already no room is asked. What is staged is then put, held or discarded.
        """

    async def discard(self, staged: Staged) -> None:
        """Gives up staged bytes that will not be used; those that something refers to stay."""

    async def hold(self, writer: Writer, staged: Staged, holder: str) -> Reservation | None:
        """Keeps staged bytes without a version, for what `holder` names (such as a part of an upload).

        Returns the reservation of storage that `Quotas.adjust` ends where it counts them, if there is one.
        """

    async def let_go(self, writer: Writer, org_id: str, holder: str) -> None:
        """Ends everything that the holder holds; bytes that nothing else refers to are released.

        Call it in a transaction of its own: it locks what `put` locks in another order.
        """

    async def put(
        self,
        writer: Writer,
        principal: Principal,
        team_id: str,
        key: str,
        staged: Staged,
        new: NewVersion,
        precondition: Precondition = None,
        *,
        counted: int = 0,
    ) -> StoredVersion:
        """Makes staged bytes the newest version at the key. Nothing may lock after it but the commit.

        `counted` bytes of the team's storage are counted already for what becomes this version (an upload's
        parts): it takes their place. Raises `PermissionDenied`, `Conflict` `key_taken` for a key that the
        caller may not write, `TooManyRequests` `quota_exceeded`, and whatever the precondition raises. A
        precondition is given None for a key that nobody holds or whose newest version is a delete marker.
        """

    async def write(
        self,
        principal: Principal,
        actor: Actor,
        team_id: str,
        key: str,
        chunks: AsyncIterator[bytes],
        new: NewVersion,
        precondition: Precondition = None,
        *,
        length: int | None = None,
    ) -> StoredVersion:
        """Stages the bytes and puts them at the key; rights are checked before, and again at the end."""

    async def copy(
        self,
        writer: Writer,
        principal: Principal,
        source: StoredVersion,
        team_id: str,
        key: str,
        new: NewVersion,
        precondition: Precondition = None,
    ) -> StoredVersion:
        """Makes a version of the bytes of `source` at another key, or again at its own, without moving them.

        The caller must have been shown `source`. Raises `NotFound` when that is gone meanwhile.
        """

    async def get(self, reader: Reader, principal: Principal, object_id: str) -> StoredObject:
        """Returns an object by id, for a caller who may read it."""

    async def require(self, reader: Reader, principal: Principal, object_id: str, right: str) -> StoredObject:
        """Returns an object by id, for a caller who has this right on it: `files:read`, `files:write` …"""

    async def version(
        self, reader: Reader, principal: Principal, object_id: str, number: int
    ) -> StoredVersion:
        """Returns a version by the object's id and the version's number; never a delete marker."""

    async def at_key(
        self,
        reader: Reader,
        principal: Principal,
        team_id: str,
        key: str,
        version_id: str | None = None,
        *,
        content: bool = False,
    ) -> StoredVersion:
        """Returns the newest version at a key, or the one of that id; it may be a delete marker.

        With `content`, the newest brings its bytes along where they are few: `open` reads nothing then.
        """

    async def parts(
        self, reader: Reader, version: StoredVersion, *, after: int = 0, limit: int = 1000
    ) -> Sequence[VersionPart]:
        """Returns the parts that a version was made of, by number.

        The caller must have been shown the version.
        """

    def open(self, version: StoredVersion, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """Yields the bytes from `start` up to `end`, verified.

        The caller must have been shown the version.
        """

    def open_staged(self, staged: Staged) -> AsyncIterator[bytes]:
        """Yields bytes that were staged."""

    async def set_attributes(
        self, writer: Writer, principal: Principal, version: StoredVersion, attributes: Mapping[str, Any]
    ) -> None:
        """Replaces the attributes of a version in place; needs the rights that writing needs."""

    async def mark_deleted(
        self, writer: Writer, principal: Principal, team_id: str, key: str, precondition: Precondition = None
    ) -> StoredVersion | None:
        """Puts a delete marker on top, also at a key that never was; the versions stay. Needs files:delete.

        A precondition is given a delete marker as it is; with one, a key that never was is not marked: None.
        """

    async def delete_version(
        self,
        writer: Writer,
        principal: Principal,
        team_id: str,
        key: str,
        version_id: str,
        precondition: Precondition = None,
    ) -> StoredVersion | None:
        """Deletes one version or marker for good, the object with its last; returns None if not there."""

    async def delete(
        self, writer: Writer, principal: Principal, object_id: str, precondition: Precondition = None
    ) -> None:
        """Deletes an object with all its versions, and releases bytes that nothing else refers to."""

    async def keys(
        self, reader: Reader, principal: Principal, team_id: str, *, delimiter: str = "", **of: Unpack[Keys]
    ) -> Sequence[StoredVersion]:
        """Returns the newest versions under a prefix that the caller may read, in byte order of their keys.

        Objects whose newest version is a delete marker are left out. With a `delimiter`, of the keys that are
        the same up to its first place behind the prefix, the first alone.
        """

    async def versions(
        self,
        reader: Reader,
        principal: Principal,
        team_id: str,
        *,
        after_version: str | None = None,
        **of: Unpack[Keys],
    ) -> Sequence[StoredVersion]:
        """Returns every version and delete marker, by key and then newest first.

        With the id of a version as `after_version`, from the next older one at the key `start`.
        """

    async def text(self, reader: Reader, principal: Principal, object_id: str) -> str | None:
        """Returns the text that was extracted from the newest version, or None while there is none."""

    async def read_text(self, principal: Principal, object_id: str) -> ReadText:
        """Returns the text of an object's newest version, and reads it now where no job has. Not in a scope.

        Search finds it from then on. Raises `NotFound`, and `TextPending` where nobody can
        read it now: a job that lets it through is put off, and loses no attempt.
        """

    async def derived_in(
        self, reader: Reader, principal: Principal, object_id: str, step: str
    ) -> Mapping[str, str]:
        """Returns the ids of what was derived from an object in a step of this name, by their keys.

        Only what stands in the team of the object is named, whoever may read it: it is for a tool that writes
        its output again. The caller must be able to read the source.
        """

    async def hold_version(self, writer: Writer, org_id: str, object_id: str, number: int) -> bool:
        """Keeps a version from being thrown away by rule until the transaction ends.

        For who begins to refer to it, as `VersionsInUse` says. Returns whether it is there.
        """

    async def lifecycle(self, reader: Reader, principal: Principal) -> Sequence[LifecycleRule]:
        """Returns the rules by which the caller's team throws old versions and deleted objects away.

        Whoever asks checks that the caller may know them: `settings:manage`.
        """

    async def set_lifecycle(
        self, writer: Writer, principal: Principal, rules: Sequence[LifecycleRule]
    ) -> None:
        """Sets all rules of the caller's team; those that throw more away than before hold a day later.

        Raises `InvalidRequest`. Whoever asks checks that the caller may set them: `settings:manage`.
        """
