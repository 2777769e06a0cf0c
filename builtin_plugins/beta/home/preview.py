"""A team's draft as visitors would see it, for whoever has a ticket and still manages the team."""

from guildhall_sdk import Call, rfc3339
from guildhall_sdk.services.identity import issue_ticket, ticket_holder

PATH = "/beta/preview/"
PERMISSION = "settings:manage"
_PURPOSE = "beta.preview"


def issue(call: Call) -> dict[str, str]:
    """Returns the address of the caller's team's draft, and when it ends."""
    ticket = issue_ticket(call, _PURPOSE)
    return {"url": PATH + ticket.text, "expires_at": rfc3339(ticket.expires_at)}


async def team_of(call: Call, text: str) -> str | None:
    """Returns the team whose draft a ticket shows, or None for one that is good for nothing."""
    holder = await ticket_holder(call, _PURPOSE, text)
    return holder.team_id if holder is not None and holder.may(PERMISSION) else None
