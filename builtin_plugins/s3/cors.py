"""The CORS rules of each team's bucket, and what they let pages from elsewhere see.

Rules are read anew for every request.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from builtin_plugins.s3.replies import s3_reply
from builtin_plugins.s3.wire.cors import VARY, Preflight, Rule, Rules, allowed
from builtin_plugins.s3.wire.request import S3Request
from guildhall_sdk import Host, Principal, Problem, Reader, Reply, Writer, load_queries

sql = load_queries(Path(__file__).with_name("cors.sql"))
_TOO_BUSY = 503


async def rules_of_bucket(reader: Reader, bucket: str) -> Rules:
    """Returns the rules; none for a bucket without rules, or one that does not exist."""
    stored = None if "\0" in bucket else await reader.value(sql.rules_of_bucket, bucket=bucket)
    return () if stored is None else _parse(stored)


async def rules_of_team(reader: Reader, who: Principal) -> Rules:
    stored = await reader.value(sql.rules_of_team, team_id=who.team_id, org_id=who.org_id)
    return () if stored is None else _parse(stored)


async def set_rules(writer: Writer, who: Principal, rules: Rules, now_ms: int) -> None:
    await writer.run(
        sql.set_rules,
        team_id=who.team_id,
        org_id=who.org_id,
        rules=json.dumps([asdict(rule) for rule in rules]),
        now=now_ms,
    )
    any_origin = any("*" in rule.origins for rule in rules)
    detail = {"rules": len(rules), "any_origin": any_origin}
    writer.audit("s3_cors.set", ("team", who.team_id), detail=detail)


async def delete_rules(writer: Writer, who: Principal) -> None:
    if await writer.one(sql.delete_rules, team_id=who.team_id, org_id=who.org_id) is not None:
        writer.audit("s3_cors.deleted", ("team", who.team_id))


@lru_cache(maxsize=64)
def _parse(stored: str) -> Rules:
    return tuple(_rule(fields) for fields in json.loads(stored))


def _rule(fields: Mapping[str, Any]) -> Rule:
    return Rule(
        tuple(fields["origins"]),
        tuple(fields["methods"]),
        tuple(fields["headers"]),
        tuple(fields["exposed"]),
        fields["max_age"],
        fields["id"],
    )


async def answer_preflight(host: Host, request: S3Request) -> Reply:
    """Raises `AccessForbidden` of a bucket that does not exist as of one without a rule for it."""
    preflight = Preflight.parse(request.headers)
    async with host.data.read() as reader:
        rules = await rules_of_bucket(reader, request.bucket)
    return s3_reply(200, preflight.answer(rules))


async def let_see(host: Host, request: S3Request, answer: Reply) -> Reply:
    """Returns the answer, a refusal too, with headers for a page whose origin may use the method there."""
    origin = request.headers.get("origin")
    if not origin or not request.bucket or request.method == "OPTIONS" or answer.status == _TOO_BUSY:
        return answer
    try:
        async with host.data.read() as reader:
            rules = await rules_of_bucket(reader, request.bucket)
    except Problem:
        return answer  # the database is busy; what was done is done, and answered
    headers = allowed(rules, origin, request.method)
    if not headers:
        return answer
    return replace(answer, headers={**answer.headers, **headers, "Vary": f"Authorization, {VARY}"})
