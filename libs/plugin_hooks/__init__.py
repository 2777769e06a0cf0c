"""pluggy for plugins of strangers: each is checked before it is registered, and called by itself."""

import asyncio
import difflib
import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence, Set
from types import ModuleType
from typing import Any

import pluggy

__all__ = ["HookFailed", "HookFault", "Hooks", "arguments_of", "call_fault", "specified_in"]

# Of two words: how alike they are for the one to be taken for a slip of the other.
_NEARLY = 0.8
_PLAIN = "declare_"

Implementations = Mapping[str, Callable[..., Any]]


class HookFault(Exception):
    """What is wrong with an implementation of a hook, in words for its author."""


class HookFailed(Exception):
    """An awaited hook of a plugin failed, or took too long; the cause says why."""

    def __init__(self, plugin_id: str) -> None:
        super().__init__(plugin_id)
        self.plugin_id = plugin_id


def specified_in(hooks: type[Any], project: str) -> dict[str, Any]:
    """Returns the hooks that a class specifies, by name."""
    found = {name: getattr(hooks, name) for name in dir(hooks) if not name.startswith("_")}
    return {name: hook for name, hook in found.items() if getattr(hook, f"{project}_spec", None) is not None}


def arguments_of(hook: Any) -> frozenset[str]:
    return frozenset(inspect.signature(hook).parameters) - {"self"}


def call_fault(function: Any, called_with: Sequence[str]) -> str | None:
    """Returns why something cannot be called with so many arguments, of these names, or None."""
    if not callable(function):
        return "must be a function"
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None  # written in C, and does not tell
    try:
        signature.bind(*called_with)
    except TypeError as error:
        return f"is called with ({', '.join(called_with)}): {error}"
    return None


class _Manager(pluggy.PluginManager):
    """Leaves out every name that begins with an underscore: pluggy takes its time over each."""

    def parse_hookimpl_opts(self, plugin: Any, name: str) -> pluggy.HookimplOpts | None:
        """Returns the mark of an implementation; a plugin is a namespace of nothing but these."""
        marked = None if name.startswith("_") else getattr(plugin, name)
        return getattr(marked, f"{self.project_name}_impl", None)

    def parse_hookspec_opts(self, module_or_class: Any, name: str) -> pluggy.HookspecOpts | None:
        return None if name.startswith("_") else super().parse_hookspec_opts(module_or_class, name)


class Hooks:
    """The hooks of a project and who implements them; nothing is global.

    Hooks whose name begins with `declare_` are plain functions; the host's own others are awaited.
    """

    def __init__(self, project: str, specifications: Sequence[type[Any]]) -> None:
        self._project = project
        self._own = {
            name: arguments_of(hook)
            for space in specifications
            for name, hook in specified_in(space, project).items()
        }
        self.manager = _Manager(project)
        self._implemented: dict[str, Implementations] = {}
        self._specified: list[type[Any]] = []
        for space in specifications:
            self.specify(space)

    def copy(self) -> "Hooks":
        copied = Hooks(self._project, self._specified)
        copied._own = self._own
        for plugin_id, _ in self.manager.list_name_plugin():
            copied.register(plugin_id, self.module_of(plugin_id), self._implemented[plugin_id])
        return copied

    def specify(self, hooks: type[Any]) -> None:
        """Adds the hooks of a class."""
        self.manager.add_hookspecs(hooks)
        self._specified.append(hooks)

    def read(self, plugin: Any) -> dict[str, Callable[..., Any]]:
        """Returns the hooks that a plugin implements, by name.

        Raises `HookFault` for one that is async against its name, with a wrong argument, or a wrapper.
        """
        found = dict[str, Callable[..., Any]]()
        for name, implementation, options in self._marked(plugin):
            if options.get("hookwrapper") or options.get("wrapper"):
                raise HookFault(f"{name}: hooks cannot be wrapped")
            is_async = inspect.iscoroutinefunction(implementation)
            if name.startswith(_PLAIN) and is_async:
                raise HookFault(f"{name} must be a plain function, not async")
            if self._is_awaited(name) and not is_async:
                raise HookFault(f"{name} must be async")
            if name in found:
                raise HookFault(f"{name} is implemented twice")
            self._check_arguments(name, implementation)
            found[name] = implementation
        return found

    def _is_awaited(self, name: str) -> bool:
        return name in self._own and not name.startswith(_PLAIN)

    def _check_arguments(self, name: str, implementation: Any) -> None:
        allowed = self._own.get(name, frozenset())
        if extra := arguments_of(implementation) - allowed:
            takes = f"takes {', '.join(sorted(allowed))}" if allowed else "takes no arguments"
            raise HookFault(f"{name} has an unknown argument {sorted(extra)[0]!r}; it {takes}")

    def _marked(self, plugin: Any) -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
        """Yields marked functions, and raises for unmarked ones that a reader would take for hooks."""
        for attribute in dir(plugin):
            member = getattr(plugin, attribute, None)
            # As pluggy does: something else, such as Quart's `request`, may not answer what it has.
            options = getattr(member, f"{self._project}_impl", None) if inspect.isroutine(member) else None
            if options is not None:
                yield options.get("specname") or attribute, member, options
            elif self._is_awaited(attribute) and callable(member):
                raise HookFault(f"{attribute} lacks the @hookimpl mark")

    def register(self, plugin_id: str, module: str, implementations: Implementations) -> None:
        """Registers the implementations of a plugin, under their names and nothing else of its module."""
        namespace = ModuleType(module)
        vars(namespace).update(implementations)
        self.manager.register(namespace, name=plugin_id)
        self._implemented[plugin_id] = implementations

    def unregister(self, plugin_id: str) -> None:
        self.manager.unregister(name=plugin_id)

    def implemented_by(self, plugin_id: str) -> Set[str]:
        """Returns the hooks of a registered plugin; raises `HookFault` for one that can be nobody's.

        A `declare_*` hook that is not known is one of an absent plugin, unless it is nearly one that is.
        """
        implemented = self._implemented[plugin_id]
        callers = vars(self.manager.hook)
        if unknown := [name for name in implemented if not callers[name].has_spec()]:
            known = sorted(name for name, one in callers.items() if one.has_spec())
            for name in unknown:
                self._check_unknown(name, implemented[name], known)
        return implemented.keys()

    def _check_unknown(self, name: str, implementation: Any, known: Sequence[str]) -> None:
        words = {hook.partition("_")[2]: hook for hook in known}
        near = difflib.get_close_matches(name.partition("_")[2], words, 1, _NEARLY)
        if not name.startswith(_PLAIN):
            raise HookFault(f"there is no hook named {name}; known are {', '.join(known)}")
        if near and not getattr(implementation, f"{self._project}_impl")["optionalhook"]:
            raise HookFault(
                f"there is no hook named {name}; did you mean {words[near[0]]}? Where it is one of a plugin "
                "that may be absent, say @hookimpl(optionalhook=True)"
            )

    def is_implemented(self, hook: str, plugin_id: str) -> bool:
        return hook in self._implemented[plugin_id]

    def module_of(self, plugin_id: str) -> str:
        return str(self.manager.get_plugin(plugin_id).__name__)  # type: ignore[union-attr]

    def implementers(self, hook: str) -> list[str]:
        """Returns the ids of the plugins that implement a hook, in the order they are called.

        pluggy calls who came last first; requirements come first, and so do they here.
        """
        found = getattr(self.manager.hook, hook).get_hookimpls()
        return [one.plugin_name for one in sorted(found, key=lambda one: (one.trylast, not one.tryfirst))]

    def call(self, hook: str, plugin_id: str, **arguments: Any) -> list[Any]:
        """Calls one plugin's implementation of a hook; an empty list stands for None."""
        own = self.manager.get_plugin(plugin_id)
        others = self.manager.get_plugins() - {own}
        results: list[Any] = self.manager.subset_hook_caller(hook, others)(**arguments)
        return results

    async def call_each(
        self,
        hook: str,
        max_seconds: float,
        arguments_for: Callable[[str], Mapping[str, Any]],
        *,
        done: set[tuple[str, str]],
        undoes: str | None = None,
    ) -> AsyncIterator[tuple[str, BaseException]]:
        """Awaits the hook of every plugin, each with arguments of its own; yields those that failed.

        In `done` it adds the hooks that ended well, each with its plugin. One that `undoes` another goes
        backwards, and leaves out the plugins whose other hook is not there.
        """
        for plugin_id in self.implementers(hook) if undoes is None else self._to_undo(hook, undoes, done):
            try:
                await self._await(hook, plugin_id, max_seconds, arguments_for(plugin_id))
                done.add((hook, plugin_id))
            except (Exception, SystemExit) as error:
                yield plugin_id, error

    async def first_answer(
        self,
        hook: str,
        max_seconds: float,
        arguments_for: Callable[[str], Mapping[str, Any]],
        refusals: tuple[type[Exception], ...] = (),
    ) -> tuple[str, Any] | None:
        """Returns the first answer that is not None, with its plugin's id; raises `HookFailed`.

        Each is called with arguments of its own. What a plugin raises of `refusals` is its answer, and goes
        to the caller.
        """
        for plugin_id in self.implementers(hook):
            try:
                answer = await self._await(hook, plugin_id, max_seconds, arguments_for(plugin_id))
            except refusals:
                raise
            except (Exception, SystemExit) as error:
                raise HookFailed(plugin_id) from error
            if answer is not None:
                return plugin_id, answer
        return None

    async def _await(
        self, hook: str, plugin_id: str, max_seconds: float, arguments: Mapping[str, Any]
    ) -> Any:
        """Awaits what pluggy gives for one plugin: all would be made before the first is awaited."""
        async with asyncio.timeout(max_seconds):
            (made,) = self.call(hook, plugin_id, **arguments)
            return await made

    def _to_undo(self, hook: str, undoes: str, done: Set[tuple[str, str]]) -> list[str]:
        begun = {*self.implementers(undoes)}
        return [
            plugin_id
            for plugin_id in reversed(self.implementers(hook))
            if plugin_id not in begun or (undoes, plugin_id) in done
        ]
