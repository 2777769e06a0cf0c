"""HTTP in and out; the work is done by the kernel's services."""

import asyncio
from dataclasses import asdict, replace
from typing import Any

from guildhall_sdk import Call, Host, Reply, Unavailable, Workflow, cut_page, page, page_bounds
from guildhall_sdk.factories import Samples
from guildhall_sdk.plugin import Features, Plugins, PluginStatus
from guildhall_sdk.services.localization import LocaleName, LocalePolicy, Localization
from guildhall_sdk.services.pages import Onboarding
from guildhall_sdk.services.server import NOT_READY, Readiness
from guildhall_sdk.services.tenancy import Directory
from guildhall_sdk.tools import Tools

#: Where no plugin offers `Localization`, there is the language that everything is written in.
_ENGLISH = LocalePolicy("en", (LocaleName("en", "English", "ltr"),), False)


async def _localization_policy(host: Host) -> LocalePolicy:
    """Returns the policy of now."""
    localization = host.find_service(Localization)
    return _ENGLISH if localization is None else await localization.policy()


async def health(call: Call) -> Reply:
    return Reply({"ok": True, "multitenant": call.host.settings.multitenant})


async def ready(call: Call) -> Reply:
    trouble = await call.service(Readiness).trouble()
    if trouble is not None:
        raise Unavailable(trouble.detail, code=NOT_READY, reason=trouble.reason, headers={"Retry-After": "1"})
    return Reply({"ready": True})


async def config(call: Call) -> Reply:
    settings = call.host.settings
    onboarding = call.host.find_service(Onboarding)
    policy = await _localization_policy(call.host)
    async with call.read() as reader:
        has_users = await call.service(Directory).has_users(reader)
    return Reply(
        {
            "home": "console" if onboarding is None else onboarding.home,
            "multitenant": settings.multitenant,
            "hosted": settings.hosted,
            "needs_bootstrap": not has_users and not settings.hosted,
            "version": settings.version,
            "localization": asdict(policy),
        }
    )


async def features(call: Call) -> Reply:
    async with call.read() as reader:
        return page(list(await call.service(Features).listing(reader, call.principal.team_id)), None)


async def switch_feature(call: Call) -> Reply:
    return await _switch(call, call.service(Features), "feature")


async def tools(call: Call) -> Reply:
    after, fetched = page_bounds(call.query)
    async with call.read() as reader:
        found = await call.service(Tools).listing(reader, call.principal.team_id)
    rest = [one for one in found if after is None or one["name"] > after]
    return page(*cut_page(rest, fetched, lambda one: str(one["name"])))


async def switch_tool(call: Call) -> Reply:
    return await _switch(call, call.service(Tools), "tool")


async def _switch(call: Call, switches: Features | Tools, what: str) -> Reply:
    name, enabled = call.params["name"], call.body["enabled"]
    async with call.write() as writer:
        await switches.set(writer, call.principal.team_id, name, enabled)
        writer.audit(f"{what}.changed", (what, name), detail={"enabled": enabled})
    return Reply({"name": name, "enabled": enabled})


async def plugins(call: Call) -> Reply:
    operator = call.principal.may("instance:manage")
    switches = call.service(Features).of(call.principal)
    found = call.service(Plugins)
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


async def switch_plugin(call: Call) -> Reply:
    plugin_id, enabled = call.params["id"], call.body["enabled"]
    async with call.write() as writer:
        await call.service(Features).set_plugin(writer, call.principal.team_id, plugin_id, enabled)
        writer.audit("plugin.changed", ("plugin", plugin_id), detail={"enabled": enabled})
    loaded = [status for status in call.service(Plugins).statuses() if status.status == "loaded"]
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
        "held": list(status.held),
        "tools": list(status.tools),
        "workflows": list(status.workflows),
        "routes": [dict(route) for route in status.routes],
        "job_kinds": [dict(kind) for kind in status.job_kinds],
    }


async def seed(call: Call) -> Reply:
    """Makes each kind of sample in a transaction of its own; after a refusal a second call goes on there."""
    caller, switches = call.principal, call.service(Features).of(call.principal)
    kinds = [one for plugin_id, one in call.service(Plugins).owned(Samples) if switches.plugin(plugin_id)]
    for samples in kinds:
        call.require(samples.permission)
    answer = {}
    for samples in kinds:
        async with call.write() as writer:
            seeded = await samples.seed(call.host, writer, caller, call.now_ms)
            if seeded.created:
                detail = {samples.name: seeded.created}
                writer.audit("team.seeded", ("team", caller.team_id), detail=detail)
        answer[samples.name] = {"created": seeded.created, "existing": seeded.existing}
    return Reply(answer)
