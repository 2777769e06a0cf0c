"""What a plugin's command is given: the plugins, the settings, and the database, as far as it needs them."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, TextIO, TypeVar

import kernel
from guildhall_sdk import Permission, Preference, Setting
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.principal import CredentialKind
from guildhall_sdk.services.audit import AuditRetention, AuditTrail
from guildhall_sdk.services.description import Plugins
from guildhall_sdk.services.identity import Credentials, Passwords, Vault
from guildhall_sdk.services.jobs import JobRetention
from guildhall_sdk.services.preferences import Preferences
from guildhall_sdk.services.storage import InstanceStorage
from guildhall_sdk.services.tenancy import Directory
from guildhall_sdk.services.toggles import Features
from guildhall_sdk.settings import Value
from kernel.audit import Floors, Trail
from kernel.cli.instance_storage import StoredInstance
from kernel.cli.opened import OpenedInstance, opened_instance
from kernel.clock import SystemClock
from kernel.config import Settings
from kernel.db import Database, MigrationSource
from kernel.db.migrations import check_known, ledger_of, read_source
from kernel.faults import CommandRefused
from kernel.features import TeamFeatures
from kernel.identity.credentials import StoredCredentials
from kernel.identity.passwords import Argon2Passwords
from kernel.logs import configure_logging
from kernel.plugins.admission import Admission
from kernel.plugins.engines import engine_in
from kernel.plugins.hooks import HookRunner
from kernel.plugins.setting_values import SettingValues
from kernel.preferences import StoredPreferences
from kernel.rbac import DeclaredRoles
from kernel.registry import LoadedPlugin, Registry
from kernel.scheduler import EndedJobs
from kernel.tenancy.directory import StoredDirectory

Service = TypeVar("Service")


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

    def __init__(self, plugins: Registry, settings: Settings, values: SettingValues) -> None:
        super().__init__(plugins)
        self.settings = settings
        self._values = values
        self._services: dict[Any, Any] = {
            InstanceStorage: StoredInstance(settings, plugins, self.clock),
            Plugins: plugins,
        }

    def setting(self, setting: Setting[Value]) -> Value:
        return self._values.value(setting)

    def service(self, protocol: Callable[..., Service]) -> Service:
        if protocol not in self._services:
            known = ", ".join(sorted(one.__name__ for one in self._services))
            raise LookupError(f"a command has no service {protocol.__name__}; it has {known}")
        found: Service = self._services[protocol]
        return found


class OpenedInstanceHost(InstanceHost):
    """Implements the SDK's `OpenedHost`."""

    def __init__(
        self,
        plugins: Registry,
        settings: Settings,
        values: SettingValues,
        instance: OpenedInstance,
        services: Mapping[Any, Any],
    ) -> None:
        super().__init__(plugins, settings, values)
        self.data: Database = instance.data
        self.clock = instance.clock
        self._services.update(services)


@asynccontextmanager
async def opened_host(
    plugin: LoadedPlugin, admission: Admission, settings: Settings, values: SettingValues
) -> AsyncIterator[OpenedInstanceHost]:
    """Opens what `guildhall serve` made, beside the server if one runs; makes nothing new."""
    registry = admission.registry
    async with opened_instance(settings, engine_in(registry, settings)) as instance:
        await _check_schema(instance.data, plugin)
        clock = instance.clock
        with closing(Argon2Passwords(HookRunner(admission.hooks).decide_password)) as passwords:
            trail = Trail(instance.vault, clock)
            services = {
                AuditRetention: Floors(trail, clock, instance.data),
                AuditTrail: trail,
                Credentials: StoredCredentials(
                    clock,
                    DeclaredRoles(registry.declared(Permission)),
                    [kind.name for kind in registry.declared(CredentialKind)],
                ),
                DatabaseEngine: instance.data.engine,
                Directory: StoredDirectory(clock),
                Features: TeamFeatures(registry.switchable()),
                JobRetention: EndedJobs(),
                Passwords: passwords,
                Preferences: StoredPreferences(registry.owned(Preference), clock),
                Vault: instance.vault,
            }
            yield OpenedInstanceHost(registry, settings, values, instance, services)


async def _check_schema(data: Database, plugin: LoadedPlugin) -> None:
    """Raises `CommandRefused` where the server has not made the tables yet that the command works on."""
    sources = [MigrationSource("kernel", Path(kernel.__file__).with_name("migrations"))]
    if plugin.migrations is not None:
        sources.append(MigrationSource(plugin.id, plugin.migrations))
    async with data.read() as reader:
        ledger = await ledger_of(reader, data.engine) or {}
    applied = check_known(ledger, sources, data.engine, all_owners=False)
    for source in sources:
        if any(step not in applied for step in read_source(source, data.engine)):
            raise CommandRefused(
                f"the tables of {source.owner} are not there yet: start the server once, which makes them"
            )
