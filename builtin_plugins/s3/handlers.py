"""HTTP in and out."""

from urllib.parse import urlsplit

from builtin_plugins.s3.keys import ACCESS_KEY, AccessKeys, IssuedKey, Scope, parse_scope
from builtin_plugins.s3.settings import DOMAIN, REGION
from builtin_plugins.s3.wire.sigv4 import SigningCredentials, presign
from guildhall_sdk import (
    Conflict,
    Credential,
    Forbidden,
    Host,
    PermissionDenied,
    Reader,
    Reply,
    RequestContext,
    Unauthenticated,
    created,
    cut_page,
    no_content,
    page,
    page_bounds,
    rfc3339,
    rfc3339_or_none,
)
from guildhall_sdk.services import Credentials, Repository, Roles, StoredObject

DEFAULT_LINK_SECONDS = 900


async def list_keys(ctx: RequestContext) -> Reply:
    after, fetched = page_bounds(ctx.query)
    async with ctx.read() as reader:
        rows = await ctx.service(AccessKeys).page_of(reader, ctx.principal, after, fetched)
        place = await _place(ctx, reader)
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


async def issue_key(ctx: RequestContext) -> Reply:
    scope = Scope.of(ctx.body.get("scope", {}))
    ctx.service(Roles).check_names(ctx.body.get("scope", {}).get("permissions", ()), "/scope/permissions")
    ttl = ctx.body.get("ttl", "never")
    wanted = None if ttl == "never" else ctx.now_ms + ttl * 1000
    ends = ctx.principal.credential.bound_end(wanted, asked="ttl" in ctx.body)
    async with ctx.write() as writer:
        issued = await ctx.service(AccessKeys).issue(writer, ctx.principal, scope, ends)
        place = await _place(ctx, writer)
    answer = {
        "id": issued.id,
        "access_key_id": issued.access_key_id,
        "secret_access_key": issued.secret,
        "scope": scope.to_json(),
        "expires_at": rfc3339_or_none(ends),
        **place,
    }
    return created(answer, f"/api/s3/credentials/{issued.id}", secret_id=issued.id)


async def revoke_key(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        await ctx.service(AccessKeys).revoke(writer, ctx.principal, ctx.params["id"])
    return no_content()


async def presign_object(ctx: RequestContext) -> Reply:
    repository = ctx.service(Repository)
    async with ctx.read() as reader:
        credential = ctx.principal.credential
        if credential.is_token and not await ctx.service(Credentials).alive(reader, credential.id):
            raise Unauthenticated("This credential ended while the request was under way; sign in again.")
        found = await repository.require(reader, ctx.principal, ctx.params["id"], "files:read")
        method = ctx.body.get("method", "GET")
        right = "files:write" if method == "PUT" else "files:read"
        if method == "PUT":
            await repository.require(reader, ctx.principal, found.id, right)
        version_id = None
        if "version" in ctx.body:
            version = await repository.version(reader, ctx.principal, found.id, ctx.body["version"])
            version_id = version.id if method == "GET" else None
        key = await _signing_key(ctx, reader, found, right)
        bucket = await ctx.service(AccessKeys).bucket_of(reader, ctx.principal)
    expires_in = _link_seconds(ctx, key)
    url = presign(
        method,
        endpoint_of(ctx.host),
        bucket,
        found.key,
        SigningCredentials(key.access_key_id, key.secret, REGION),
        now_ms=ctx.now_ms,
        expires_s=expires_in,
        version_id=version_id,
        made_with=ctx.principal.credential.as_maker,
    )
    return Reply({"url": url, "expires_at": rfc3339(_second(ctx) + expires_in * 1000)})


def _second(ctx: RequestContext) -> int:
    """Returns the time in whole seconds, as the signature counts, from the one that has begun."""
    return ctx.now_ms // 1000 * 1000


def _link_seconds(ctx: RequestContext, key: IssuedKey) -> int:
    """Returns how long a link lasts: no longer than its key or the credential that asked for it."""
    is_chosen = "expires_in" in ctx.body
    ends: int | None = _second(ctx) + ctx.body.get("expires_in", DEFAULT_LINK_SECONDS) * 1000
    for credential in (ctx.principal.credential, Credential(key.id, ACCESS_KEY.name, None, key.expires_at)):
        ends = credential.bound_end(ends, asked=is_chosen)
    assert ends is not None
    seconds = (ends - _second(ctx)) // 1000
    if seconds < 1:
        raise Forbidden("Your credential ends within a second; a link would too.", code=PermissionDenied.code)
    return seconds


async def _signing_key(ctx: RequestContext, reader: Reader, found: StoredObject, right: str) -> IssuedKey:
    newest = await ctx.service(AccessKeys).newest_of(reader, ctx.principal)
    if newest is None:
        raise Conflict("You have no S3 key to sign with; issue one.", code="no_s3_key")
    key, scope = newest
    if found.team_id != ctx.principal.team_id or not found.key.startswith(scope.prefix):
        raise Conflict("Your newest S3 key does not reach this object.", code="no_s3_key")
    if scope.permissions is not None and right not in scope.permissions:
        raise Conflict(f"Your newest S3 key was issued without {right}; issue another.", code="no_s3_key")
    return key


def endpoint_of(host: Host) -> str:
    """Returns where clients are sent: the S3 domain if there is one, else below the main address."""
    base, domain = host.settings.base_url, host.setting(DOMAIN)
    return f"{urlsplit(base).scheme}://{domain}" if domain else f"{base}/s3"


async def _place(ctx: RequestContext, reader: Reader) -> dict[str, str]:
    bucket = await ctx.service(AccessKeys).bucket_of(reader, ctx.principal)
    return {"endpoint": endpoint_of(ctx.host), "region": REGION, "bucket": bucket}


HANDLERS = {handler.__name__: handler for handler in (list_keys, issue_key, revoke_key, presign_object)}
