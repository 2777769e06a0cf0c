"""HTTP in and out; the work is done by the kernel's services."""

import asyncio
from dataclasses import replace
from typing import Any

from guildhall_sdk import (
    Host,
    Reply,
    RequestContext,
    Samples,
    Unavailable,
    Workflow,
    cut_page,
    encode_cursor,
    page,
    page_bounds,
)
from guildhall_sdk.services import (
    AuditTrail,
    Directory,
    Features,
    LocaleName,
    LocalePolicy,
    Localization,
    Onboarding,
    Plugins,
    PluginStatus,
    Readiness,
    Tools,
)
from guildhall_sdk.services.readiness import NOT_READY

#: Where no plugin offers `Localization`, there is the language that everything is written in.
_ENGLISH = LocalePolicy("en", (LocaleName("en", "English", "ltr"),), False)


async def _localization_policy(host: Host) -> LocalePolicy:
    """Returns the policy of now."""
    localization = host.find_service(Localization)
    return _ENGLISH if localization is None else await localization.policy()


async def health(ctx: RequestContext) -> Reply:
    return Reply({"ok": True, "multitenant": ctx.host.settings.multitenant})


async def ready(ctx: RequestContext) -> Reply:
    trouble = await ctx.service(Readiness).trouble()
    if trouble is not None:
        raise Unavailable(trouble.detail, code=NOT_READY, reason=trouble.reason, headers={"Retry-After": "1"})
    return Reply({"ready": True})


async def config(ctx: RequestContext) -> Reply:
    settings = ctx.host.settings
    onboarding = ctx.host.find_service(Onboarding)
    policy = await _localization_policy(ctx.host)
    async with ctx.read() as reader:
        has_users = await ctx.service(Directory).has_users(reader)
    return Reply(
        {
            "home": "console" if onboarding is None else onboarding.home,
            "multitenant": settings.multitenant,
            "hosted": settings.hosted,
            "needs_bootstrap": not has_users and not settings.hosted,
            "version": settings.version,
            "localization": policy.public(),
        }
    )


async def features(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        return page(list(await ctx.service(Features).listing(reader, ctx.principal.team_id)), None)


async def switch_feature(ctx: RequestContext) -> Reply:
    return await _switch(ctx, ctx.service(Features), "feature")


async def tools(ctx: RequestContext) -> Reply:
    after, fetched = page_bounds(ctx.query)
    async with ctx.read() as reader:
        found = await ctx.service(Tools).listing(reader, ctx.principal.team_id)
    rest = [one for one in found if after is None or one["name"] > after]
    return page(*cut_page(rest, fetched, lambda one: str(one["name"])))


async def switch_tool(ctx: RequestContext) -> Reply:
    return await _switch(ctx, ctx.service(Tools), "tool")


async def _switch(ctx: RequestContext, switches: Features | Tools, what: str) -> Reply:
    name, enabled = ctx.params["name"], ctx.body["enabled"]
    async with ctx.write() as writer:
        await switches.set(writer, ctx.principal.team_id, name, enabled)
        writer.audit(f"{what}.changed", (what, name), detail={"enabled": enabled})
    return Reply({"name": name, "enabled": enabled})


async def plugins(ctx: RequestContext) -> Reply:
    operator = ctx.principal.may("instance:manage")
    switches = ctx.service(Features).of(ctx.principal)
    found = ctx.service(Plugins)
    installed = await asyncio.to_thread(found.installed_versions)
    workflows: dict[str, list[str]] = {}
    for plugin_id, workflow in found.owned(Workflow):
        workflows.setdefault(plugin_id, []).append(str(workflow.spec["slug"]))
    items = [
        _plugin_json(
            replace(status, workflows=workflows.get(status.id, ())),
            switches.plugin(status.id),
            installed.get(status.id, status.version),
            with_reason=operator,
        )
        for status in found.statuses()
    ]
    return page(items, None)


async def switch_plugin(ctx: RequestContext) -> Reply:
    plugin_id, enabled = ctx.params["id"], ctx.body["enabled"]
    async with ctx.write() as writer:
        await ctx.service(Features).set_plugin(writer, ctx.principal.team_id, plugin_id, enabled)
        writer.audit("plugin.changed", ("plugin", plugin_id), detail={"enabled": enabled})
    loaded = [status for status in ctx.service(Plugins).statuses() if status.status == "loaded"]
    names = {status.id: status.name for status in loaded}
    return Reply({"id": plugin_id, "name": names[plugin_id], "enabled": enabled})


def _plugin_json(
    status: PluginStatus, enabled: bool, installed_version: str | None, *, with_reason: bool
) -> dict[str, Any]:
    """Returns a plugin as the API shows it.

    Why one is in quarantine may tell of the machine it runs on: that is for who operates it.
    """
    return {
        "id": status.id,
        "name": status.name,
        "version": status.version,
        "installed_version": installed_version,
        "description": status.description,
        "source": status.source,
        "status": status.status,
        "reason": None if status.status == "quarantined" and not with_reason else status.reason,
        "essential": status.essential,
        "enabled": enabled,
        "tools": list(status.tools),
        "workflows": list(status.workflows),
        "routes": [dict(route) for route in status.routes],
        "job_kinds": [dict(kind) for kind in status.job_kinds],
    }


async def team_audit(ctx: RequestContext) -> Reply:
    return await _audit_page(ctx, ctx.principal.team_id)


async def org_audit(ctx: RequestContext) -> Reply:
    return await _audit_page(ctx, None)


async def _audit_page(ctx: RequestContext, team_id: str | None) -> Reply:
    before, wanted = page_bounds(ctx.query)
    trail, org_id = ctx.service(AuditTrail), ctx.principal.org_id
    filters = {name: ctx.query[name] for name in ("actor", "action") if ctx.query.get(name)}
    async with ctx.read() as reader:
        if filters:
            found, last = await trail.find(reader, org_id, team_id, before, wanted - 1, **filters)
            return page([*found], None if last is None else encode_cursor(last))
        if team_id is None:
            events = await trail.of_org(reader, org_id, before, wanted)
        else:
            events = await trail.of_team(reader, org_id, team_id, before, wanted)
    return page(*cut_page(events, wanted, lambda event: str(event["id"])))


async def seed(ctx: RequestContext) -> Reply:
    """Makes each kind of sample in a transaction of its own; after a refusal a second call goes on there."""
    caller, switches = ctx.principal, ctx.service(Features).of(ctx.principal)
    kinds = [one for plugin_id, one in ctx.service(Plugins).owned(Samples) if switches.plugin(plugin_id)]
    for samples in kinds:
        ctx.require(samples.permission)
    answer = {}
    for samples in kinds:
        async with ctx.write() as writer:
            seeded = await samples.seed(ctx.host, writer, caller, ctx.now_ms)
            if seeded.created:
                detail = {samples.name: seeded.created}
                writer.audit("team.seeded", ("team", caller.team_id), detail=detail)
        answer[samples.name] = {"created": seeded.created, "existing": seeded.existing}
    return Reply(answer)
