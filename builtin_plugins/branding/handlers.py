"""HTTP in and out."""

import hashlib
import json

from builtin_plugins.branding import service
from builtin_plugins.branding.branding import INSTANCE, BrandingOwner
from builtin_plugins.branding.service import picture_reply
from builtin_plugins.branding.upload import read_logo
from guildhall_sdk import Actor, Reply, RequestContext, no_content
from guildhall_sdk.names import hostname_of
from guildhall_sdk.services import Quotas
from libs.fair_slots import BODIES


async def read_branding(ctx: RequestContext) -> Reply:
    org_id = ctx.principal.org_id if ctx.signed_in else None
    async with ctx.read() as reader:
        branding = await service.branding_for(reader, org_id, hostname_of(ctx.headers.get("host", "")))
    headers = {
        "Cache-Control": "private, no-store" if ctx.signed_in else "no-cache",
        "Vary": "Host, Authorization",
    }
    tag = hashlib.sha256(json.dumps(branding, sort_keys=True).encode()).hexdigest()[:32]
    return Reply(branding, headers=headers, etag=f'"{tag}"')


async def read_company_branding(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        return Reply(await service.of_owner(reader, _company(ctx)))


async def change_instance_branding(ctx: RequestContext) -> Reply:
    return await _change(ctx, INSTANCE)


async def change_company_branding(ctx: RequestContext) -> Reply:
    return await _change(ctx, _company(ctx))


async def _change(ctx: RequestContext, owner: BrandingOwner) -> Reply:
    service.check_change(ctx.body)
    async with ctx.write(_actor(ctx, owner)) as writer:
        await service.change(writer, ctx.service(Quotas), owner, ctx.body, ctx.now_ms)
        return Reply(await service.of_owner(writer, owner))


async def upload_instance_logo(ctx: RequestContext) -> Reply:
    return await _upload(ctx, INSTANCE)


async def upload_company_logo(ctx: RequestContext) -> Reply:
    return await _upload(ctx, _company(ctx))


async def _upload(ctx: RequestContext, owner: BrandingOwner) -> Reply:
    logo = await BODIES.run(ctx.principal.org_id, read_logo, ctx.body["content_type"], ctx.body["data"])
    async with ctx.write(_actor(ctx, owner)) as writer:
        team_id = None if owner is INSTANCE else ctx.principal.team_id
        await service.set_logo(writer, ctx.service(Quotas), owner, team_id, logo, ctx.now_ms)
        return Reply(await service.of_owner(writer, owner))


async def drop_company_branding(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        await service.drop(writer, ctx.service(Quotas), _company(ctx))
    return no_content()


async def serve_logo(ctx: RequestContext) -> Reply:
    digest = ctx.params["digest"]
    async with ctx.read() as reader:
        content_type, content = await service.logo_bytes(reader, digest)
    return picture_reply(content_type, content, digest, "logo")


def _company(ctx: RequestContext) -> BrandingOwner:
    return BrandingOwner(ctx.principal.org_id)


def _actor(ctx: RequestContext, owner: BrandingOwner) -> Actor | None:
    """Returns the actor: what an operator does to the instance stands in the instance's own trail."""
    if owner is not INSTANCE:
        return None
    return Actor(ctx.principal.username, ctx.principal.user_id, request_id=ctx.request_id)


HANDLERS = {
    handler.__name__: handler
    for handler in (
        read_branding,
        change_instance_branding,
        upload_instance_logo,
        serve_logo,
        read_company_branding,
        change_company_branding,
        drop_company_branding,
        upload_company_logo,
    )
}
