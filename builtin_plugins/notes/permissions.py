"""Who may do what with notes."""

from guildhall_sdk import Permission

PERMISSIONS = (
    Permission(name="notes:read", description="Read notes", roles=["viewer"]),
    Permission(name="notes:write", description="Write notes", roles=["member"]),
    Permission(name="notes:delete", description="Delete notes", roles=["admin"]),
    Permission(name="notes:manage", description="Share notes of others", roles=["admin"]),
)
