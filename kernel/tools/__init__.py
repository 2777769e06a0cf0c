"""Tools: the registry of those that plugins declare and of those that come and go, and how one is run."""

from kernel.tools.team import TeamTools

__all__ = ["TeamTools"]
