"""Suspension that is exact: once it is answered, no write that it forbids commits any more.

The gate refuses early, by what was read with the caller. What decides is asked again inside the write:
its transaction shares a key with the company's other writes, looks, and holds the key until it has
committed; a suspension takes the key alone. So it waits for the writes that did not see it, and those
that come after it do. On SQLite write scopes are exclusive and the look alone settles it.
"""

from functools import lru_cache
from pathlib import Path

from guildhall_sdk import Reader, Row, load_queries
from guildhall_sdk.data import TENANT
from guildhall_sdk.engines.pools import WriteCondition
from guildhall_sdk.errors import PaymentRequired
from kernel.db.scopes import AccessMoved

_sql = load_queries(Path(__file__).with_name("queries.sql"))


def key_of(place: str) -> str:
    """Returns the key that the writes within a company, or the tenant, share."""
    return f"suspension:{place}"


@lru_cache(maxsize=4096)
def open_to_writing(place: str, version: str | None = None) -> WriteCondition:
    """Returns the condition of a write within a company, by its id, or `TENANT`.

    With the `version` of access that the caller is known by, it raises `AccessMoved` where that is another.
    """
    keys = (key_of(place),) if place == TENANT else (key_of(place), key_of(TENANT))
    return WriteCondition(keys, _sql.suspensions, {"org_id": place, "version": version}, _refuse)


def _refuse(row: Row) -> None:
    refuse_if_suspended(tenant=row["tenant"] is not None, org=row["org"] is not None)
    raise AccessMoved


def refuse_if_suspended(*, tenant: bool, org: bool) -> None:
    if tenant:
        raise PaymentRequired(
            "This workspace is suspended by its host: it can be read, not written.", code="tenant_suspended"
        )
    if org:
        raise PaymentRequired("This company is suspended: it can be read, not written.")


async def tenant_suspended_at(reader: Reader) -> int | None:
    since: str | None = await reader.value(_sql.tenant_suspended_at)
    return None if since is None else int(since)
