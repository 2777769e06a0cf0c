"""The CORS rules of each team's bucket, as they are stored. They are read anew for every request."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from builtin_plugins.s3.wire.cors import Rule, Rules
from guildhall_sdk import Principal, Reader, Writer, load_queries

sql = load_queries(Path(__file__).with_name("cors.sql"))


async def rules_of_bucket(reader: Reader, bucket: str) -> Rules:
    """None of a bucket without rules, and of one that does not exist."""
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
