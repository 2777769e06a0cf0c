"""The boot, top to bottom: discover, admit, migrate, start, freeze. Nothing is served before all of it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from quart import Quart

from guildhall_sdk import (
    BlobStore,
    Clock,
    Feature,
    JobKind,
    Metric,
    Mount,
    QuotaDimension,
    Reader,
    Tool,
)
from guildhall_sdk.services import (
    ApiDescription,
    AuditTrail,
    Credentials,
    Directory,
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
from kernel.loop_monitor import LoopMonitor
from kernel.metrics import Measurements
from kernel.plugins.admission import Admission
from kernel.plugins.caller import HookCaller
from kernel.plugins.discovery import Candidate, discover, given
from kernel.plugins.orphans import find_orphans
from kernel.plugins.records import PluginRecord, read_records, save_records
from kernel.proofs import Proofs
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
        candidates: Sequence[Candidate] | None = None,
        observer: Observer | None = None,
    ) -> None:
        self.settings = settings
        self.clock: Clock = clock or SystemClock()
        self._observer = observer
        self.admission = Admission()
        if candidates is None:
            candidates = discover(settings.plugins, settings.blob_store)
        found = [*candidates, *(given(plugin) for plugin in extra_plugins)]
        self.admission.admit_all(found, settings.plugins_blocked)
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
        self._loop_monitor = LoopMonitor(self.registry)
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
            records, proofs = await self._prove()
            await self.vault.open(self.data)
            if self.data.dialect == "sqlite":
                await settle_leftovers(self.data)
            await sweep(self.data, self.clock)
            await asyncio.to_thread(self._scratch.sweep)
            store = await open_swept_blob_store(self.registry.blob_stores(), self.settings)
            self._blob_store = GuardedStore(store, self.data, self.clock)
            self._offer_services()
            await self._start_plugins()
            await self._record(records, proofs)
        except BaseException:
            if self._blob_store is not None:
                await self._blob_store.close()
            await self.data.disconnect()
            raise
        await self.workforce.start()
        await self.anchoring.start()
        await self.rates.start()
        callers = self.rates.callers(API, self.settings.rate_limit)
        dispatcher = Dispatcher(self.registry.routes(), self, self.settings, callers, self._observer)
        self.session_uses = dispatcher.session_uses
        self.session_uses.start()
        metrics = (*dispatcher.metrics(), self.rates.metric(), *self.workforce.scheduler.metrics())
        self._own_metrics += metrics
        self._mount(dispatcher)
        self.readiness.start()
        self._loop_monitor.start()
        for status in self.registry.refused:
            _log.warning(f"plugin.{status.status}", plugin=status.id, reason=status.reason)
        for plugin_id, seconds in self.admission.slow_imports.items():
            _log.warning("plugin.slow_import", plugin=plugin_id, seconds=seconds)
        for unknown in self.admission.unknown_blocked:
            # It goes on: a plugin that was blocked may be uninstalled, or not be installed yet.
            _log.warning("plugin.unknown_blocked", plugin=unknown, setting="SERVICE_PLUGINS_BLOCKED")

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
        self._loop_monitor.stop()
        await self.rates.stop()
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
            # What ships with the server is never uninstalled: nobody asks what it made.
            source = MigrationSource(plugin.id, plugin.migrations, recorded=plugin.source != "builtin")
            try:
                await migrate(self.data, [source], now)
            except MigrationError as error:
                self.admission.withdraw(plugin.id, str(error))

    async def _prove(self) -> tuple[Sequence[PluginRecord], Proofs]:
        """A statement or a schema that cannot be right keeps its plugin out, before a caller meets it."""
        async with self.data.read() as reader:
            records = await read_records(reader)
        known = {record.id: record.proof for record in records if record.proof is not None}
        proofs = Proofs(self.data, self.registry, known, self.settings.version)
        for plugin in list(self.registry.plugins):
            if plugin in self.registry.plugins and (fault := await proofs.fault(plugin)) is not None:
                self.admission.withdraw(plugin.id, fault)
        return records, proofs

    async def _record(self, before: Sequence[PluginRecord], proofs: Proofs) -> None:
        """For the commands that look in from outside; and a line for what removed plugins have left."""
        statuses = self.registry.statuses()
        async with self.data.read() as reader:
            orphans = await find_orphans(reader, before, [status.id for status in statuses])
        for orphan in orphans:
            _log.warning("plugin.orphaned", plugin=orphan.id, detail=orphan.describe())
        await save_records(
            self.data, before, statuses, proofs.found, removed=[orphan.id for orphan in orphans]
        )

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
        self.workforce.scheduler.withdraw(gone.declared(JobKind))

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
        self.workforce = Workforce(
            self,
            self.data,
            self.settings,
            self.vault,
            self.registry.declared(JobKind),
            ledger,
            Validator.compile,
        )
        self._features = TeamFeatures(self.registry.declared(Feature), self.clock)
        self._tools = TeamTools(self.registry.owned(Tool), self.clock, Validator.compile, self)
        self._services = {
            ApiDescription: RouteTableDescription(self.registry, self.settings),
            AuditTrail: self.trail,
            BlobStore: self._blob_store,
            Credentials: StoredCredentials(self.clock),
            Directory: StoredDirectory(self.clock),
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
