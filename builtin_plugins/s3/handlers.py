"""HTTP in and out."""

from urllib.parse import urlsplit

from builtin_plugins.s3.keys import ACCESS_KEY, AccessKeys, IssuedKey, Scope, parse_scope
from builtin_plugins.s3.settings import DOMAIN, REGION
from builtin_plugins.s3.wire.sigv4 import SigningCredentials, presign
from guildhall_sdk import (
    Call,
    Conflict,
    Credential,
    Forbidden,
    Host,
    PermissionDenied,
    Reader,
    Reply,
    created,
    cut_page,
    no_content,
    page,
    page_bounds,
    rfc3339,
    rfc3339_or_none,
)
from guildhall_sdk.errors import Unauthenticated
from guildhall_sdk.principal import Roles
from guildhall_sdk.services.identity import Credentials
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.stored_objects import StoredObject

DEFAULT_LINK_SECONDS = 900


async def list_keys(call: Call) -> Reply:
    after, fetched = page_bounds(call.query)
    async with call.read() as reader:
        rows = await call.service(AccessKeys).page_of(reader, call.principal, after, fetched)
        place = await _place(call, reader)
    visible, next_cursor = cut_page(rows, fetched, lambda row: str(row["id"]))
    items = [
        {
            "id": row["id"],
            "access_key_id": row["access_key_id"],
            "scope": parse_scope(row["scope"]).to_json(),
            "created_at": rfc3339(row["created_at"]),
            "last_used_at": rfc3339_or_none(row["last_used_at"]),
            "expires_at": rfc3339_or_none(row["expires_at"]),
        }
        for row in visible
    ]
    return page(items, next_cursor, **place)


async def issue_key(call: Call) -> Reply:
    scope = Scope.of(call.body.get("scope", {}))
    call.service(Roles).check_names(call.body.get("scope", {}).get("permissions", ()), "/scope/permissions")
    ttl = call.body.get("ttl", "never")
    wanted = None if ttl == "never" else call.now_ms + ttl * 1000
    ends = call.principal.credential.bound_end(wanted, asked="ttl" in call.body)
    async with call.write() as writer:
        issued = await call.service(AccessKeys).issue(writer, call.principal, scope, ends)
        place = await _place(call, writer)
    answer = {
        "id": issued.id,
        "access_key_id": issued.access_key_id,
        "secret_access_key": issued.secret,
        "scope": scope.to_json(),
        "expires_at": rfc3339_or_none(ends),
        **place,
    }
    return created(answer, f"/api/s3/credentials/{issued.id}", secret_id=issued.id)


async def revoke_key(call: Call) -> Reply:
    async with call.write() as writer:
        await call.service(AccessKeys).revoke(writer, call.principal, call.params["id"])
    return no_content()


async def presign_object(call: Call) -> Reply:
    repository = call.service(Repository)
    async with call.read() as reader:
        credential = call.principal.credential
        if credential.is_token and not await call.service(Credentials).alive(reader, credential.id):
            raise Unauthenticated("This credential ended while the request was under way; sign in again.")
        found = await repository.require(reader, call.principal, call.params["id"], "files:read")
        method = call.body.get("method", "GET")
        right = "files:write" if method == "PUT" else "files:read"
        if method == "PUT":
            await repository.require(reader, call.principal, found.id, right)
        version_id = None
        if "version" in call.body:
            version = await repository.version(reader, call.principal, found.id, call.body["version"])
            version_id = version.id if method == "GET" else None
        key = await _signing_key(call, reader, found, right)
        bucket = await call.service(AccessKeys).bucket_of(reader, call.principal)
    expires_in = _link_seconds(call, key)
    url = presign(
        method,
        endpoint_of(call.host),
        bucket,
        found.key,
        SigningCredentials(key.access_key_id, key.secret, REGION, call.principal.credential.as_maker),
        now_ms=call.now_ms,
        expires_s=expires_in,
        version_id=version_id,
    )
    return Reply({"url": url, "expires_at": rfc3339(_second(call) + expires_in * 1000)})


def _second(call: Call) -> int:
    """Returns the time in whole seconds, as the signature counts, from the one that has begun."""
    return call.now_ms // 1000 * 1000


def _link_seconds(call: Call, key: IssuedKey) -> int:
    """Returns how long a link lasts: no longer than its key or the credential that asked for it."""
    is_chosen = "expires_in" in call.body
    ends: int | None = _second(call) + call.body.get("expires_in", DEFAULT_LINK_SECONDS) * 1000
    for credential in (call.principal.credential, Credential(key.id, ACCESS_KEY.name, None, key.expires_at)):
        ends = credential.bound_end(ends, asked=is_chosen)
    assert ends is not None
    seconds = (ends - _second(call)) // 1000
    if seconds < 1:
        raise Forbidden("Your credential ends within a second; a link would too.", code=PermissionDenied.code)
    return seconds


async def _signing_key(call: Call, reader: Reader, found: StoredObject, right: str) -> IssuedKey:
    newest = await call.service(AccessKeys).newest_of(reader, call.principal)
    if newest is None:
        raise Conflict("You have no S3 key to sign with; issue one.", code="no_s3_key")
    key, scope = newest
    if found.team_id != call.principal.team_id or not found.key.startswith(scope.prefix):
        raise Conflict("Your newest S3 key does not reach this object.", code="no_s3_key")
    if scope.permissions is not None and right not in scope.permissions:
        raise Conflict(f"Your newest S3 key was issued without {right}; issue another.", code="no_s3_key")
    return key


def endpoint_of(host: Host) -> str:
    """Returns where clients are sent: the S3 domain if there is one, else below the main address."""
    base, domain = host.settings.base_url, host.setting(DOMAIN)
    return f"{urlsplit(base).scheme}://{domain}" if domain else f"{base}/s3"


async def _place(call: Call, reader: Reader) -> dict[str, str]:
    bucket = await call.service(AccessKeys).bucket_of(reader, call.principal)
    return {"endpoint": endpoint_of(call.host), "region": REGION, "bucket": bucket}


HANDLERS = {handler.__name__: handler for handler in (list_keys, issue_key, revoke_key, presign_object)}
