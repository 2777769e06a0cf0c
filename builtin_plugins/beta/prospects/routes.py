"""The rows of prospects, what they take and answer, their handlers, and some for the conformance tests."""

import hashlib
from ipaddress import IPv6Address

from builtin_plugins.beta.prospects import service
from builtin_plugins.beta.prospects.mailing import invite_accepted
from builtin_plugins.beta.prospects.scoring import MAX_REASON, RECOMMENDATIONS, prospects_changed
from builtin_plugins.beta.prospects.service import CSV, Selection, csv_lines, prospect_json
from builtin_plugins.beta.signup.challenge import solve
from guildhall_sdk import (
    PAGE_QUERY,
    Call,
    Factory,
    Reply,
    Route,
    SampleClient,
    cut_page,
    no_content,
    page,
    page_bounds,
)
from guildhall_sdk.schema import boolean, enum, integer, listing, nullable, obj, shape, string, time
from libs.negotiation import preferred

STATUSES = ("captured", "accepted", "declined")
DECISIONS = {"accept": "accepted", "decline": "declined"}
MAX_NOTE = 2_000
MAX_QUERY = 200

_signals = shape(
    {
        "address_hash": string(description="The same for sign-ups from one address; it does not say which"),
        "subnet_hash": string(),
        "agent": string(),
        "referrer_host": nullable(string()),
        "seconds_to_submit": integer(0, description="From asking for the challenge to signing up"),
        "difficulty": integer(),
        "disposable": boolean(description="The address is of a domain that gives out ones to throw away"),
        "honeypot": boolean(description="The field that people do not see was filled in"),
        "repeats": integer(0, description="How often the same address signed up again"),
        "judge_problem": nullable(string(description="Why there is no verdict")),
    }
)
_verdict = shape(
    {
        "score": integer(0, 100),
        "recommendation": enum(*RECOMMENDATIONS),
        "reason": string(max_length=MAX_REASON),
        "model": string(),
    }
)
PROSPECT = shape(
    {
        "id": string(),
        "fields": {"type": "object", "description": "The answers, by the names of the form's fields"},
        "locale": string(),
        "signals": _signals,
        "verdict": nullable(_verdict),
        "status": enum(*STATUSES),
        "decided_by": nullable(string(description="The id of whoever decided")),
        "decided_at": nullable(time()),
        "note": nullable(string()),
        "created_at": time(),
    }
)
PROSPECTS = listing(PROSPECT)
LIST_QUERY = {
    **PAGE_QUERY,
    "status": enum(*STATUSES),
    "q": string(max_length=MAX_QUERY, description="Stands in one of the answers, in any case"),
    "format": enum("json", "csv", description="csv gives all of them as a table, as Accept: text/csv does"),
}
DECIDE = obj(
    {"decision": enum(*DECISIONS), "note": string(max_length=MAX_NOTE)},
    required=["decision"],
    example={"decision": "accept", "note": "A good fit for the second group."},
)


MANAGE = "settings:manage"

ROUTES = (
    Route(
        "GET",
        "/api/beta/prospects",
        "list_prospects",
        "Who signed up on the team's page, newest first, with signals and verdicts; also as CSV.",
        permission=MANAGE,
        query=LIST_QUERY,
        reply=PROSPECTS,
        also_answers=(CSV,),
    ),
    Route(
        "GET",
        "/api/beta/prospects/:id",
        "read_prospect",
        "One who signed up, with signals and verdict.",
        permission=MANAGE,
        reply=PROSPECT,
    ),
    Route(
        "POST",
        "/api/beta/prospects/:id/decide",
        "decide_prospect",
        "Accept or decline a prospect; another decision takes the place of the first.",
        permission=MANAGE,
        body=DECIDE,
        reply=PROSPECT,
    ),
    Route(
        "DELETE",
        "/api/beta/prospects/:id",
        "erase_prospect",
        "Erase all that is known of a prospect.",
        permission=MANAGE,
        status=204,
    ),
)


async def list_prospects(call: Call) -> Reply:
    selection = Selection(
        call.principal.team_id, call.query.get("status", ""), call.query.get("q", "").strip()
    )
    if _wants_csv(call):
        return Reply(
            stream=csv_lines(call.host, selection),
            content_type=f"{CSV}; charset=utf-8",
            headers={"Content-Disposition": 'attachment; filename="prospects.csv"'},
        )
    before, fetched = page_bounds(call.query)
    async with call.read() as reader:
        rows = await selection.page(reader, before, fetched)
    cut, cursor = cut_page(rows, fetched, lambda row: str(row["id"]))
    return page([prospect_json(row) for row in cut], cursor)


def _wants_csv(call: Call) -> bool:
    wish = call.query.get("format")
    if wish is not None:
        return bool(wish == "csv")
    return preferred(call.headers.get("accept", ""), ("application/json", CSV)) == CSV


async def read_prospect(call: Call) -> Reply:
    async with call.read() as reader:
        return Reply(await service.find(reader, call.principal, call.params["id"]))


async def decide_prospect(call: Call) -> Reply:
    status, note = DECISIONS[call.body["decision"]], call.body.get("note")
    async with call.write() as writer:
        decided = await service.decide(writer, call.principal, call.params["id"], status, note, call.now_ms)
        if status == "accepted":
            await invite_accepted(call, writer, call.params["id"])
        prospects_changed(call.host, writer, call.principal.team_id)
    return Reply(decided)


async def erase_prospect(call: Call) -> Reply:
    async with call.write() as writer:
        await service.erase(writer, call.principal, call.params["id"])
        prospects_changed(call.host, writer, call.principal.team_id)
    return no_content()


HANDLERS = {
    handler.__name__: handler for handler in (list_prospects, read_prospect, decide_prospect, erase_prospect)
}


_FORM = {
    "fields": [{"name": "email", "type": "email", "label": "E-mail", "required": True}],
    "copy": {"en": {"title": "Join", "subtitle": "", "submit": "Join", "thanks": "Thank you."}},
}


async def make_prospect(client: SampleClient, canary: str) -> str:
    """Signs somebody up on the team's own page, at its company's hostname, unless they are there already.

    A server that believes the forwarded address asks each of them for the least work.
    """
    if (known := await _find(client, canary)) is not None:
        return known
    await client.call("PUT", "/api/beta/experience", _FORM)
    await client.call("POST", "/api/beta/experience/publish")
    address = _address(canary)
    _, challenge = await client.call("GET", "/api/beta/challenge", X_Forwarded_For=address)
    fields = {"email": f"{canary}@example.com"}
    _, company = await client.call("GET", "/api/org")
    signup = {"fields": fields, "challenge": solve(challenge)}
    status, answer = await client.call(
        "POST", "/api/beta/signup", signup, Host=company["domain"], X_Forwarded_For=address
    )
    if (made := await _find(client, canary)) is None:
        raise RuntimeError(f"signing up answered {status}: {answer}")
    return made


def _address(canary: str) -> str:
    """Returns an address in a subnet that nobody else signs up from."""
    return str(IPv6Address(hashlib.sha256(canary.encode()).digest()[:16]))


async def _find(client: SampleClient, canary: str) -> str | None:
    _, found = await client.call("GET", f"/api/beta/prospects?q={canary}")
    return next((str(prospect["id"]) for prospect in found.get("items", ())), None)


FACTORIES = (Factory("/api/beta/prospects/:id", make_prospect),)
