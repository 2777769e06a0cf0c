"""Permissions and roles, as data: the one table that the kernel, plugins and docs read."""

from collections.abc import Mapping
from types import MappingProxyType

PERMISSIONS: Mapping[str, str] = MappingProxyType(
    {
        "instance:manage": "Operate the instance",
        "localization:read": "See translations and their coverage",
        "localization:manage": "Import, export and draft translations",
        "localization:translate": "Write translations",
        "localization:review": "Approve or return translations",
        "members:manage": "Add, change and remove members of the team",
        "org:read": "See the company and what its teams share",
        "org:manage": "Manage the company, its teams and people",
        "notes:read": "Read notes",
        "notes:write": "Write notes",
        "notes:delete": "Delete notes",
        "notes:manage": "Share notes of others",
        "files:read": "Read documents and files",
        "files:write": "Write documents and files",
        "files:delete": "Delete documents and files",
        "files:manage": "Share documents and files of others",
        "chat:use": "Use AI features and enqueue jobs",
        "settings:manage": "Manage the team's settings, tokens and tools",
        "jobs:execute": "Claim and run jobs as a worker",
        "search": "Search",
        "workflows:read": "See workflows and runs",
        "workflows:write": "Publish workflows and triggers",
        "workflows:run": "Run workflows",
    }
)

_VIEWER = frozenset({"notes:read", "files:read", "search", "workflows:read"})
_MEMBER = _VIEWER | {"notes:write", "files:write", "chat:use", "workflows:run"}
_ADMIN = _MEMBER | {
    "notes:delete",
    "notes:manage",
    "files:delete",
    "files:manage",
    "workflows:write",
    "members:manage",
    "settings:manage",
}
_TRANSLATOR = _VIEWER | {"localization:read", "localization:translate"}
_REVIEWER = _TRANSLATOR | {"localization:review"}

TEAM_ROLES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "viewer": _VIEWER,
        "member": _MEMBER,
        "admin": _ADMIN,
        "owner": _ADMIN,
        "translator": _TRANSLATOR,
        "reviewer": _REVIEWER,
        "localizer": _REVIEWER | {"localization:manage", "chat:use"},
        "worker": frozenset({"jobs:execute"}),
    }
)

ORG_ROLES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "org_reader": frozenset({"org:read"}),
        "org_admin": frozenset({"org:read", "org:manage"}),
        "org_owner": frozenset({"org:read", "org:manage"}),
    }
)
