"""Why a plugin was kept out, and why a server or a command would not do what it was asked."""

from collections.abc import Mapping

from guildhall_sdk.errors import OperatorError
from guildhall_sdk.public import GONE
from libs.modules import missing_in


class PluginFault(Exception):
    """A fault of one plugin, in words for its author."""


class BootRefused(OperatorError):
    """The reason why the server does not start, in words for its operator."""


class CommandRefused(OperatorError):
    """The reason why a command did nothing, in words for whoever typed it."""


def gone_from(error: BaseException) -> list[str]:
    """Says what took the place of what an error misses of an earlier SDK: an attribute or an argument."""
    return [f"{word} is gone: {GONE[word]}" for word in missing_in(error) if word in GONE]


def require(label: str, rules: Mapping[str, object]) -> None:
    """Raises `PluginFault` for the first rule, in words for its author, that does not hold for something."""
    for rule, holds in rules.items():
        if not holds:
            raise PluginFault(f"{label}: {rule}")
