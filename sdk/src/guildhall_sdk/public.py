"""The public modules, which a plugin may import, and the versions of the API that a server takes."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

import guildhall_sdk
from guildhall_sdk.plugin import API_VERSION

#: A plugin written for any of these is let in.
OLDEST_API = 1
NEWEST_API = API_VERSION

_OWN = "it was for the plugins that ship alone: copy what you use of it"

#: Words of earlier versions, and what to write instead: a plugin with one of them is told so, and stays out.
GONE = {
    "RequestContext": "take guildhall_sdk.Call",
    "ExtensionCall": "take guildhall_sdk.Call",
    "ExtensionRoute": "write Route(method, path, handler, doc, permission=…) with a path that has no leading "
    "/, with body={} where it takes any JSON, query=None where it takes any parameters",
    "declare_extension_routes": "return those rows, with paths that have no leading /, from declare_routes",
    "declare_accepts": "return a hookspec class from declare_hooks, with @declares on each of its hooks",
    "Accepts": "say by guildhall_sdk.hooks.declares what a hook of yours collects, and by checked how",
    "Contributor": "take guildhall_sdk.hooks.Declarer",
    "declare_contributions": "implement the hook of each type instead: declare_workflows for Workflow, "
    "declare_console_pages for ConsolePage, declare_catalogs for MessageCatalogs, declare_experiences for "
    "Experience, declare_team_contents for TeamContent, declare_retained for Retained, "
    "declare_retained_by_teams for RetainedByTeams, declare_versions_in_use for VersionsInUse, and for a "
    "type of another plugin the hook that it brings",
    "declare_pages": "return Pages from declare_routes, among the rows",
    "declare_mounts": "return Adapters of guildhall_sdk.adapters from declare_adapters: a protocol's own "
    "reading and writing as its protocol, a whole ASGI application as its app",
    "Mount": "take guildhall_sdk.adapters.Adapter",
    "guildhall_sdk.mounts": "take guildhall_sdk.adapters",
    "RateLimits": "name a rate_limit on your Adapter: the pipeline counts its callers",
    "CallerRates": "name a rate_limit on your Adapter: the pipeline counts its callers",
    "checked_write": "take call.write(), which asks for the caller again",
    "contributed": "ask Plugins.owned, which takes the switches too",
    "plugin_enabled": "take (await features.of_team(reader, team_id)).plugin(plugin_id)",
    "running_progress": "take running_job.get().progress",
    "running_run": "take running_job.get().run_id",
    "guildhall_sdk.completions": "ask the service Models",
    "guildhall_sdk.confinement": "ask the service Sandbox",
    "guildhall_sdk.dataclass": "take dataclass from dataclasses",
    "guildhall_sdk.fairness": "ask the service Computing",
    "guildhall_sdk.messages": "ask the service Translator",
    "guildhall_sdk.mustache": "ask the service Templates",
    "guildhall_sdk.plurals": "ask the service Translator",
    "guildhall_sdk.followers": _OWN,
    "guildhall_sdk.names": _OWN,
    "guildhall_sdk.negotiation": _OWN,
    "guildhall_sdk.redaction": _OWN,
    "guildhall_sdk.remembered": _OWN,
    "guildhall_sdk.streams": _OWN,
    "guildhall_sdk.themes": "ask the service Themes",
}


@cache
def modules() -> Sequence[str]:
    """Returns the modules that a plugin may import."""
    found = walk_packages(guildhall_sdk.__path__, f"{guildhall_sdk.__name__}.")
    return (guildhall_sdk.__name__, *(one.name for one in found))


def moved_to(module: str, name: str) -> str | None:
    """Returns the module that holds a name now, or None where the one it is imported from does."""
    if module in modules() and hasattr(import_module(module), name):
        return None
    for other in modules()[1:]:
        held = vars(import_module(other))
        if name in held and getattr(held[name], "__module__", other) == other:
            return other
    return None
