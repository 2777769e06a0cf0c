"""Who may see, run and publish workflows."""

from guildhall_sdk import Permission

READ, RUN, WRITE = "workflows:read", "workflows:run", "workflows:write"

PERMISSIONS = (
    Permission(name=READ, description="See workflows and runs", roles=["viewer"]),
    Permission(name=RUN, description="Run workflows", roles=["member"]),
    Permission(name=WRITE, description="Publish workflows and triggers", roles=["admin"]),
)
