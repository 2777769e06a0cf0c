"""Why a plugin was kept out, and why a server would not start."""


class PluginFault(Exception):
    """What is wrong with one plugin, in words for its author."""


class BootRefused(Exception):
    """Why the server does not start, in words for its operator."""
