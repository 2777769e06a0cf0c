"""The permissions of a team's settings and of the instance."""

from guildhall_sdk import Permission

PERMISSIONS = (
    Permission(
        name="settings:manage", description="Manage the team's settings, tokens and tools", roles=["admin"]
    ),
    Permission(name="instance:manage", description="Operate the instance"),
)
