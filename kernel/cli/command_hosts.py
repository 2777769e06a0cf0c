"""What a plugin's command is given: the plugins, the settings, and the database, as far as it needs them."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from typing import Any, NoReturn, TextIO, TypeVar

import kernel
from guildhall_sdk import Permission, Setting
from guildhall_sdk.blobs import BlobStorage
from guildhall_sdk.context import ServiceMissing
from guildhall_sdk.engines.engine import InstanceTables
from guildhall_sdk.plugin import Features, Plugins, PluginStorage, PluginUpkeep
from guildhall_sdk.services.identity import Credentials, Passwords, SecretKeys
from guildhall_sdk.services.server import InstanceFacts, InstanceInspection, SchemaUpgrade
from guildhall_sdk.services.tenancy import Directory
from guildhall_sdk.settings import Value
from kernel.cli.instance import Inspection, OpenedInstance, StoredKeys, opened_instance
from kernel.cli.plugin_upkeep import Upkeep
from kernel.clock import SystemClock
from kernel.config import Settings
from kernel.db.database import Database
from kernel.declared_services import credentials_of, services_of_instance
from kernel.faults import CommandRefused
from kernel.features import TeamFeatures
from kernel.identity.passwords import Argon2Passwords
from kernel.instance_facts import StoredFacts
from kernel.logs import configure_logging
from kernel.plugins.admission import Admission
from kernel.plugins.hooks import HookRunner
from kernel.plugins.setting_values import SettingValues
from kernel.plugins.storage import StoredForPlugins
from kernel.preparation import KERNEL_MIGRATIONS, SecondHalf
from kernel.rbac import DeclaredRoles
from kernel.registry import LoadedPlugin, Registry
from kernel.tenancy.directory import StoredDirectory
from libs.own_process.supervision import ProcessSupervisor

Service = TypeVar("Service")

#: Services of plugins that need no running server: a command has them too, made with its own host.
_OF_PLUGINS: frozenset[Any] = frozenset({BlobStorage, ProcessSupervisor})


class MachineHost:
    """Implements the SDK's `StandaloneHost`."""

    version = kernel.__version__

    def __init__(self, plugins: Registry) -> None:
        self.plugins = plugins
        self.clock = SystemClock()

    def write_log(self, stream: TextIO) -> None:
        configure_logging("warning", stream)


class InstanceHost(MachineHost):
    """Implements the SDK's `CommandHost`."""

    def __init__(self, admission: Admission, settings: Settings, values: SettingValues) -> None:
        plugins = admission.registry
        super().__init__(plugins)
        self.settings = settings
        self._admission = admission
        self._values = values
        inspection = Inspection(admission, settings)
        self._services: dict[Any, Any] = {
            InstanceFacts: StoredFacts(),
            InstanceInspection: inspection,
            SecretKeys: StoredKeys(admission, settings),
            InstanceTables: inspection,
            PluginUpkeep: Upkeep(admission, settings),
            Plugins: plugins,
            PluginStorage: StoredForPlugins(self.clock),
        }
        self._makers = {made: make for made, make in _makers(plugins).items() if made in _OF_PLUGINS}

    def setting(self, setting: Setting[Value]) -> Value:
        return self._values.value(setting)

    def service(self, protocol: Callable[..., Service]) -> Service:
        if (found := self.find_service(protocol)) is not None:
            return found
        if protocol in _OF_PLUGINS:
            self._admission.checked()
            raise CommandRefused(
                f"no plugin that is loaded offers {protocol.__name__}, which this command needs: "
                "`guildhall plugin list` says which ones are out"
            )
        known = ", ".join(sorted(one.__name__ for one in {*self._services, *_OF_PLUGINS}))
        raise LookupError(f"a command has no service {protocol.__name__}; it has {known}")

    def find_service(self, protocol: Callable[..., Service]) -> Service | None:
        """Returns a service of the server or of a plugin, which is made when a command first asks for it."""
        if protocol not in self._services and protocol in self._makers and self._admission.refusal is None:
            self._services[protocol] = self._makers[protocol](self)
        found: Service | None = self._services.get(protocol)
        return found


class OpenedInstanceHost(InstanceHost):
    """Implements the SDK's `OpenedHost`."""

    def __init__(self, closed: InstanceHost, instance: OpenedInstance, passwords: Passwords) -> None:
        super().__init__(closed._admission, closed.settings, closed._values)
        self.data: Database = instance.data
        plugins, clock = self.plugins, self.clock
        services: dict[Any, Any] = {
            **services_of_instance(instance.data, plugins, instance.vault, instance.trail, passwords),
            Credentials: credentials_of(plugins, DeclaredRoles(plugins.declared(Permission)), clock),
            Directory: StoredDirectory(clock),
            Features: TeamFeatures(plugins.switchable()),
            SchemaUpgrade: SecondHalf(instance.data, plugins, clock, self.settings.version),
        }
        self._services |= services
        self._makers = _makers(plugins)

    def background(self, name: str, run: Callable[[], Awaitable[object]]) -> NoReturn:
        raise ServiceMissing(f"{name}: a command has no background work; it is for a server")

    def host_of(self, plugin_id: str) -> "OpenedInstanceHost":
        return self

    def news(self, channel: str) -> NoReturn:
        raise ServiceMissing(f"{channel}: a command has no news; they are for a server")


def _makers(plugins: Registry) -> dict[Any, Callable[[Any], Any]]:
    return {made: make for one in plugins.plugins for made, make in one.services.items()}


@asynccontextmanager
async def opened_host(host: InstanceHost, plugin: LoadedPlugin) -> AsyncIterator[OpenedInstanceHost]:
    """Opens what `guildhall serve` made, beside the server if one runs; makes nothing new."""
    tables, decide = host.service(InstanceTables), HookRunner(host._admission.hooks).decide_password
    async with opened_instance(host.settings, tables.engine) as instance:
        await _check_schema(tables, instance.data, plugin)
        with closing(Argon2Passwords(decide)) as passwords:
            yield OpenedInstanceHost(host, instance, passwords)


async def _check_schema(tables: InstanceTables, data: Database, plugin: LoadedPlugin) -> None:
    """Raises `CommandRefused` where the server has not made the tables yet that the command works on."""
    owners = [(KERNEL_MIGRATIONS.owner, KERNEL_MIGRATIONS.folder), (plugin.id, plugin.migrations)]
    async with data.read() as reader:
        ledger = await tables.ledger(reader)
    for owner, folder in owners:
        if folder is not None and tables.pending(ledger, owner, folder):
            raise CommandRefused(
                f"the tables of {owner} are not there yet: start the server once, which makes them"
            )
