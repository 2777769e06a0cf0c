"""Tickets: addresses that carry a caller's right to look, for frames, which send no bearer."""

import json
from dataclasses import dataclass

from guildhall_sdk.context import Call
from guildhall_sdk.principal import Principal
from guildhall_sdk.services.identity import Credentials, Vault

#: How long a ticket is good, unless the credential that asked for it ends before.
TICKET_MS = 10 * 60 * 1000
_MAX_CHARACTERS = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """One word of an address, and when it ends; whoever reads it learns nothing from it."""

    text: str
    expires_at: int


def issue_ticket(call: Call, purpose: str, subject: str = "") -> Ticket:
    """Returns a ticket of the caller for one purpose and subject, in the team they act in."""
    caller, ends = call.principal, call.now_ms + TICKET_MS
    if caller.credential.expires_at is not None:
        ends = min(ends, caller.credential.expires_at)
    bound = [caller.credential.id, caller.user_id, caller.team_id, subject, ends]
    return Ticket(text=call.service(Vault).seal(purpose, json.dumps(bound)), expires_at=ends)


async def ticket_holder(call: Call, purpose: str, text: str, subject: str = "") -> Principal | None:
    """Returns who asked for the ticket, with their present rights.

    Returns None for a ticket that was not given out for this, that has ended, or whose holder has left the
    team or ended the session.
    """
    if len(text) > _MAX_CHARACTERS or not text.isascii():
        return None
    opened = call.service(Vault).unseal(purpose, text)
    if opened is None:
        return None
    credential_id, user_id, team_id, bound_subject, ends = json.loads(opened)
    if bound_subject != subject or call.now_ms >= ends:
        return None
    credentials = call.service(Credentials)
    async with call.read() as reader:
        if not await credentials.alive(reader, credential_id):
            return None
        return await credentials.acting(reader, user_id=user_id, team_id=team_id, scope=None)
