"""Hooks of the server that are awaited: each does what its name promises."""

from collections.abc import Callable
from typing import Any

from guildhall_sdk import Host
from kernel.logs import get_logger
from kernel.plugins.reasons import place_of, reason_of
from libs.plugin_hooks import HookFailed, Hooks

ON_TIMEOUT = 10.0
DENIED = "A check failed; ask the operator to look into the log."
_log = get_logger("plugins")


class HookRunner:
    """Awaits `on_*` and `decide_*` hooks of one server, in the order of admission."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self.implementers = hooks.implementers
        self._done: set[tuple[str, str]] = set()

    async def notify(
        self, hook: str, host_of: Callable[[str], Host], *, undoes: str | None = None
    ) -> dict[str, str]:
        """Calls the hook of every plugin, each with its own host; returns the ids that failed, and why.

        A failure or a timeout is logged. A hook that `undoes` another goes backwards, and leaves out the
        plugins whose other hook has not ended well.
        """
        failed: dict[str, str] = {}
        each = self._hooks.call_each(
            hook, ON_TIMEOUT, lambda one: {"host": host_of(one)}, done=self._done, undoes=undoes
        )
        async for plugin_id, error in each:
            failed[plugin_id] = f"{hook} failed: {reason_of(error, self._hooks.module_of(plugin_id))}"
            _log.error("plugin.hook_failed", exc=error, plugin=plugin_id, hook=hook)
        return failed

    async def decide_password(self, username: str, password: str) -> str | None:
        """Returns what a plugin has against a password, or None."""
        found = await self.decide("decide_password", username=username, password=password)
        return None if found is None else found[1]

    async def decide(
        self,
        hook: str,
        *,
        refusal: tuple[type[Exception], ...] = (),
        host_of: Callable[[str], Host] | None = None,
        **arguments: Any,
    ) -> tuple[str, Any] | None:
        """Returns the first answer that is not None with its plugin's id; a failure answers `DENIED`.

        What a plugin raises of `refusal` is its answer, and goes to the caller. With `host_of` each is given
        its own host.
        """

        def arguments_for(plugin_id: str) -> dict[str, Any]:
            return arguments if host_of is None else {**arguments, "host": host_of(plugin_id)}

        try:
            return await self._hooks.first_answer(hook, ON_TIMEOUT, arguments_for, refusal)
        except HookFailed as failed:
            error, plugin_id = failed.__cause__, failed.plugin_id
            # Not its message: what is decided on may be a secret, and the message may repeat it.
            reason = type(error).__name__ + place_of(error or failed, self._hooks.module_of(plugin_id))
            _log.error("plugin.hook_failed", plugin=plugin_id, hook=hook, error=reason)
            return plugin_id, DENIED
