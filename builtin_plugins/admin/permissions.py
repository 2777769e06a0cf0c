"""Who may manage a team and the instance; and what the specification names for plugins that are to come.

A plugin that comes to be takes its own rows from `TO_COME` and declares them itself.
"""

from guildhall_sdk import Permission

OWN = (
    Permission(
        name="settings:manage", description="Manage the team's settings, tokens and tools", roles=["admin"]
    ),
    Permission(name="instance:manage", description="Operate the instance"),
)
TO_COME = (
    Permission(name="workflows:read", description="See workflows and runs", roles=["viewer"]),
    Permission(name="workflows:run", description="Run workflows", roles=["member"]),
    Permission(name="workflows:write", description="Publish workflows and triggers", roles=["admin"]),
    Permission(
        name="localization:read", description="See translations and their coverage", roles=["translator"]
    ),
    Permission(name="localization:translate", description="Write translations", roles=["translator"]),
    Permission(name="localization:review", description="Approve or return translations", roles=["reviewer"]),
    Permission(
        name="localization:manage", description="Import, export and draft translations", roles=["localizer"]
    ),
)
PERMISSIONS = (*OWN, *TO_COME)
