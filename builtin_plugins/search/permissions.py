"""Who may search."""

from guildhall_sdk import Permission

SEARCH = "search"

PERMISSIONS = (Permission(name=SEARCH, description="Search", roles=["viewer"]),)
