"""Whose a new object is and who sees it: its writer's own decision, or that of what it was derived from."""

from dataclasses import dataclass

from builtin_plugins.repo import finding
from builtin_plugins.repo.object_row import Record
from guildhall_sdk import Principal, Reader
from guildhall_sdk.services.stored_objects import NewVersion, Visibility

_NARROWEST_FIRST: tuple[Visibility, ...] = ("private", "shared", "team")


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose a new object is, who sees it, and what it was derived from, if it was."""

    owner_id: str
    owner_name: str
    visibility: Visibility
    source: Record | None = None


async def origin_of(reader: Reader, caller: Principal, new: NewVersion, now_ms: int) -> Origin:
    """Raises `NotFound` for a source that the caller cannot read."""
    if new.derived_from is None:
        return Origin(caller.user_id, caller.display_name, new.visibility or "team")
    source = await finding.readable(reader, caller, new.derived_from.object_id, now_ms)
    return Origin(source.owner_id, source.owner_name, new.visibility or source.visibility, source)


def narrower(one: Visibility, other: Visibility) -> Visibility:
    """Returns the visibility by which fewer people see an object."""
    return min(one, other, key=_NARROWEST_FIRST.index)
