"""The server as one plugin sees it: what it begins and announces there is its own."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, TypeVar

from guildhall_sdk import Clock, Setting
from guildhall_sdk.context import PublicSettings, ServiceMissing
from guildhall_sdk.data import Data
from guildhall_sdk.settings import Value
from kernel.faults import BootRefused
from kernel.news import PluginNews
from kernel.plugins.setting_values import SettingValues
from kernel.registry import Registry
from libs.coordination import Background, PubSub, Work

Service = TypeVar("Service")


class Services:
    """The one instance of each service; found by its protocol."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self.offered: dict[Any, Any] = {}
        self._withdrawn: dict[Any, str] = {}

    def check(self, needed: Iterable[type[Any]]) -> None:
        """Raises `BootRefused` where nobody offers what a server cannot do without."""
        if lacking := [one.__name__ for one in needed if one not in self.offered]:
            out = "; ".join(f"{one.id} is {one.status}: {one.reason}" for one in self._registry.refused)
            names = ", ".join(sorted(lacking))
            raise BootRefused(f"no loaded plugin offers {names}, which the server needs; not loaded: {out}")

    def withdraw(self, protocol: type[Any], plugin: str) -> None:
        """Withdraws a service of a plugin that is taken out again."""
        if self.offered.pop(protocol, None) is not None:
            self._withdrawn[protocol] = plugin

    def why_missing(self, protocol: Any, plugin: str) -> str:
        """Says why a plugin finds no such service, and what to do about it."""
        name = getattr(protocol, "__name__", str(protocol))
        request = f"{plugin} asks for the service {name}"
        if (provider := self._withdrawn.get(protocol)) is not None:
            return f"{request} of the plugin {provider}, which is not loaded: GET /api/plugins says why"
        for one in self._registry.plugins:
            if protocol in one.services:
                return f"{request} before it is made: let {plugin} require {one.id}, which offers it"
        return (
            f"{request}, which no loaded plugin offers: load the one that does and let {plugin} require it, "
            "or take it by find_service, which gives None"
        )


@dataclass(slots=True, eq=False)
class PluginHost:
    """The SDK's `Host`."""

    plugin_id: str
    _: KW_ONLY
    data: Data
    clock: Clock
    settings: PublicSettings
    setting_values: SettingValues
    services: Services
    works: Background
    pubsub: PubSub
    find_service: Callable[..., Any] = field(init=False)

    def __post_init__(self) -> None:
        self.find_service = self.services.offered.get

    def setting(self, setting: Setting[Value]) -> Value:
        return self.setting_values.value(setting)

    def service(self, protocol: Callable[..., Service]) -> Service:
        found: Service | None = self.find_service(protocol)
        if found is None:
            raise ServiceMissing(self.services.why_missing(protocol, self.plugin_id))
        return found

    def background(self, name: str, run: Callable[[], Awaitable[object]]) -> Work:
        return self.works.start(self.plugin_id, name, run)

    def host_of(self, plugin_id: str) -> "PluginHost":
        return replace(self, plugin_id=plugin_id)

    def news(self, channel: str) -> PluginNews:
        return PluginNews(self.pubsub, self.plugin_id, channel)
