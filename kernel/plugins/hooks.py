"""Hooks, executed by pluggy: each does what its name promises, and `on_*` and `decide_*` are awaited."""

import asyncio
import difflib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from types import ModuleType
from typing import Any

import pluggy

from guildhall_sdk import Host
from guildhall_sdk.hooks import PROJECT, SPECIFICATIONS
from guildhall_sdk.public import GONE
from kernel.declarations.hookspecs import KERNEL_HOOKS, arguments_of
from kernel.faults import PluginFault
from kernel.logs import get_logger
from kernel.plugins.reasons import place_of, reason_of, words_to_change

ON_TIMEOUT = 10.0
DENIED = "A check failed; ask the operator to look into the log."
# Of two words: how alike they are for the one to be taken for a slip of the other.
_NEARLY = 0.8
_log = get_logger("plugins")

_AWAITED = frozenset(name for name in KERNEL_HOOKS if not name.startswith("declare_"))

Implementations = Mapping[str, Callable[..., Any]]


def implemented_by(plugin: Any) -> dict[str, Callable[..., Any]]:
    """Returns the hooks that a plugin implements, by name.

    Raises for one that is gone, async against its name, with a wrong argument, or a wrapper.
    """
    found = dict[str, Callable[..., Any]]()
    for name, implementation, options in _marked(plugin):
        if options.get("hookwrapper") or options.get("wrapper"):
            raise PluginFault(f"{name}: hooks cannot be wrapped")
        is_async = inspect.iscoroutinefunction(implementation)
        if name.startswith("declare_") and is_async:
            raise PluginFault(f"{name} must be a plain function, not async")
        if name in _AWAITED and not is_async:
            raise PluginFault(f"{name} must be async")
        if name in found:
            raise PluginFault(f"{name} is implemented twice")
        _check_arguments(name, implementation)
        found[name] = implementation
    if found.keys() & GONE.keys():
        raise PluginFault(words_to_change(getattr(plugin, "__file__", None), found))
    return found


def _check_arguments(name: str, implementation: Any) -> None:
    allowed = KERNEL_HOOKS.get(name, frozenset())
    if extra := arguments_of(implementation) - allowed:
        takes = f"takes {', '.join(sorted(allowed))}" if allowed else "takes no arguments"
        raise PluginFault(f"{name} has an unknown argument {sorted(extra)[0]!r}; it {takes}")


def _marked(plugin: Any) -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    """Yields marked functions, and raises for unmarked ones that a reader would take for hooks."""
    for attribute in dir(plugin):
        member = getattr(plugin, attribute, None)
        # As pluggy does: something else, such as Quart's `request`, may not answer what it has.
        options = getattr(member, f"{PROJECT}_impl", None) if inspect.isroutine(member) else None
        if options is not None:
            yield options.get("specname") or attribute, member, options
        elif attribute in _AWAITED and callable(member):
            raise PluginFault(f"{attribute} lacks the @hookimpl mark")


class _Manager(pluggy.PluginManager):
    """Leaves out every name that begins with an underscore: pluggy takes its time over each."""

    def parse_hookimpl_opts(self, plugin: Any, name: str) -> pluggy.HookimplOpts | None:
        return None if name.startswith("_") else super().parse_hookimpl_opts(plugin, name)

    def parse_hookspec_opts(self, module_or_class: Any, name: str) -> pluggy.HookspecOpts | None:
        return None if name.startswith("_") else super().parse_hookspec_opts(module_or_class, name)


class Hooks:
    """The hooks of one server and who implements them; nothing is global."""

    def __init__(self) -> None:
        self.manager = _Manager(PROJECT)
        self._implemented: dict[str, Implementations] = {}
        self._specified: list[type[Any]] = []
        for space in SPECIFICATIONS:
            self.specify(space)

    def copy(self) -> "Hooks":
        copied = Hooks()
        for hooks in self._specified[len(SPECIFICATIONS) :]:
            copied.specify(hooks)
        for plugin_id, _ in self.manager.list_name_plugin():
            copied.register(plugin_id, self.module_of(plugin_id), self._implemented[plugin_id])
        return copied

    def specify(self, hooks: type[Any]) -> None:
        """Adds the hooks of a class."""
        self.manager.add_hookspecs(hooks)
        self._specified.append(hooks)

    def register(self, plugin_id: str, module: str, implementations: Implementations) -> None:
        """Registers the implementations of a plugin, under their names and nothing else of its module."""
        namespace = ModuleType(module)
        vars(namespace).update(implementations)
        self.manager.register(namespace, name=plugin_id)
        self._implemented[plugin_id] = implementations

    def unregister(self, plugin_id: str) -> None:
        self.manager.unregister(name=plugin_id)

    def implemented_by(self, plugin_id: str) -> Set[str]:
        """Returns the hooks of a registered plugin; raises `PluginFault` for one that can be nobody's.

        A `declare_*` hook that is not known is one of an absent plugin, unless it is nearly one that is.
        """
        implemented = self._implemented[plugin_id]
        callers = vars(self.manager.hook)
        if unknown := [name for name in implemented if not callers[name].has_spec()]:
            known = sorted(name for name, one in callers.items() if one.has_spec())
            for name in unknown:
                _check_unknown(name, implemented[name], known)
        return implemented.keys()

    def is_implemented(self, hook: str, plugin_id: str) -> bool:
        return hook in self._implemented[plugin_id]

    def module_of(self, plugin_id: str) -> str:
        return str(self.manager.get_plugin(plugin_id).__name__)  # type: ignore[union-attr]

    def call(self, hook: str, plugin_id: str, **arguments: Any) -> list[Any]:
        """Calls one plugin's implementation of a hook; an empty list stands for None."""
        own = self.manager.get_plugin(plugin_id)
        others = self.manager.get_plugins() - {own}
        results: list[Any] = self.manager.subset_hook_caller(hook, others)(**arguments)
        return results

    def implementers(self, hook: str) -> list[str]:
        """Returns the ids of the plugins that implement a hook, in the order they are called.

        pluggy calls who came last first; requirements come first, and so do they here.
        """
        found = getattr(self.manager.hook, hook).get_hookimpls()
        return [one.plugin_name for one in sorted(found, key=lambda one: (one.trylast, not one.tryfirst))]


def _check_unknown(name: str, implementation: Any, known: Sequence[str]) -> None:
    words = {hook.partition("_")[2]: hook for hook in known}
    near = difflib.get_close_matches(name.partition("_")[2], words, 1, _NEARLY)
    if not name.startswith("declare_"):
        raise PluginFault(f"there is no hook named {name}; known are {', '.join(known)}")
    if near and not getattr(implementation, f"{PROJECT}_impl")["optionalhook"]:
        raise PluginFault(
            f"there is no hook named {name}; did you mean {words[near[0]]}? Where it is one of a plugin that "
            "may be absent, say @hookimpl(optionalhook=True)"
        )


class HookRunner:
    """Awaits `on_*` and `decide_*` hooks of one server, in the order of admission."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self.implementers = hooks.implementers
        self._done: set[tuple[str, str]] = set()

    async def tell(
        self, hook: str, host_of: Callable[[str], Host], *, undoes: str | None = None
    ) -> dict[str, str]:
        """Calls the hook of every plugin, each with its own host; gives the ids that failed, and why.

        A failure or a timeout is logged. A hook that `undoes` another goes backwards, and leaves out the
        plugins whose other hook has not ended well.
        """
        failed: dict[str, str] = {}
        for plugin_id in self.implementers(hook) if undoes is None else self._to_undo(hook, undoes):
            try:
                await self._await(hook, plugin_id, host=host_of(plugin_id))
                self._done.add((hook, plugin_id))
            except (Exception, SystemExit) as error:
                failed[plugin_id] = f"{hook} failed: {reason_of(error, self._hooks.module_of(plugin_id))}"
                _log.error("plugin.hook_failed", exc=error, plugin=plugin_id, hook=hook)
        return failed

    async def decide_password(self, username: str, password: str) -> str | None:
        """Returns what a plugin has against a password, or None."""
        found = await self.decide("decide_password", username=username, password=password)
        return None if found is None else found[1]

    async def decide(
        self, hook: str, *, refusal: tuple[type[Exception], ...] = (), **arguments: Any
    ) -> tuple[str, Any] | None:
        """Returns the first answer that is not None with its plugin's id; a failure answers `DENIED`.

        What a plugin raises of `refusal` is its answer, and goes to the caller.
        """
        for plugin_id in self.implementers(hook):
            try:
                answer = await self._await(hook, plugin_id, **arguments)
            except refusal:
                raise
            except (Exception, SystemExit) as error:
                # Not its message: what is decided on may be a secret, and the message may repeat it.
                reason = type(error).__name__ + place_of(error, self._hooks.module_of(plugin_id))
                _log.error("plugin.hook_failed", plugin=plugin_id, hook=hook, error=reason)
                return plugin_id, DENIED
            if answer is not None:
                return plugin_id, answer
        return None

    async def _await(self, hook: str, plugin_id: str, **arguments: Any) -> Any:
        """Awaits what pluggy gives for one plugin: all would be made before the first is awaited."""
        async with asyncio.timeout(ON_TIMEOUT):
            (made,) = self._hooks.call(hook, plugin_id, **arguments)
            return await made

    def _to_undo(self, hook: str, undoes: str) -> list[str]:
        begun = {*self.implementers(undoes)}
        return [
            plugin_id
            for plugin_id in reversed(self.implementers(hook))
            if plugin_id not in begun or (undoes, plugin_id) in self._done
        ]
