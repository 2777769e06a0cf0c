"""The server as one plugin sees it: what it begins and announces there is its own."""

from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, TypeVar

from guildhall_sdk import Clock, Setting
from guildhall_sdk.context import PublicSettings, ServiceMissing
from guildhall_sdk.data import Data
from guildhall_sdk.settings import Value
from kernel.background import Background, Work
from kernel.news import PluginNews
from kernel.plugins.setting_values import SettingValues
from kernel.registry import Registry
from libs.coordination import PubSub

Service = TypeVar("Service")


class Services:
    """The one instance of each service; found by its protocol."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self.offered: dict[Any, Any] = {}
        self._withdrawn: dict[Any, str] = {}

    def find(self, protocol: Callable[..., Service]) -> Service | None:
        found: Service | None = self.offered.get(protocol)
        return found

    def require(self, protocol: Callable[..., Service], plugin: str) -> Service:
        try:
            found: Service = self.offered[protocol]
        except KeyError:
            raise ServiceMissing(self._why_missing(protocol, plugin)) from None
        return found

    def withdraw(self, protocol: type[Any], plugin: str) -> None:
        """Withdraws a service of a plugin that is taken out again."""
        if self.offered.pop(protocol, None) is not None:
            self._withdrawn[protocol] = plugin

    def _why_missing(self, protocol: Any, plugin: str) -> str:
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

    def setting(self, setting: Setting[Value]) -> Value:
        return self.setting_values.value(setting)

    def service(self, protocol: Callable[..., Service]) -> Service:
        found: Service | None = self.services.offered.get(protocol)
        return self.services.require(protocol, self.plugin_id) if found is None else found

    def find_service(self, protocol: Callable[..., Service]) -> Service | None:
        return self.services.find(protocol)

    def background(self, name: str, run: Callable[[], Awaitable[object]]) -> Work:
        return self.works.start(self.plugin_id, name, run)

    def host_of(self, plugin_id: str) -> "PluginHost":
        return replace(self, plugin_id=plugin_id)

    def news(self, channel: str) -> PluginNews:
        return PluginNews(self.pubsub, self.plugin_id, channel)
