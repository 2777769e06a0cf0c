"""Why a plugin was kept out, and why a server or a command would not do what it was asked."""


class PluginFault(Exception):
    """What is wrong with one plugin, in words for its author."""


class BootRefused(Exception):
    """Why the server does not start, in words for its operator."""


class CommandRefused(Exception):
    """Why a command did nothing, in words for whoever typed it."""
