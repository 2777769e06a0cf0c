"""Who may see, write, approve and manage translations."""

from guildhall_sdk import Permission

PERMISSIONS = (
    Permission(
        name="localization:read", description="See translations and their coverage", roles=["translator"]
    ),
    Permission(name="localization:translate", description="Write translations", roles=["translator"]),
    Permission(name="localization:review", description="Approve or return translations", roles=["reviewer"]),
    Permission(
        name="localization:manage", description="Import, export and draft translations", roles=["localizer"]
    ),
)
