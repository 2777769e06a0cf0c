"""Who may have work done in the background, and who does it.

`chat:use` stands here, and not with what talks to models: jobs ask for it too, and are always there.
"""

from guildhall_sdk import Permission

PERMISSIONS = (
    Permission(
        name="chat:use", description="Use AI features and enqueue jobs", roles=["member", "localizer"]
    ),
    Permission(name="jobs:execute", description="Claim and run jobs as a worker", roles=["worker"]),
)
