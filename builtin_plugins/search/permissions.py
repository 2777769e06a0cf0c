"""Who may search."""

from guildhall_sdk import Permission

PERMISSIONS = (Permission(name="search", description="Search", roles=["viewer"]),)
