"""What prospects are shown as, and what deciding takes."""

from builtin_plugins.beta.prospects.prompts import MAX_REASON, RECOMMENDATIONS
from guildhall_sdk import PAGE_QUERY
from guildhall_sdk.schema import boolean, enum, integer, listing, nullable, obj, shape, string, time

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
