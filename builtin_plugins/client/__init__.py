"""Client: `guildhall` as a command for whoever works in a hall, from any machine."""

from collections.abc import Sequence

from builtin_plugins.client.commands import COMMANDS as SESSION_COMMANDS
from builtin_plugins.client.completion_commands import COMMANDS as COMPLETION_COMMANDS
from builtin_plugins.client.files_commands import COMMANDS as FILES_COMMANDS
from builtin_plugins.client.text_commands import COMMANDS as TEXT_COMMANDS
from builtin_plugins.client.work_commands import COMMANDS as WORK_COMMANDS
from guildhall_sdk import Command, Plugin, hookimpl

PLUGIN = Plugin(
    id="client",
    name="Client",
    version="0.1.0",
    description="Notes, files, search, chat, workflows and jobs of a hall, from a terminal.",
)

#: In the order in which `guildhall --help` lists them.
COMMANDS = (*SESSION_COMMANDS, *TEXT_COMMANDS, *FILES_COMMANDS, *WORK_COMMANDS, *COMPLETION_COMMANDS)


@hookimpl
def declare_commands() -> Sequence[Command]:
    return COMMANDS
