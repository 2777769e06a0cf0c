"""Taking a sign-up: the gate, its nonce, the prospect and the job that scores it, in one transaction."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from builtin_plugins.beta.prospects.mailing import mail_received
from builtin_plugins.beta.prospects.scoring import SCORE, ScoringPlan, enqueue_scoring, prospects_changed
from builtin_plugins.beta.signup import gate
from builtin_plugins.beta.signup.challenge import LIFETIME_MS, ChallengeInvalid, SolvedChallenge
from builtin_plugins.beta.signup.form import Filled, is_disposable
from builtin_plugins.beta.signup.gate import Origin
from guildhall_sdk import Host, NewJob, Writer, new_id
from guildhall_sdk.errors import PaymentRequired
from guildhall_sdk.ids import parse_rfc3339

_MAX_AGENT = 200
_MAX_HOST = 253


class SignUp(NamedTuple):
    """A sign-up that passed every check that needs no lock."""

    org_id: str
    team_id: str
    experience_id: str | None
    filled: Filled
    locale: str
    challenge: SolvedChallenge
    origin: Origin
    honeypot: bool
    signals: Mapping[str, Any]
    scoring: ScoringPlan

    @property
    def key(self) -> str | None:
        """What makes it a repeat. What a robot sent takes the place of nobody who comes after it."""
        key = self.filled.email_key
        return f"trap:{key}" if self.honeypot and key is not None else key


def signals_of(
    headers: Mapping[str, str],
    origin: Origin,
    challenge: SolvedChallenge,
    filled: Filled,
    disposable_domains: frozenset[str],
    now_ms: int,
) -> dict[str, Any]:
    """Returns what a person who decides may want to know, and nothing that names an address."""
    issued_at = (parse_rfc3339(challenge.expires_at) or now_ms) - LIFETIME_MS
    key = filled.email_key
    return {
        "address_hash": origin.address,
        "subnet_hash": origin.subnet,
        "agent": _printable(headers.get("user-agent", ""), _MAX_AGENT),
        "referrer_host": _host_of(headers.get("referer", "")),
        "seconds_to_submit": max(0, now_ms - issued_at) // 1000,
        "difficulty": challenge.difficulty,
        "disposable": key is not None and is_disposable(key, disposable_domains),
    }


def _printable(text: str, longest: int) -> str:
    return "".join(char for char in text[:longest] if char.isprintable())


def _host_of(url: str) -> str | None:
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return None
    return _printable(host, _MAX_HOST) if host else None


async def capture(host: Host, writer: Writer, signup: SignUp, now_ms: int) -> None:
    """Takes the sign-up, or raises and changes nothing: neither the nonce is spent nor the gate moved.

    Somebody who is known already costs the same statements as somebody new.
    """
    await gate.hold(writer, signup.origin)
    if await writer.value(gate.sql.suspended, org_id=signup.org_id) is not None:
        raise PaymentRequired("Nobody can sign up here at the moment; come back later.")
    if not await gate.spend_nonce(writer, signup.origin, signup.challenge.nonce, now_ms):
        raise ChallengeInvalid("This challenge was used before; ask for a new one.")
    await gate.check(writer, signup.origin, now_ms)
    prospect = await writer.one(
        gate.sql.put_prospect,
        id=new_id("prs", now_ms),
        org_id=signup.org_id,
        team_id=signup.team_id,
        experience_id=signup.experience_id,
        email_key=signup.key,
        fields=json.dumps(signup.filled.fields, ensure_ascii=False),
        words=signup.filled.words,
        locale=signup.locale,
        signals=json.dumps(signup.signals, ensure_ascii=False),
        honeypot=int(signup.honeypot),
        judge_problem=None if signup.honeypot else signup.scoring.problem,
        now=now_ms,
    )
    assert prospect is not None
    prospects_changed(host, writer, signup.team_id)
    if not signup.honeypot:
        email_key, locale = signup.filled.email_key, signup.locale
        await mail_received(host, writer, org_id=signup.org_id, email_key=email_key, locale=locale)
    if signup.scoring.user_id is not None and not signup.honeypot:
        job = NewJob(SCORE, signup.org_id, signup.team_id, signup.scoring.user_id, {"id": prospect["id"]})
        await enqueue_scoring(host, writer, job)
