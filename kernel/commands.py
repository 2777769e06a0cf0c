"""The names of the server's own commands, in the order of `guildhall --help`; no plugin may take one."""

OWN_COMMANDS = (
    "serve",
    "plugin",
    "secrets",
    "doctor",
)
