"""DeleteObject and DeleteObjects."""

from collections.abc import Sequence

from builtin_plugins.s3.answering import S3Answer, as_s3_error, xml
from builtin_plugins.s3.bodies import read_parsed
from builtin_plugins.s3.call import S3Call
from builtin_plugins.s3.description import stored
from builtin_plugins.s3.wire.answers import DeletedObject, UndeletedObject, deleted_objects
from builtin_plugins.s3.wire.bodies import DoomedObject, parse_delete
from builtin_plugins.s3.wire.conditions import DeleteConditions
from builtin_plugins.s3.wire.errors import S3Error
from guildhall_sdk import Problem, Unavailable, Writer
from guildhall_sdk.errors import PaymentRequired
from guildhall_sdk.services.stored_objects import Precondition

_MARKED_AT_ONCE = 100


async def delete_object(call: S3Call) -> S3Answer:
    conditions = DeleteConditions.parse({**call.request.headers, **call.request.extensions})
    doomed = DoomedObject(call.key, call.version_id, conditions)
    async with call.write() as writer:
        deleted = await _delete(call, writer, doomed)
    headers = {}
    if deleted.marker_id is not None:
        headers["x-amz-delete-marker"] = "true"
    if deleted.version_id or deleted.marker_id:
        headers["x-amz-version-id"] = deleted.version_id or deleted.marker_id or ""
    return S3Answer(204, headers)


async def delete_objects(call: S3Call) -> S3Answer:
    order = await read_parsed(call, parse_delete, digest_needed=True)
    outcomes: dict[int, DeletedObject | UndeletedObject] = {}
    numbered = list(enumerate(order.objects))
    marked = sorted((pair for pair in numbered if pair[1].version_id is None), key=lambda pair: pair[1].key)
    for at in range(0, len(marked), _MARKED_AT_ONCE):
        await _delete_together(call, marked[at : at + _MARKED_AT_ONCE], outcomes)
    for pair in numbered:
        if pair[1].version_id is not None:
            # One at a time: each gives storage back, and nothing may be locked after that.
            await _delete_together(call, [pair], outcomes)
    results = [outcomes[number] for number in range(len(numbered))]
    failed = [one for one in results if isinstance(one, UndeletedObject)]
    deleted = [one for one in results if isinstance(one, DeletedObject) and not order.quiet]
    return xml(deleted_objects(deleted, failed))


async def _delete_together(
    call: S3Call,
    doomed: Sequence[tuple[int, DoomedObject]],
    outcomes: dict[int, DeletedObject | UndeletedObject],
) -> None:
    """Deletes in one transaction; a refusal comes before anything is changed, so the others go on.

    But for a suspension: that refuses the whole call.
    """
    done: dict[int, DeletedObject | UndeletedObject] = {}
    try:
        async with call.write() as writer:
            for number, one in doomed:
                try:
                    done[number] = await _delete(call, writer, one)
                except (PaymentRequired, Unavailable):
                    raise  # of the database itself: nothing more can be done in this transaction
                except (S3Error, Problem) as refusal:
                    done[number] = UndeletedObject(one.key, one.version_id, as_s3_error(refusal))
    except PaymentRequired:
        raise
    except (S3Error, Problem) as refusal:
        error = as_s3_error(refusal)
        done = {number: UndeletedObject(one.key, one.version_id, error) for number, one in doomed}
    outcomes |= done


async def _delete(call: S3Call, writer: Writer, doomed: DoomedObject) -> DeletedObject:
    call.check_reach(doomed.key)
    repository, who, team = call.repository, call.principal, call.team_id
    precondition = _precondition(doomed.conditions)
    if "\0" in (doomed.version_id or ""):
        return DeletedObject(doomed.key, doomed.version_id)
    if doomed.version_id is None:
        marker = await repository.mark_deleted(writer, who, team, doomed.key, precondition)
        return DeletedObject(doomed.key, marker_id=None if marker is None else marker.id)
    version = await repository.delete_version(writer, who, team, doomed.key, doomed.version_id, precondition)
    marker_id = version.id if version is not None and version.marker else None
    return DeletedObject(doomed.key, doomed.version_id, marker_id)


def _precondition(conditions: DeleteConditions) -> Precondition | None:
    if conditions == DeleteConditions():
        return None
    return lambda version: conditions.judge(None if version is None else stored(version))
