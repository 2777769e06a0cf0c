"""Awaiting `on_*` and `decide_*` hooks, one by one, in the order of admission."""

import asyncio
from typing import Any

import pluggy

from kernel.logs import get_logger
from kernel.plugins.reasons import module_of, place_of, reason_of

_log = get_logger("plugins")
ON_TIMEOUT = 10.0
DENIED = "A check failed; ask the operator to look into the log."


class HookCaller:
    def __init__(self, manager: pluggy.PluginManager) -> None:
        self._manager = manager

    async def tell(self, hook: str, **arguments: Any) -> dict[str, str]:
        """Tells every plugin; a failure or a timeout is logged. Gives the ids that failed, and why."""
        failed: dict[str, str] = {}
        for implementation in self._in_order(hook):
            try:
                async with asyncio.timeout(ON_TIMEOUT):
                    await self._call(implementation, arguments)
            except (Exception, SystemExit) as error:
                reason = reason_of(error, module_of(implementation.plugin))
                failed[implementation.plugin_name] = f"{hook} failed: {reason}"
                _log.error("plugin.hook_failed", exc=error, plugin=implementation.plugin_name, hook=hook)
        return failed

    async def decide(self, hook: str, **arguments: Any) -> Any:
        """The first answer that is not None; a failure answers too, and denies."""
        for implementation in self._in_order(hook):
            try:
                async with asyncio.timeout(ON_TIMEOUT):
                    answer = await self._call(implementation, arguments)
            except Exception as error:
                # Not its message: what is decided on may be a secret, and the message may repeat it.
                said = type(error).__name__ + place_of(error, module_of(implementation.plugin))
                _log.error("plugin.hook_failed", plugin=implementation.plugin_name, hook=hook, error=said)
                return DENIED
            if answer is not None:
                return answer
        return None

    def _in_order(self, hook: str) -> list[pluggy.HookImpl]:
        implementations = getattr(self._manager.hook, hook).get_hookimpls()
        return sorted(implementations, key=lambda one: (one.trylast, not one.tryfirst))

    @staticmethod
    async def _call(implementation: pluggy.HookImpl, arguments: dict[str, Any]) -> Any:
        function: Any = implementation.function
        return await function(*(arguments[name] for name in implementation.argnames))
