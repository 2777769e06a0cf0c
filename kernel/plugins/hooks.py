"""Hooks: each does what its name promises, and `on_*` and `decide_*` are awaited one by one."""

import asyncio
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pluggy

from guildhall_sdk import Host
from guildhall_sdk.hooks import PROJECT, SPECIFICATIONS
from kernel.faults import PluginFault
from kernel.logs import get_logger
from kernel.plugins.reasons import module_of, place_of, reason_of

ON_TIMEOUT = 10.0
DENIED = "A check failed; ask the operator to look into the log."
_log = get_logger("plugins")


def _names_of_arguments(function: Any) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters)


_SPECIFIED = {
    name: vars(space)[name] for space in SPECIFICATIONS for name in vars(space) if "_" in name[1:-1]
}
HOOKS = frozenset(name for name in _SPECIFIED if not name.startswith("_"))
_ARGUMENTS = {name: _names_of_arguments(_SPECIFIED[name]) - {"self"} for name in HOOKS}


class _Manager(pluggy.PluginManager):
    """Looks at the functions with our mark alone: pluggy takes its time over every name of a module."""

    def parse_hookimpl_opts(self, plugin: Any, name: str) -> pluggy.HookimplOpts | None:
        if getattr(getattr(plugin, name, None), f"{PROJECT}_impl", None) is None:
            return None
        return super().parse_hookimpl_opts(plugin, name)


def new_manager() -> pluggy.PluginManager:
    """Makes a manager for one app; nothing is global."""
    manager = _Manager(PROJECT)
    for space in SPECIFICATIONS:
        manager.add_hookspecs(space)
    return manager


def checked_hooks(plugin: Any) -> dict[str, Callable[..., Any]]:
    """Returns the hooks that a plugin implements, by name.

    Raises for an unknown hook, one that is async against its name, a wrong argument or a wrapper.
    """
    found = dict[str, Callable[..., Any]]()
    for name, implementation, options in _implementations(plugin):
        if name not in HOOKS:
            raise PluginFault(f"there is no hook named {name}; known are {', '.join(sorted(HOOKS))}")
        if options.get("hookwrapper") or options.get("wrapper"):
            raise PluginFault(f"{name}: hooks cannot be wrapped")
        is_async = inspect.iscoroutinefunction(implementation)
        if name.startswith("declare_") and is_async:
            raise PluginFault(f"{name} must be a plain function, not async")
        if not name.startswith("declare_") and not is_async:
            raise PluginFault(f"{name} must be async")
        _check_arguments(name, implementation)
        found[name] = implementation
    return found


def _check_arguments(name: str, implementation: Any) -> None:
    allowed = _ARGUMENTS[name]
    if extra := _names_of_arguments(implementation) - allowed:
        takes = f"takes {', '.join(sorted(allowed))}" if allowed else "takes no arguments"
        raise PluginFault(f"{name} has an unknown argument {sorted(extra)[0]!r}; it {takes}")


def _implementations(plugin: Any) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yields marked functions, and unmarked ones that a reader would take for hooks."""
    for attribute in dir(plugin):
        member = getattr(plugin, attribute, None)
        options = getattr(member, f"{PROJECT}_impl", None)
        if options is not None:
            yield options.get("specname") or attribute, member, options
        elif attribute in HOOKS and callable(member):
            raise PluginFault(f"{attribute} lacks the @hookimpl mark")


class HookRunner:
    """Awaits `on_*` and `decide_*` hooks in the order of admission."""

    def __init__(self, manager: pluggy.PluginManager) -> None:
        self._manager = manager
        self._done: set[tuple[str, str]] = set()

    async def tell(
        self, hook: str, host_of: Callable[[str], Host], *, undoes: str | None = None
    ) -> dict[str, str]:
        """Calls the hook of every plugin, each with its own host; gives the ids that failed, and why.

        A failure or a timeout is logged. A hook that `undoes` another goes backwards, and leaves out the
        plugins whose other hook has not ended well.
        """
        failed: dict[str, str] = {}
        implementations = self._in_order(hook) if undoes is None else self._to_undo(hook, undoes)
        for implementation in implementations:
            try:
                async with asyncio.timeout(ON_TIMEOUT):
                    await self._call(implementation, {"host": host_of(implementation.plugin_name)})
                self._done.add((hook, implementation.plugin_name))
            except (Exception, SystemExit) as error:
                reason = reason_of(error, module_of(implementation.plugin))
                failed[implementation.plugin_name] = f"{hook} failed: {reason}"
                _log.error("plugin.hook_failed", exc=error, plugin=implementation.plugin_name, hook=hook)
        return failed

    async def decide(self, hook: str, **arguments: Any) -> Any:
        """Returns the first answer that is not None; a failure is an answer too, and denies."""
        found = await self.decide_by(hook, **arguments)
        return None if found is None else found[1]

    async def decide_password(self, username: str, password: str) -> str | None:
        """Returns what a plugin has against a password, or None."""
        refusal: str | None = await self.decide("decide_password", username=username, password=password)
        return refusal

    async def decide_by(
        self, hook: str, *, refusal: tuple[type[Exception], ...] = (), **arguments: Any
    ) -> tuple[str, Any] | None:
        """Returns the first answer that is not None with its plugin's id; a failure answers `DENIED`.

        What a plugin raises of `refusal` is its answer, and goes to the caller.
        """
        for implementation in self._in_order(hook):
            try:
                async with asyncio.timeout(ON_TIMEOUT):
                    answer = await self._call(implementation, arguments)
            except refusal:
                raise
            except (Exception, SystemExit) as error:
                # Not its message: what is decided on may be a secret, and the message may repeat it.
                reason = type(error).__name__ + place_of(error, module_of(implementation.plugin))
                _log.error("plugin.hook_failed", plugin=implementation.plugin_name, hook=hook, error=reason)
                return implementation.plugin_name, DENIED
            if answer is not None:
                return implementation.plugin_name, answer
        return None

    def implementers(self, hook: str) -> list[str]:
        """Returns the ids of the plugins that implement a hook, in the order they are asked."""
        return [implementation.plugin_name for implementation in self._in_order(hook)]

    def _in_order(self, hook: str) -> list[pluggy.HookImpl]:
        implementations = getattr(self._manager.hook, hook).get_hookimpls()
        return sorted(implementations, key=lambda one: (one.trylast, not one.tryfirst))

    def _to_undo(self, hook: str, undoes: str) -> list[pluggy.HookImpl]:
        begun = {implementation.plugin_name for implementation in self._in_order(undoes)}
        return [
            implementation
            for implementation in reversed(self._in_order(hook))
            if (name := implementation.plugin_name) not in begun or (undoes, name) in self._done
        ]

    @staticmethod
    async def _call(implementation: pluggy.HookImpl, arguments: dict[str, Any]) -> Any:
        function: Any = implementation.function
        return await function(*(arguments[name] for name in implementation.argnames))
