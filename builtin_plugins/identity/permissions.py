"""Who may manage the people of a team."""

from guildhall_sdk import Permission

PERMISSIONS = (
    Permission(
        name="members:manage", description="Add, change and remove members of the team", roles=["admin"]
    ),
)
