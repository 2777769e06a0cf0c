"""`guildhall backup`, `guildhall restore` and `guildhall scrub`."""

from builtin_plugins.backup.commands import backup, restore, scrub

COMMANDS = (backup.COMMAND, restore.COMMAND, scrub.COMMAND)
