"""What somebody was given on a thing: to whom and until when, as JSON says it, and the list of it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

#: Returns the error for a place in what was sent, by JSON pointer, and what is wrong there.
Refuse = Callable[[str, str], Exception]
_LONGEST_TIME = 15


class Holder(NamedTuple):
    """To whom; `pointer` is where the body named them."""

    type: Literal["user", "team"]
    id: str
    pointer: str

    def fault(self, *, owner_id: str, is_known: bool, thing: str) -> str | None:
        """Returns why they can be given nothing on a thing of this owner, or None."""
        if self.type == "user" and self.id == owner_id:
            return f"owns this {thing} already"
        if is_known:
            return None
        return "is nobody in your company" if self.type == "user" else "is no team in your company"


def holder_in(body: Mapping[str, Any], refuse: Refuse) -> Holder:
    """Reads `{principal_type, principal_id}`, or `{user_id}`; never both."""
    if "user_id" in body:
        for name in ("principal_type", "principal_id"):
            if name in body:
                raise refuse(f"/{name}", "must not stand beside user_id")
        return Holder("user", body["user_id"], "/user_id")
    for name in ("principal_type", "principal_id"):
        if name not in body:
            raise refuse(f"/{name}", "is required")
    return Holder(body["principal_type"], body["principal_id"], "/principal_id")


def cursor_of(row: Mapping[str, Any]) -> str:
    """Returns the place of a grant in the order in which they were given."""
    return f"{row['granted_at']}.{row['principal_id']}"


def position_in(cursor: str | None, refuse: Refuse) -> tuple[int, str]:
    """Returns the time and the holder of the grant to start behind; before all without a cursor."""
    time, _, principal_id = (cursor or "0.").partition(".")
    if not (time.isascii() and time.isdigit() and len(time) <= _LONGEST_TIME):
        raise refuse("?cursor", "is not a cursor that this list gave; start without one")
    return int(time), principal_id


def listed(
    row: Mapping[str, Any], permissions: Sequence[str], now_ms: int, shown: Callable[[int], str]
) -> dict[str, Any]:
    """Returns a grant as a list has it; `shown` says how a time is written."""
    ends = row["expires_at"]
    names = ("principal_type", "principal_id", "name", "capability")
    return {
        **{name: row[name] for name in names},
        "permissions": list(permissions),
        "granted_by": row["granted_by"],
        "granted_by_name": row["granted_by_name"],
        "granted_at": shown(row["granted_at"]),
        "expires_at": None if ends is None else shown(ends),
        "expired": ends is not None and ends <= now_ms,
    }
