"""Statements that took long: each is logged with its plugin, and the last are remembered for the operator."""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from math import inf
from time import time

from guildhall_sdk import Statement
from guildhall_sdk.data import loaded_queries
from guildhall_sdk.services.server import SlowStatement
from kernel.logs import get_logger

_REMEMBERED = 50
_KERNEL = "kernel"
_log = get_logger("database")

#: Returns the id of the plugin that a module belongs to, or None.
PluginOf = Callable[[str], str | None]


class SlowStatements:
    """Those that took longer than `seconds`, the wait for a connection included; infinity watches none."""

    def __init__(self, seconds: float = inf, plugin_of: PluginOf = lambda module: None) -> None:
        self.seconds = seconds
        self._plugin_of = plugin_of
        self._last: deque[SlowStatement] = deque(maxlen=_REMEMBERED)
        #: How many there were, by plugin.
        self.counts: Counter[tuple[str, ...]] = Counter()

    def report(self, statement: Statement, seconds: float) -> None:
        """Logs one; never its binds, which are people's own."""
        plugin, ms = self._owner_of(statement), round(seconds * 1000)
        self.counts[plugin,] += 1
        self._last.append(SlowStatement(statement.name, plugin, ms, round(time() * 1000)))
        _log.warning("statement.slow", statement=statement.name, plugin=plugin, ms=ms)

    def last(self) -> Sequence[SlowStatement]:
        """Returns the last ones, the newest first."""
        return [*reversed(self._last)]

    def _owner_of(self, statement: Statement) -> str:
        """Returns whose it is: by its file, or by its name where its text was changed since."""
        found = _KERNEL
        for module, queries in loaded_queries().values():
            one = getattr(queries, statement.name, None)
            if one is not None:
                found = self._plugin_of(module) or _KERNEL
                if one is statement:
                    break
        return found


#: Of databases that nobody watches, such as a command's.
NOT_WATCHED = SlowStatements()
