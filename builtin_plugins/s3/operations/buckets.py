"""What can be asked of a bucket itself. There is one for each team, always there and always versioned.

Its CORS rules are read anew for every request.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from builtin_plugins.s3.bodies import read_parsed
from builtin_plugins.s3.call import S3Call, check_access_list, s3_reply, xml
from builtin_plugins.s3.description import find_version, owner_of
from builtin_plugins.s3.settings import REGION
from builtin_plugins.s3.wire import bucket_answers
from builtin_plugins.s3.wire.answers import CanonicalUser
from builtin_plugins.s3.wire.bodies import parse_owner_only, parse_versioning
from builtin_plugins.s3.wire.cors import (
    MAX_CORS_BYTES,
    VARY,
    Preflight,
    Rule,
    Rules,
    allowed,
    cors_document,
    parse_cors,
)
from builtin_plugins.s3.wire.errors import (
    AccessControlListNotSupported,
    AccessDenied,
    BucketAlreadyOwnedByYou,
    MalformedXML,
    MaxMessageLengthExceeded,
    NoSuchCORSConfiguration,
    NoSuchLifecycleConfiguration,
    Unimplemented,
)
from builtin_plugins.s3.wire.lifecycle import MAX_BYTES, lifecycle_document, parse_lifecycle
from builtin_plugins.s3.wire.request import S3Request
from guildhall_sdk import Host, Principal, Problem, Reader, Reply, Writer, load_queries


async def list_buckets(call: S3Call) -> Reply:
    own = bucket_answers.ListedBucket(call.bucket, call.caller.bucket_created_ms)
    return xml(bucket_answers.buckets(_team(call), [own]))


async def head_bucket(call: S3Call) -> Reply:
    return s3_reply(200, {"x-amz-bucket-region": REGION, "Content-Type": "application/xml"})


async def create_bucket(call: S3Call) -> Reply:
    raise BucketAlreadyOwnedByYou(BucketName=call.bucket)


async def get_bucket_location(call: S3Call) -> Reply:
    return xml(bucket_answers.location(REGION))


async def get_bucket_versioning(call: S3Call) -> Reply:
    return xml(bucket_answers.versioning())


async def put_bucket_versioning(call: S3Call) -> Reply:
    status = await read_parsed(call, parse_versioning)
    if status == "Suspended":
        raise Unimplemented("A team's bucket is always versioned.")
    if status != "Enabled":
        raise MalformedXML()
    return s3_reply()


async def get_bucket_acl(call: S3Call) -> Reply:
    return xml(bucket_answers.access_control(_team(call)))


async def put_bucket_acl(call: S3Call) -> Reply:
    await _accept_list(call, _team(call))
    return s3_reply()


async def get_object_acl(call: S3Call) -> Reply:
    async with call.read() as reader:
        version = await find_version(call, reader, call.key, call.version_id)
    return xml(bucket_answers.access_control(owner_of(version)), {"x-amz-version-id": version.id})


async def put_object_acl(call: S3Call) -> Reply:
    async with call.read() as reader:
        version = await find_version(call, reader, call.key, call.version_id)
    await _accept_list(call, owner_of(version))
    return s3_reply(200, {"x-amz-version-id": version.id})


async def _accept_list(call: S3Call, owner: CanonicalUser) -> None:
    """Accepts only an access list that changes nothing."""
    check_access_list(call)
    has_body, holder = await read_parsed(
        call, lambda body: (bool(body), parse_owner_only(body) if body else None)
    )
    if not has_body and "x-amz-acl" not in call.request.extensions:
        raise MalformedXML()
    if holder not in (None, owner.id):
        raise AccessControlListNotSupported()


def _team(call: S3Call) -> CanonicalUser:
    return CanonicalUser(call.team_id, call.principal.team_name)


_MANAGE = "settings:manage"
_TRANSITION_SIZE = "x-amz-transition-default-minimum-object-size"


async def get_bucket_lifecycle_configuration(call: S3Call) -> Reply:
    _check_manager(call)
    async with call.read() as reader:
        rules = await call.repository.lifecycle(reader, call.principal)
    if not rules:
        raise NoSuchLifecycleConfiguration(BucketName=call.bucket)
    return xml(lifecycle_document(rules))


async def put_bucket_lifecycle_configuration(call: S3Call) -> Reply:
    _check_manager(call)
    if _TRANSITION_SIZE in call.request.extensions:
        raise Unimplemented(f"{_TRANSITION_SIZE} is not offered here.")
    # Twice as much, as the body may be framed; what is in it is measured when it is parsed.
    if (call.request.content_length or 0) > 2 * MAX_BYTES:
        raise MaxMessageLengthExceeded(f"A lifecycle configuration takes at most {MAX_BYTES // 1024} KiB.")
    rules = await read_parsed(call, parse_lifecycle)
    async with call.write() as writer:
        await call.repository.set_lifecycle(writer, call.principal, rules)
    return s3_reply()


async def delete_bucket_lifecycle(call: S3Call) -> Reply:
    _check_manager(call)
    async with call.write() as writer:
        await call.repository.set_lifecycle(writer, call.principal, ())
    return s3_reply(204)


def _check_manager(call: S3Call) -> None:
    """Refuses a key that is limited to a prefix: the rules are of the whole bucket."""
    call.check_reach("")
    if not call.principal.may(_MANAGE):
        raise AccessDenied(f"Lifecycles are set by those who have {_MANAGE} in the team.")


async def get_bucket_cors(call: S3Call) -> Reply:
    _check_cors_manager(call)
    async with call.read() as reader:
        rules = await rules_of_team(reader, call.principal)
    if not rules:
        raise NoSuchCORSConfiguration(BucketName=call.bucket)
    return xml(cors_document(rules))


async def put_bucket_cors(call: S3Call) -> Reply:
    _check_cors_manager(call)
    # Twice as much, as the body may be framed; what is in it is measured when it is parsed.
    if (call.request.content_length or 0) > 2 * MAX_CORS_BYTES:
        raise MaxMessageLengthExceeded(f"A CORS configuration takes at most {MAX_CORS_BYTES // 1024} KiB.")
    rules = await read_parsed(call, parse_cors)
    async with call.write() as writer:
        await set_rules(writer, call.principal, rules, call.now_ms)
    return s3_reply()


async def delete_bucket_cors(call: S3Call) -> Reply:
    _check_cors_manager(call)
    async with call.write() as writer:
        await delete_rules(writer, call.principal)
    return s3_reply(204)


def _check_cors_manager(call: S3Call) -> None:
    """Refuses a key that is limited to a prefix: the rules are of the whole bucket."""
    call.check_reach("")
    if not call.principal.may(_MANAGE):
        raise AccessDenied(f"CORS is set by those who have {_MANAGE} in the team.")


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
