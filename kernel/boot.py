"""The boot, top to bottom: discover, admit, migrate, start, freeze. Nothing is served before all of it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from quart import Quart

from guildhall_sdk import (
    BlobStore,
    Clock,
    Event,
    Feature,
    JobKind,
    Metric,
    Mount,
    QuotaDimension,
    Reader,
    Subscription,
    Tool,
)
from guildhall_sdk.services import (
    ApiDescription,
    AuditTrail,
    Credentials,
    Directory,
    Events,
    Features,
    Metrics,
    Passwords,
    Plugins,
    Quotas,
    RateLimits,
    Readiness,
    Scratch,
    Tools,
    Vault,
)
from kernel.audit import Anchoring, Trail
from kernel.backup import GuardedStore
from kernel.blobs import open_swept_blob_store
from kernel.clock import SystemClock
from kernel.config import Settings
from kernel.db import Database, MigrationError, MigrationSource, database_metrics, migrate
from kernel.db.door import STATEMENT_SECONDS
from kernel.disks import Disk
from kernel.events import Deliveries, FanOut, Outbox
from kernel.features import TeamFeatures
from kernel.http.app import answered_by, create_app
from kernel.http.description import RouteTableDescription
from kernel.http.dispatch import Dispatcher, Observer
from kernel.http.forwarding import behind_proxies
from kernel.http.idempotency import settle_leftovers
from kernel.http.rate_sharing import API, SharedRates
from kernel.http.validation import Validator
from kernel.identity.credentials import StoredCredentials
from kernel.identity.passwords import Argon2Passwords
from kernel.identity.uses import SessionUses
from kernel.logs import get_logger
from kernel.metrics import Measurements
from kernel.plugins.admission import Admission
from kernel.plugins.caller import HookCaller
from kernel.plugins.discovery import discover, given
from kernel.quota import Ledger, sweep
from kernel.readiness import ServerReadiness
from kernel.registry import LoadedPlugin
from kernel.scratch import ScratchFolder
from kernel.secrets import SealedVault, load_or_create_secret_key
from kernel.tenancy.directory import StoredDirectory
from kernel.tenancy.suspension import open_to_writing
from kernel.tools import TeamTools
from kernel.workforce import Workforce

_log = get_logger("boot")
_MIGRATIONS = Path(__file__).with_name("migrations")

Service = TypeVar("Service")


class Server:
    """One instance: its plugins, its database, its services, and the app that answers."""

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock | None = None,
        extra_plugins: Sequence[Any] = (),
        observer: Observer | None = None,
    ) -> None:
        self.settings = settings
        self.clock: Clock = clock or SystemClock()
        self._observer = observer
        self.admission = Admission()
        candidates = [
            *discover(settings.plugins, settings.blob_store),
            *(given(plugin) for plugin in extra_plugins),
        ]
        self.admission.admit_all(candidates, settings.plugins_blocked)
        self.registry = self.admission.registry
        self.hooks = HookCaller(self.admission.manager)
        secret_key = load_or_create_secret_key(settings.secret_key, settings.data)
        self.vault = SealedVault(secret_key, self.clock)
        self.trail = Trail(self.vault, self.clock)
        self.data = Database(
            settings.database_url,
            audit_sink=self.trail.append,
            condition_of=open_to_writing,
            pool_size=settings.database_pool,
            statement_seconds=STATEMENT_SECONDS,
        )
        self.rates = SharedRates(self.data, self.clock)
        folders = [settings.data, *([self.data.folder] if self.data.folder else [])]
        self.readiness = ServerReadiness(self.data, [Disk(folder.absolute()) for folder in folders])
        self.anchoring = Anchoring(self.data, self.trail, self.clock, settings.data)
        self._passwords = Argon2Passwords(self._decide_password)
        self._scratch = ScratchFolder(settings.data)
        self._services: dict[Any, Any] = {}
        self._blob_store: BlobStore | None = None
        self._own_metrics: tuple[Metric, ...] = tuple(database_metrics(self.data))
        self._measurements = Measurements(self, self._declared_metrics)
        self.session_uses: SessionUses | None = None
        self._app: Quart | None = None
        self.own_listeners: dict[str, tuple[str, Quart]] = {}

    @property
    def app(self) -> Quart:
        if self._app is None:
            raise RuntimeError("the server has not started")
        return self._app

    def service(self, protocol: type[Service]) -> Service:
        found: Service = self._services[protocol]
        return found

    async def start(self) -> None:
        """Everything between a configuration and the first request."""
        await self.data.connect()
        try:
            await self._migrate()
            await self.vault.open(self.data)
            if self.data.dialect == "sqlite":
                await settle_leftovers(self.data)
            await sweep(self.data, self.clock)
            await asyncio.to_thread(self._scratch.sweep)
            store = await open_swept_blob_store(self.registry.blob_stores(), self.settings)
            self._blob_store = GuardedStore(store, self.data, self.clock)
            self._offer_services()
            await self._start_plugins()
        except BaseException:
            if self._blob_store is not None:
                await self._blob_store.close()
            await self.data.disconnect()
            raise
        await self.workforce.start()
        await self.fan_out.start()
        await self.anchoring.start()
        await self.rates.start()
        callers = self.rates.callers(API, self.settings.rate_limit)
        dispatcher = Dispatcher(self.registry.routes(), self, self.settings, callers, self._observer)
        self.session_uses = dispatcher.session_uses
        self.session_uses.start()
        self._own_metrics += (
            *dispatcher.metrics(),
            self.rates.metric(),
            *self.workforce.scheduler.metrics(),
            *self.fan_out.metrics(),
        )
        self._mount(dispatcher)
        self.readiness.start()
        for status in self.registry.refused:
            _log.warning(f"plugin.{status.status}", plugin=status.id, reason=status.reason)

    def _mount(self, dispatcher: Dispatcher) -> None:
        """Other protocols stand below their prefix and, with an address of their own, at its root too."""
        trusted = self.settings.trusted_proxies
        mounted = {
            mount.prefix: (mount, behind_proxies(mount.app(self), trusted))
            for mount in self.registry.declared(Mount)
        }
        answering = behind_proxies(dispatcher, trusted)
        self._app = create_app(answering, {prefix: app for prefix, (_, app) in mounted.items()})
        for mount, app in mounted.values():
            if mount.bind is not None:
                self.own_listeners[mount.name] = (getattr(self.settings, mount.bind), answered_by(app))

    async def stop(self) -> None:
        self.readiness.stopping.set()
        await self.readiness.stop()
        await self.rates.stop()
        await self.fan_out.stop()
        await self.workforce.stop()
        if self.session_uses is not None:
            await self.session_uses.stop()
        self._passwords.close()
        await self.anchoring.stop()
        if self._blob_store is not None:
            await self._blob_store.close()
        await self.data.disconnect()

    async def _migrate(self) -> None:
        now = self.clock.now_ms()
        await migrate(self.data, [MigrationSource("kernel", _MIGRATIONS)], now)
        for plugin in list(self.registry.plugins):
            if plugin.migrations is None or plugin not in self.registry.plugins:
                continue
            try:
                await migrate(self.data, [MigrationSource(plugin.id, plugin.migrations)], now)
            except MigrationError as error:
                self.admission.withdraw(plugin.id, str(error))

    async def _start_plugins(self) -> None:
        """A plugin that cannot start is taken out again: half-started it could answer anything."""
        before = list(self.registry.plugins)
        for plugin_id, reason in (await self.hooks.tell("on_start", host=self)).items():
            self.admission.withdraw(plugin_id, reason)
        for gone in (one for one in before if one not in self.registry.plugins):
            self._withdraw_services(gone)

    def _withdraw_services(self, gone: LoadedPlugin) -> None:
        """Its own alone: what other plugins took hold of in their `on_start` stays what it is."""
        for protocol in gone.services:
            del self._services[protocol]
        self._tools.declare(self.registry.owned(Tool))
        self._features.declare(self.registry.declared(Feature))
        self._ledger.declare(self.registry.declared(QuotaDimension))
        self.outbox.declare(self.registry.declared(Event), self.registry.owned(Subscription))
        known = {kind.name for kind in self.deliveries.kinds()}
        self.workforce.scheduler.withdraw(
            [*gone.declared(JobKind), *(kind for kind in self._delivering if kind.name not in known)]
        )

    async def _decide_password(self, username: str, password: str) -> str | None:
        refusal: str | None = await self.hooks.decide("decide_password", username=username, password=password)
        return refusal

    def _declared_metrics(self) -> Sequence[tuple[str, Metric]]:
        return [*(("kernel", metric) for metric in self._own_metrics), *self.registry.owned(Metric)]

    async def _running_jobs(self, reader: Reader, org_id: str, team_id: str) -> tuple[int, int]:
        return await self.workforce.count_running(reader, org_id, team_id)

    def _offer_services(self) -> None:
        ledger = self._ledger = Ledger(
            self.registry.declared(QuotaDimension), self.clock, {"jobs.concurrency": self._running_jobs}
        )
        self.outbox = Outbox(self.registry.declared(Event), self.registry.owned(Subscription), self.clock)
        self.deliveries = Deliveries(self.outbox)
        self._delivering = self.deliveries.kinds()
        self.workforce = Workforce(
            self,
            self.data,
            self.settings,
            self.vault,
            [*self.registry.declared(JobKind), *self._delivering],
            ledger,
            Validator.compile,
            self.deliveries.jobs_ended,
            self.deliveries.kind_of_another,
        )
        self._features = TeamFeatures(self.registry.declared(Feature), self.clock)
        self.fan_out = FanOut(
            self.data, self.outbox, self._features, self.workforce.scheduler.enqueue_beyond_limit
        )
        self.outbox.on_recorded, self.deliveries.on_room = self.fan_out.wake, self.fan_out.on_room
        self._tools = TeamTools(self.registry.owned(Tool), self.clock, Validator.compile, self)
        self._services = {
            ApiDescription: RouteTableDescription(self.registry, self.settings),
            AuditTrail: self.trail,
            BlobStore: self._blob_store,
            Credentials: StoredCredentials(self.clock),
            Directory: StoredDirectory(self.clock),
            Events: self.outbox,
            Features: self._features,
            Metrics: self._measurements,
            Passwords: self._passwords,
            Plugins: self.registry,
            Quotas: ledger,
            RateLimits: self.rates,
            Readiness: self.readiness,
            Scratch: self._scratch,
            Tools: self._tools,
            Vault: self.vault,
        }
        self._services |= self.workforce.services()
        for protocol, make in self.registry.services().items():
            self._services[protocol] = make(self)
