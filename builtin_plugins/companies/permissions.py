"""Who may see and manage a company."""

from guildhall_sdk import Permission

PERMISSIONS = (
    Permission(name="org:read", description="See the company and what its teams share", roles=["org_reader"]),
    Permission(
        name="org:manage", description="Manage the company, its teams and people", roles=["org_admin"]
    ),
)
