"""E-mail domains that companies claim: one in doubt leads nobody anywhere before an operator says so."""

from collections.abc import Sequence
from typing import Any

from builtin_plugins.sign_in.way import MAX_OFFERED, Way, sql
from guildhall_sdk import (
    Actor,
    Call,
    NotFound,
    Reader,
    Reply,
    Row,
    Statement,
    cut_page,
    no_content,
    page,
    page_bounds,
    rfc3339,
    rfc3339_or_none,
)
from guildhall_sdk.services.notifications import Emails
from guildhall_sdk.services.sign_in import SignInStep
from guildhall_sdk.services.tenancy import Directory

_BETWEEN = " "


async def ways_at(call: Call, reader: Reader, email: str) -> list[Row]:
    """Returns the ways that an address leads to: to no company that only says that its domain is theirs."""
    domain = email.rpartition("@")[2].lower()
    rows = await reader.all(sql.ways_at_domain, domain=domain, limit=MAX_OFFERED)
    unsure = {row["org_id"] for row in rows if row["org_id"] is not None and row["confirmed_at"] is None}
    if not unsure:
        return [*rows]
    known = await _companies_of(call, reader, email)
    led = []
    for row in rows:
        org_id, claimed_at = row["org_id"], row["claimed_at"]
        if (
            org_id not in unsure
            # An address can be given to anybody: of whom others know by it, it shows nothing.
            or known == {org_id}
            or (not known and not await is_contested(reader, domain, org_id, claimed_at))
        ):
            led.append(row)
    return led


async def _companies_of(call: Call, reader: Reader, email: str) -> set[str]:
    emails, directory = call.host.find_service(Emails), call.service(Directory)
    ids = () if emails is None else await emails.people_at(reader, email)
    users = [await directory.user(reader, user_id) for user_id in ids]
    return {user.org_id for user in users if user is not None}


async def is_contested(reader: Reader, domain: str, org_id: str, claimed_at: int) -> bool:
    """Tells whether people of another company had addresses at a domain before this one claimed it."""
    binds = {"domain": domain, "org_id": org_id, "claimed_at": claimed_at}
    return await reader.one(sql.others_at_domain, **binds) is not None


async def steps_of(reader: Reader, way: Way) -> list[SignInStep]:
    """Says of the domains of a way which wait for the operator."""
    rows = [] if way.org_id is None else await reader.all(sql.domains_of_way, way_id=way.id)
    taken = "was taken from you by the operator; take it out, and name it again to claim it."
    released = [
        SignInStep("domain", False, f"{row['domain']} {taken}")
        for row in rows
        if row["released_at"] is not None
    ]
    waiting = [
        row["domain"]
        for row in rows
        if row["confirmed_at"] is None
        and row["released_at"] is None
        and await is_contested(reader, row["domain"], way.org_id or "", row["claimed_at"])
    ]
    told = "is used by another company's people too: the page to sign in does not lead here by it until the "
    steps = [
        SignInStep("domain", False, f"{one} {told}operator confirms that it is yours.") for one in waiting
    ]
    return [*released, *steps]


async def list_claims(call: Call) -> Reply:
    async with call.read() as reader:
        rows, limit = await _claims(call, reader, sql.claims)
        shown, cursor = cut_page(rows, limit, _place)
        items = [
            {**await _claim_json(reader, row), "org": {"id": row["org_id"], "name": row["org_name"]}}
            for row in shown
        ]
    return page(items, cursor)


async def list_company_claims(call: Call) -> Reply:
    """Says of the domains that a company claims by its ways which of them lead to it."""
    async with call.read() as reader:
        rows, limit = await _claims(call, reader, sql.claims_of_company, org_id=call.principal.org_id)
        shown, cursor = cut_page(rows, limit, _place)
        items = [
            {
                **await _claim_json(reader, row),
                "way": row["label"],
                "released_at": rfc3339_or_none(row["released_at"]),
            }
            for row in shown
        ]
    return page(items, cursor)


async def _claims(
    call: Call, reader: Reader, statement: Statement, **binds: str
) -> tuple[Sequence[Row], int]:
    before, limit = page_bounds(call.query)
    domain, _, way_id = (before or "").partition(_BETWEEN)
    return await reader.all(statement, after_domain=domain, after_way=way_id, limit=limit, **binds), limit


def _place(row: Row) -> str:
    return f"{row['domain']}{_BETWEEN}{row['way_id']}"


async def _claim_json(reader: Reader, row: Row) -> dict[str, Any]:
    contested = await is_contested(reader, row["domain"], row["org_id"], row["claimed_at"])
    return {
        "domain": row["domain"],
        "way_id": row["way_id"],
        "contested": contested,
        "claimed_at": rfc3339(row["claimed_at"]),
        "confirmed_at": rfc3339_or_none(row["confirmed_at"]),
    }


async def confirm_claim(call: Call) -> Reply:
    """Notes that a domain is a company's: from now on everybody with such an address is led to it."""
    domain, org_id = call.params["domain"].lower(), call.body["org_id"]
    async with call.write(_actor(call, org_id)) as writer:
        await writer.serialize(f"sign-in-domain:{domain}")
        if not await writer.all(sql.confirm_claim, domain=domain, org_id=org_id, now=call.now_ms):
            raise NotFound("This company has not claimed this domain; it sets it up with its way to sign in.")
        writer.audit("sign_in.domain_confirmed", ("org", org_id), detail={"domain": domain})
    return no_content()


async def release_claim(call: Call) -> Reply:
    """Takes a domain from whoever claimed it, so that the company that it belongs to can."""
    domain = call.params["domain"].lower()
    async with call.write(_actor(call, None)) as writer:
        await writer.serialize(f"sign-in-domain:{domain}")
        freed = await writer.all(sql.release_claims, domain=domain, now=call.now_ms)
        if not freed:
            raise NotFound("No company has claimed this domain.")
        for org_id in sorted({row["org_id"] for row in freed}):
            detail, actor = {"domain": domain}, _actor(call, org_id)
            writer.audit("sign_in.domain_released", ("org", org_id), detail=detail, actor=actor)
    return no_content()


def _actor(call: Call, org_id: str | None) -> Actor:
    """Records what an operator decides about a company in its own trail."""
    who = call.principal
    return Actor(who.username, who.user_id, org_id, request_id=call.request_id)
