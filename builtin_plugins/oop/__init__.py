"""Out-of-process plugins: tools of programs that run in a sandbox, with the rights that the operator grants."""

from guildhall_sdk import Plugin

PLUGIN = Plugin(
    id="oop",
    name="Out-of-process plugins",
    version="0.1.0",
    description="Tools of programs that run in a sandbox, with the rights that the operator grants.",
    requires=("jobs",),
)
