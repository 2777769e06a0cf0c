"""The permissions of what ships."""

from typing import Literal

Permission = Literal[
    "settings:manage",
    "instance:manage",
    "chat:use",
    "jobs:execute",
    "localization:read",
    "localization:translate",
    "localization:review",
    "localization:manage",
    "org:read",
    "org:manage",
    "members:manage",
    "files:read",
    "files:write",
    "files:delete",
    "files:manage",
    "search",
    "notes:read",
    "notes:write",
    "notes:delete",
    "notes:manage",
    "workflows:read",
    "workflows:run",
    "workflows:write",
]

__all__ = ["Permission"]
