"""HTTP in and out."""

import hashlib
import json

from builtin_plugins.branding import service
from builtin_plugins.branding.branding import INSTANCE, BrandingOwner
from builtin_plugins.branding.service import picture_reply
from builtin_plugins.branding.upload import read_logo
from guildhall_sdk import Actor, Call, Reply, no_content
from guildhall_sdk.dimensions import Quotas
from libs.fair_slots import BODIES
from libs.names import hostname_of


async def read_branding(call: Call) -> Reply:
    org_id = call.principal.org_id if call.signed_in else None
    async with call.read() as reader:
        branding = await service.branding_for(reader, org_id, hostname_of(call.headers.get("host", "")))
    headers = {
        "Cache-Control": "private, no-store" if call.signed_in else "no-cache",
        "Vary": "Host, Authorization",
    }
    tag = hashlib.sha256(json.dumps(branding, sort_keys=True).encode()).hexdigest()[:32]
    return Reply(branding, headers=headers, etag=f'"{tag}"')


async def read_company_branding(call: Call) -> Reply:
    async with call.read() as reader:
        return Reply(await service.of_owner(reader, _company(call)))


async def change_instance_branding(call: Call) -> Reply:
    return await _change(call, INSTANCE)


async def change_company_branding(call: Call) -> Reply:
    return await _change(call, _company(call))


async def _change(call: Call, owner: BrandingOwner) -> Reply:
    service.check_change(call.body)
    async with call.write(_actor(call, owner)) as writer:
        await service.change(writer, call.service(Quotas), owner, call.body, call.now_ms)
        return Reply(await service.of_owner(writer, owner))


async def upload_instance_logo(call: Call) -> Reply:
    return await _upload(call, INSTANCE)


async def upload_company_logo(call: Call) -> Reply:
    return await _upload(call, _company(call))


async def _upload(call: Call, owner: BrandingOwner) -> Reply:
    logo = await BODIES.run(call.principal.org_id, read_logo, call.body["content_type"], call.body["data"])
    async with call.write(_actor(call, owner)) as writer:
        team_id = None if owner is INSTANCE else call.principal.team_id
        await service.set_logo(writer, call.service(Quotas), owner, team_id, logo, call.now_ms)
        return Reply(await service.of_owner(writer, owner))


async def drop_company_branding(call: Call) -> Reply:
    async with call.write() as writer:
        await service.drop(writer, call.service(Quotas), _company(call))
    return no_content()


async def serve_logo(call: Call) -> Reply:
    digest = call.params["digest"]
    async with call.read() as reader:
        content_type, content = await service.logo_bytes(reader, digest)
    return picture_reply(content_type, content, digest, "logo")


def _company(call: Call) -> BrandingOwner:
    return BrandingOwner(call.principal.org_id)


def _actor(call: Call, owner: BrandingOwner) -> Actor | None:
    """Returns the actor: what an operator does to the instance stands in the instance's own trail."""
    if owner is not INSTANCE:
        return None
    return Actor(call.principal.username, call.principal.user_id, request_id=call.request_id)


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
