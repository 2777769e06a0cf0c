"""Another key for an object: with its versions, grants, provenance and mentions, and without moving bytes."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from builtin_plugins.repo import finding, keys
from builtin_plugins.repo.finding import sql as objects
from builtin_plugins.repo.object_row import READ, WRITE, Record
from builtin_plugins.repo.texts import Texts
from builtin_plugins.repo.writing import check_right
from guildhall_sdk import Conflict, Host, Origin, Principal, Writer, load_queries
from guildhall_sdk.services.pages import LiveLists
from guildhall_sdk.services.search import PreparedText
from guildhall_sdk.subscriptions import OBJECT_MOVED, Events, ObjectMoved

sql = load_queries(Path(__file__).with_name("moving.sql"))


class Moving:
    """Moves objects within their team's bucket, with both keys locked: there are never two, nor none."""

    def __init__(self, host: Host, texts: Texts) -> None:
        self._host = host
        self._texts = texts

    async def prepare(self, caller: Principal, object_id: str, key: str) -> PreparedText | None:
        """Splits a long text for `move`, for a caller who may change the object. Not inside a scope."""
        keys.check_key(key)
        async with self._host.data.read() as reader:
            record = await finding.by_id(reader, caller, object_id, self._host.clock.now_ms())
            record.require(WRITE, caller)
            text = await self._texts.of(reader, record)
        return await self._texts.prepare(record.org_id, key, text)

    async def move(
        self,
        writer: Writer,
        caller: Principal,
        object_id: str,
        key: str,
        prepared: PreparedText | None = None,
        check: Callable[[Record], None] | None = None,
    ) -> Record:
        """Returns the object under its new key; one that has it already stays as it is.

        It takes the right to write in both places. Raises `Conflict` `key_taken`.
        """
        now = self._host.clock.now_ms()
        record = await finding.hold_object(writer, caller, object_id, now, also_key=key)
        record.require(WRITE, caller)
        if check is not None:
            check(record)
        if record.key == key:
            return record
        await self._clear_way(writer, caller, record.team_id, key, now)
        await writer.run(
            sql.move_object,
            id=record.id,
            org_id=record.org_id,
            key=key,
            version_id=record.newest.id,
            filename=_filename_at(record, key),
        )
        moved = await finding.by_id(writer, caller, record.id, now)
        await self._texts.moved(writer, moved, prepared)
        writer.audit("object.moved", ("object", record.id))
        await self._emit(writer, caller, moved)
        return moved

    @staticmethod
    async def _clear_way(writer: Writer, caller: Principal, team_id: str, key: str, now: int) -> None:
        """Deletes an object of nothing but delete markers, which nobody holds; raises for any other."""
        check_right(caller, team_id, None)
        there = await finding.at_key(writer, caller, team_id, key, now)
        if there is None:
            return
        if not await finding.is_vacant(writer, there):
            deleted = not there.present and READ in there.rights_of(caller)
            raise Conflict(
                "What was deleted at this key can be brought back: do that, or delete it for good."
                if deleted
                else "Something else holds this key; choose another.",
                code="key_taken",
            )
        await writer.run(objects.delete_object, id=there.id, org_id=there.org_id)
        writer.audit("object.deleted", ("object", there.id))

    async def _emit(self, writer: Writer, caller: Principal, moved: Record) -> None:
        writer.after_commit(partial(self._host.service(LiveLists).changed, "/api/repo", moved.team_id))
        events = self._host.service(Events)
        if events.wanted(OBJECT_MOVED):
            payload, origin = ObjectMoved(object_id=moved.id), Origin.of(caller, moved.team_id)
            await events.emit(writer, OBJECT_MOVED, payload, origin, facts={"key": moved.key})


def _filename_at(record: Record, key: str) -> str:
    """Returns what a download is called from now on: a name that came from the key goes with it."""
    filename = record.newest.filename
    return keys.filename_of(key) if filename == keys.filename_of(record.key) else filename
