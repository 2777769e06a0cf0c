"""What the API says about plugins."""

from typing import Literal, TypedDict


class PluginsListItemJobKind(TypedDict):
    name: str
    #: POST /api/jobs takes it; others are the plugin's own
    public: bool
    remote: bool


class PluginsListItemRoute(TypedDict):
    doc: str
    method: str
    path: str
    permission: str | None


class PluginsListItem(TypedDict):
    description: str
    #: For the caller's team
    enabled: bool
    #: No team can switch it off
    essential: bool
    #: What a newer version added, held back until an operator approves it
    held: list[str]
    id: str
    installed_version: str | None
    job_kinds: list[PluginsListItemJobKind]
    name: str
    reason: str | None
    routes: list[PluginsListItemRoute]
    source: Literal["builtin", "directory", "entry-point"]
    status: Literal["loaded", "quarantined", "blocked"]
    tools: list[str]
    #: The one that runs
    version: str
    workflows: list[str]


class PluginsList(TypedDict):
    items: list[PluginsListItem]
    next_cursor: str | None


class PluginApproveReply(TypedDict):
    #: What may be done from now on
    approved: list[str]
    #: What is still held back
    held: list[str]
    id: str
    #: The one that runs
    version: str


class PluginSetReply(TypedDict):
    enabled: bool
    id: str
    name: str


__all__ = [
    "PluginApproveReply",
    "PluginSetReply",
    "PluginsList",
    "PluginsListItem",
    "PluginsListItemJobKind",
    "PluginsListItemRoute",
]
