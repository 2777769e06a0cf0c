"""The kernel's services that stand on what plugins declare, put together and kept in step with it."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from guildhall_sdk import Clock, Event, Host, JobKind, Permission, Subscription
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.metrics import Measure
from guildhall_sdk.plugin import Features, Plugins
from guildhall_sdk.principal import CredentialKind
from guildhall_sdk.retention import AuditTrail
from guildhall_sdk.services.computing import Computing, Validators
from guildhall_sdk.services.identity import Credentials, Passwords, Vault
from guildhall_sdk.services.jobs import JobLimits, JobRetention
from guildhall_sdk.services.server import InstanceFacts
from guildhall_sdk.subscriptions import Events
from kernel.audit import Trail
from kernel.db.database import Database
from kernel.events.deliveries import Deliveries
from kernel.events.fan_out import FanOut
from kernel.events.outbox import Outbox
from kernel.features import TeamFeatures
from kernel.identity.credentials import StoredCredentials
from kernel.instance_facts import StoredFacts
from kernel.job_limits import StoredJobLimits
from kernel.rbac import DeclaredRoles
from kernel.registry import LoadedPlugin, Registry
from kernel.scheduler.lanes import KindSwitches
from kernel.scheduler.rescue import EndedJobs
from kernel.scheduler.scheduler import Scheduler
from kernel.secrets.vault import SealedVault
from kernel.validation import Validators as SchemaValidators
from libs.fair_slots import TEXTS


def services_of_instance(
    data: Database, registry: Registry, vault: SealedVault, trail: Trail, passwords: Passwords
) -> dict[type[Any], Any]:
    """Returns the services that a server and a command beside it both have."""
    return {
        AuditTrail: trail,
        DatabaseEngine: data.engine,
        InstanceFacts: StoredFacts(),
        JobRetention: EndedJobs(),
        Passwords: passwords,
        Plugins: registry,
        Validators: SchemaValidators(),
        Vault: vault,
    }


def credentials_of(registry: Registry, roles: DeclaredRoles, clock: Clock) -> StoredCredentials:
    return StoredCredentials(clock, roles, [kind.name for kind in registry.declared(CredentialKind)])


class DeclaredServices:
    """Made once all plugins are admitted; `withdraw` takes one out again that could not start."""

    def __init__(
        self,
        host: Host,
        data: Database,
        registry: Registry,
        roles: DeclaredRoles,
        host_of: Callable[[str], Host],
    ) -> None:
        clock = host.clock
        self._registry = registry
        self._roles = roles
        self._declare_roles()
        registry.holds.follow(self._declare_roles)
        self._features = TeamFeatures(registry.switchable())
        self.outbox = Outbox(
            registry.declared(Event), registry.owned(Subscription), clock, self._features.read
        )
        self.deliveries = Deliveries(self.outbox, host)
        self._delivering = self.deliveries.kinds()
        self.scheduler = Scheduler(
            host,
            data,
            [*registry.declared(JobKind), *self._delivering],
            lease_seconds=host.settings.lease_seconds,
            events=self.deliveries,
            hosts={kind: host_of(owner) for kind, (owner, _) in self._kind_owners().items()},
            switches=KindSwitches(
                owners=self._kind_owners(),
                read=self._features.read,
                held=partial(registry.held, "job kind"),
            ),
        )
        self.fan_out = FanOut(data, self.outbox, partial(self.scheduler.enqueue_many, following=True))
        self.outbox.on_recorded, self.deliveries.on_ended = self.fan_out.wake, self.fan_out.on_ended
        self._credentials = credentials_of(registry, roles, clock)

    def offered(self) -> Mapping[type[Any], Any]:
        return {
            Computing: TEXTS,
            Credentials: self._credentials,
            Events: self.outbox,
            Features: self._features,
            JobLimits: StoredJobLimits(self.scheduler.signals.arrived),
            **self.scheduler.services(),
        }

    def measures(self) -> Mapping[str, Measure]:
        return {**self.scheduler.measures(), **self.fan_out.measures()}

    async def start(self) -> None:
        await self.scheduler.start()
        await self.fan_out.start()

    async def stop(self) -> None:
        await self.fan_out.stop()
        await self.scheduler.stop()

    def withdraw(self, gone: LoadedPlugin) -> None:
        """Withdraws the services of a plugin, and no more: what others have taken hold of stays."""
        registry = self._registry
        self._declare_roles()
        self._features.declare(registry.switchable())
        self.outbox.declare(registry.declared(Event), registry.owned(Subscription))
        known = {kind.name for kind in self.deliveries.kinds()}
        self.scheduler.withdraw(
            [*gone.declared(JobKind), *(kind for kind in self._delivering if kind.name not in known)]
        )

    def _declare_roles(self) -> None:
        held = self._registry.held("permission")
        self._roles.declare([one for one in self._registry.declared(Permission) if one.name not in held])

    def _kind_owners(self) -> Mapping[str, tuple[str, str | None]]:
        kinds = {kind.name: (plugin_id, kind.feature) for plugin_id, kind in self._registry.owned(JobKind)}
        return kinds | {one.kind: (one.plugin_id, one.subscription.feature) for one in self.outbox.listeners}
