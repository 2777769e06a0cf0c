"""Who may do what with documents and files."""

from guildhall_sdk import Permission

PERMISSIONS = (
    Permission(name="files:read", description="Read documents and files", roles=["viewer"]),
    Permission(name="files:write", description="Write documents and files", roles=["member"]),
    Permission(name="files:delete", description="Delete documents and files", roles=["admin"]),
    Permission(name="files:manage", description="Share documents and files of others", roles=["admin"]),
)
