"""Tools that come and go: asked of their sources at the start and whenever one says that they changed."""

import asyncio
import inspect
import logging
import re
import secrets
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from builtin_plugins.tools.registered import Registered, registered
from guildhall_sdk import Host, InvalidRequest, Problem, Tool
from guildhall_sdk.errors import BadGateway
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.principal import Roles
from guildhall_sdk.services.computing import Validators
from guildhall_sdk.tools import ToolSource

LIST_SECONDS = 10.0
_MAX_LEFT_OUT = 500
MAX_DESCRIPTION = 4_096
# A server that starts waits no longer for sources that do not answer.
_START_SECONDS = 8.0
_CHANNEL = "sources"
_LOGGED = 20
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_log = logging.getLogger("guildhall.tools")


class ToolSources:
    """The tools that each source offers now. One that cannot be taken is left out alone, and said."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._plugins = host.service(Plugins)
        self._roles = host.service(Roles)
        self._validators = host.service(Validators)
        self._news = host.news(_CHANNEL)
        self._process = secrets.token_hex(8)
        self._asking: set[asyncio.Task[Any]] = set()
        self._offered: dict[str, Mapping[str, Registered]] = {}
        self._turns: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        #: Returns the names of the tools that plugins declare.
        self.fixed_names: Callable[[], Collection[str]] = tuple
        self._taken: Sequence[tuple[str, ToolSource]] = ()
        self._by_name: dict[str, tuple[str, ToolSource]] = {}

    @property
    def _sources(self) -> Mapping[str, tuple[str, ToolSource]]:
        """The declared sources by name; other ones where a plugin could not start and was taken out again."""
        owned = self._plugins.owned(ToolSource)
        if owned is not self._taken:
            self._taken = owned
            self._by_name = {source.name: (plugin_id, source) for plugin_id, source in owned}
            self._offered = {name: tools for name, tools in self._offered.items() if name in self._by_name}
        return self._by_name

    def get(self, name: str) -> Registered | None:
        for tools in self._offered.values():
            if name in tools:
                return tools[name]
        return None

    def missing(self, name: str) -> Problem:
        """Returns why no source offers this tool now, in the words of the source that it would be of."""
        for plugin_id, source in self._sources.values():
            if not name.startswith(f"{source.name}_"):
                continue
            if source.name not in self._offered:
                if not self._turns[source.name].locked():
                    self._begin_listing(source.name)
                return BadGateway(f"The tools of {source.name} could not be listed.", code="tool_unavailable")
            if problem := self._said_of(plugin_id, source, name):
                return problem
        return unknown_tool()

    def _said_of(self, plugin_id: str, source: ToolSource, name: str) -> Problem | None:
        try:
            return None if source.missing is None else source.missing(self._host.host_of(plugin_id), name)
        except Exception as error:
            fields = {"plugin": plugin_id, "source": source.name}
            _log.error("tools.not_explained", exc_info=error, extra={"fields": fields})
            return None

    def items(self) -> Iterator[tuple[str, Registered]]:
        for tools in self._offered.values():
            yield from tools.items()

    async def start(self) -> None:
        """Asks every source, and waits a while for their answers: what runs next may call any tool."""
        if self._sources:
            self._host.background("following sources of tools", self._follow)
            await asyncio.wait([self._begin_listing(name) for name in self._sources], timeout=_START_SECONDS)

    async def stop(self) -> None:
        for task in self._asking:
            task.cancel()
        await asyncio.gather(*self._asking, return_exceptions=True)

    async def refresh(self, name: str) -> Mapping[str, str]:
        """Asks again here, and lets the other processes do the same."""
        if name not in self._sources:
            raise KeyError(f"nobody declares the tool source {name}")
        refused = await self._list(name)
        self._news.announce({"source": name, "process": self._process})
        return refused

    async def _follow(self) -> None:
        """Asks again where another process says that a source has changed, or may have said so."""
        with self._news.listen() as announcements:
            async for word in announcements:
                if word is None or word["process"] != self._process:
                    for name in [*self._sources] if word is None else [word["source"]]:
                        if name in self._sources:
                            self._begin_listing(name)

    def _begin_listing(self, name: str) -> asyncio.Task[Any]:
        task = asyncio.ensure_future(self._list(name))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)
        return task

    async def _list(self, name: str) -> Mapping[str, str]:
        """Asks a source, one at a time for each, so that the last answer is the newest."""
        plugin_id, source = self._sources[name]
        async with self._turns[name]:
            try:
                async with asyncio.timeout(LIST_SECONDS):
                    given = [*await source.tools(self._host.host_of(plugin_id))]
            except Exception as error:
                # What it offered before is the best that is known.
                fields = {"plugin": plugin_id, "source": name}
                _log.error("tools.not_listed", exc_info=error, extra={"fields": fields})
                return {}
            taken, refused = await asyncio.to_thread(self._checked, plugin_id, source, given)
            if name in self._sources:
                self._offered[name] = taken
        for tool, reason in islice(refused.items(), _LOGGED):
            fields = {"plugin": plugin_id, "source": name, "tool": tool, "reason": reason}
            _log.warning("tool.refused", extra={"fields": fields})
        return refused

    def _checked(
        self, plugin_id: str, source: ToolSource, given: Sequence[Any]
    ) -> tuple[Mapping[str, Registered], Mapping[str, str]]:
        taken: dict[str, Registered] = {}
        refused: dict[str, str] = {}
        for tool in islice(given, source.max_tools):
            try:
                one = self._take(plugin_id, source, tool)
                if one.tool.name in taken:
                    raise ValueError("is there twice")
                taken[one.tool.name] = one
            except ValueError as fault:
                refused[_name_of(tool)] = str(fault)
            except Exception as error:  # one strange tool must not keep the others out
                refused[_name_of(tool)] = f"cannot be read: {type(error).__name__}"
        if len(given) > source.max_tools:
            reason = f"a source offers at most {source.max_tools} tools"
            # Some of them: of millions nobody would read the names.
            left_out = given[source.max_tools : source.max_tools + _MAX_LEFT_OUT]
            refused |= {_name_of(tool): reason for tool in left_out}
        return taken, refused

    def _take(self, plugin_id: str, source: ToolSource, tool: Any) -> Registered:
        """Raises `ValueError` with why not."""
        if not isinstance(tool, Tool):
            raise ValueError(f"is a {type(tool).__name__}, not a Tool")
        if not isinstance(tool.name, str) or not _NAME.fullmatch(tool.name):
            raise ValueError("its name must be small letters, digits and _")
        if not tool.name.startswith(f"{source.name}_"):
            raise ValueError(f"its name must begin with {source.name}_")
        if tool.name in self.fixed_names() or self._of_another(source.name, tool.name):
            raise ValueError("another tool has this name")
        if not _is_text(tool.description):
            raise ValueError(f"its description must be a text of at most {MAX_DESCRIPTION:,} characters")
        if tool.permission not in self._roles.permissions:
            raise ValueError(f"there is no permission {tool.permission}")
        if tool.hosted is None or tool.handler is not None or not inspect.iscoroutinefunction(tool.hosted):
            raise ValueError("it needs a hosted function, which is async")
        return registered(plugin_id, tool, self._validators, on=False)

    def _of_another(self, source: str, name: str) -> bool:
        return any(name in tools for other, tools in self._offered.items() if other != source)


def unknown_tool() -> InvalidRequest:
    """Returns the refusal of a name that neither a plugin nor a source knows."""
    return InvalidRequest("There is no tool of this name.", code="unknown_tool")


def _is_text(description: Any) -> bool:
    """Tells whether a description is sound: half of a surrogate pair would break whoever lists it."""
    if not isinstance(description, str) or len(description) > MAX_DESCRIPTION:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in description)


def _name_of(tool: Any) -> str:
    return str(getattr(tool, "name", "?"))[:64].encode("utf-8", "replace").decode()
