"""The boot, top to bottom: discover, admit, migrate, start, freeze. Nothing is served before all of it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

from quart import Quart

from guildhall_sdk import (
    BlobStore,
    Clock,
    CredentialKind,
    Event,
    JobKind,
    Metric,
    Mount,
    Permission,
    Preference,
    QuotaDimension,
    Reader,
    Setting,
    Subscription,
    Tool,
    ToolSource,
    Unauthenticated,
)
from guildhall_sdk.mounts import Asgi
from guildhall_sdk.services import (
    ApiDescription,
    AuditTrail,
    Credentials,
    Directory,
    Events,
    Features,
    Files,
    Metrics,
    Passwords,
    Plugins,
    Preferences,
    Quotas,
    RateLimits,
    Readiness,
    Roles,
    Scratch,
    Tools,
    Vault,
)
from guildhall_sdk.settings import Value
from kernel.audit import Anchoring, Trail
from kernel.background import Background, Work
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
from kernel.http.event_streams import OpenStreams
from kernel.http.files import FolderFiles
from kernel.http.forwarding import behind_proxies
from kernel.http.gates.authn import Authentication
from kernel.http.gates.sign_in import OtherSignIns
from kernel.http.idempotency import settle_leftovers
from kernel.http.rate_sharing import API, SharedRates
from kernel.http.row_limits import RowLimits
from kernel.http.validation import Validator
from kernel.identity.credentials import StoredCredentials
from kernel.identity.passwords import Argon2Passwords
from kernel.identity.uses import SessionUses
from kernel.logs import get_logger
from kernel.loop_monitor import LoopMonitor
from kernel.metrics import Measurements
from kernel.news import Newsroom, PluginNews
from kernel.plugins.admission import Admission
from kernel.plugins.caller import HookCaller
from kernel.plugins.discovery import Candidate, discover, given
from kernel.plugins.host import PluginHost, Services
from kernel.plugins.orphans import find_orphans
from kernel.plugins.records import PluginRecord, read_records, save_records
from kernel.plugins.setting_values import check_addresses, read_settings
from kernel.preferences import StoredPreferences
from kernel.proofs import Proofs
from kernel.quota import Ledger, sweep
from kernel.rbac import DeclaredRoles
from kernel.readiness import ServerReadiness
from kernel.registry import LoadedPlugin
from kernel.scheduler import KindSwitches
from kernel.scratch import ScratchFolder
from kernel.secrets import SealedVault, load_or_create_secret_key
from kernel.tenancy.directory import StoredDirectory
from kernel.tenancy.suspension import open_to_writing
from kernel.tools import TeamTools
from kernel.tools.sources import ToolSources
from kernel.workforce import Workforce

_log = get_logger("boot")
_MIGRATIONS = Path(__file__).with_name("migrations")
_KERNEL = "kernel"

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
        self.setting_values = read_settings(self.registry, settings.others)
        check_addresses(settings.bind, self.registry, self.setting_values)
        self.hooks = HookCaller(self.admission.manager)
        self.roles = DeclaredRoles()
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
        self.background_works = Background()
        self.newsroom = Newsroom(self.data)
        self.streams = OpenStreams(self.readiness, self.background_works)
        self._offered = Services(self.registry)
        self.host_of = cache(
            partial(
                PluginHost,
                data=self.data,
                clock=self.clock,
                settings=settings,
                setting_values=self.setting_values,
                services=self._offered,
                works=self.background_works,
                newsroom=self.newsroom,
            )
        )
        self._plugins_started = False
        self._blob_store: BlobStore | None = None
        self._own_metrics: tuple[Metric, ...] = tuple(database_metrics(self.data))
        self._measurements = Measurements(self, self._declared_metrics)
        self.session_uses: SessionUses | None = None
        self._app: Quart | None = None
        self.own_listeners: dict[str, tuple[str, Quart]] = {}
        self.chosen_listeners: set[str] = set()  # whose address the operator set

    @property
    def app(self) -> Quart:
        if self._app is None:
            raise RuntimeError("the server has not started")
        return self._app

    def setting(self, setting: Setting[Value]) -> Value:
        return self.setting_values.value(setting)

    @property
    def _services(self) -> dict[type[Any], Any]:
        return self._offered.offered

    def service(self, protocol: type[Service]) -> Service:
        return self._offered.require(protocol, _KERNEL)

    def find_service(self, protocol: type[Service]) -> Service | None:
        return self._offered.find(protocol)

    def background(self, name: str, run: Callable[[], Awaitable[object]]) -> Work:
        return self.background_works.start(_KERNEL, name, run)

    def news(self, channel: str) -> PluginNews:
        return self.newsroom.channel(_KERNEL, channel)

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
            await self.newsroom.start()
            self._offer_services()
            await self._start_plugins()
            await self._record(records, proofs)
        except BaseException:
            await self._stop_plugins()
            if self._blob_store is not None:
                await self._blob_store.close()
            await self.data.disconnect()
            raise
        await self.workforce.start()
        await self._tool_sources.start()
        await self.fan_out.start()
        await self.anchoring.start()
        await self.rates.start()
        callers = self.rates.callers(API, self.settings.rate_limit)
        row_limits = RowLimits(self.registry.routes(), self.rates, off=self.settings.rate_limit == 0)
        mounts = {
            mount.prefix: (mount, mount.app(self.host_of(owner)))
            for owner, mount in self.registry.owned(Mount)
        }
        owners = {permission.name: owner for owner, permission in self.registry.owned(Permission)}
        authenticate = Authentication(self.settings, callers, self.roles, owners, self._other_sign_ins())
        dispatcher = Dispatcher(
            self.registry.routes(),
            self,
            authenticate,
            self.host_of,
            self.streams,
            row_limits,
            self._observer,
            otherwise=mounts["/"][1] if "/" in mounts else None,
        )
        self.session_uses = dispatcher.session_uses
        self.session_uses.start()
        self.background("ending event streams", self.streams.end_when_stopping)
        metrics = (
            *dispatcher.metrics(),
            self.streams.metric(),
            self.rates.metric(),
            row_limits.metric(),
            *self.workforce.scheduler.metrics(),
            *self.fan_out.metrics(),
        )
        self._own_metrics += metrics
        self._mount(dispatcher, mounts)
        self.readiness.start()
        for name in self.setting_values.unread:
            _log.warning("setting.unread", setting=name, reason="the plugin that may declare it is out")
        self._loop_monitor.start()
        for status in self.registry.refused:
            _log.warning(f"plugin.{status.status}", plugin=status.id, reason=status.reason)
        for plugin_id, seconds in self.admission.slow_imports.items():
            _log.warning("plugin.slow_import", plugin=plugin_id, seconds=seconds)
        for unknown in self.admission.unknown_blocked:
            # It goes on: a plugin that was blocked may be uninstalled, or not be installed yet.
            _log.warning("plugin.unknown_blocked", plugin=unknown, setting="SERVICE_PLUGINS_BLOCKED")

    def _mount(self, dispatcher: Dispatcher, mounts: Mapping[str, tuple[Mount, Asgi]]) -> None:
        """Other protocols stand below their prefix and, with an address of their own, at its root too."""
        trusted = self.settings.trusted_proxies
        below = {prefix: behind_proxies(app, trusted) for prefix, (_, app) in mounts.items() if prefix != "/"}
        self._app = create_app(behind_proxies(dispatcher, trusted), below)
        for mount, app in mounts.values():
            if mount.bind is not None:
                address = self.setting(mount.bind)
                self.own_listeners[mount.name] = (address, answered_by(behind_proxies(app, trusted)))
                if self.setting_values.given(mount.bind):
                    self.chosen_listeners.add(mount.name)

    async def stop(self) -> None:
        self.readiness.stopping.set()
        await self.readiness.stop()
        self._loop_monitor.stop()
        await self.rates.stop()
        await self._tool_sources.stop()
        await self.fan_out.stop()
        await self.workforce.stop()
        await self._stop_plugins()
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
        self._plugins_started = True
        for plugin_id, reason in (await self.hooks.tell("on_start", self.host_of)).items():
            self.admission.withdraw(plugin_id, reason)
        for gone in (one for one in before if one not in self.registry.plugins):
            await self.background_works.end(gone.id)
            self._withdraw_services(gone)

    async def _stop_plugins(self) -> None:
        """Requests and jobs are over by now; background work ends before its plugin is told to stop."""
        await self.background_works.stop()
        if self._plugins_started:
            self._plugins_started = False
            await self.hooks.tell("on_stop", self.host_of, undoes="on_start")
        await self.newsroom.stop()

    def _withdraw_services(self, gone: LoadedPlugin) -> None:
        """Its own alone: what other plugins took hold of in their `on_start` stays what it is."""
        for protocol in gone.services:
            self._offered.withdraw(protocol, gone.id)
        self.roles.declare(self.registry.declared(Permission))
        self._tools.declare(self.registry.owned(Tool))
        self._tool_sources.declare(self.registry.owned(ToolSource))
        self._features.declare(self.registry.switchable())
        self._preferences.declare(self.registry.owned(Preference))
        self._ledger.declare(self.registry.declared(QuotaDimension))
        self.outbox.declare(self.registry.declared(Event), self.registry.owned(Subscription))
        known = {kind.name for kind in self.deliveries.kinds()}
        self.workforce.scheduler.withdraw(
            [*gone.declared(JobKind), *(kind for kind in self._delivering if kind.name not in known)]
        )

    def _kind_owners(self) -> Mapping[str, tuple[str, str | None]]:
        kinds = {kind.name: (plugin_id, kind.feature) for plugin_id, kind in self.registry.owned(JobKind)}
        return kinds | {one.kind: (one.plugin_id, one.subscription.feature) for one in self.outbox.listeners}

    async def _decide_password(self, username: str, password: str) -> str | None:
        refusal: str | None = await self.hooks.decide("decide_password", username=username, password=password)
        return refusal

    def _other_sign_ins(self) -> OtherSignIns | None:
        """None where no plugin has one: nobody then waits for any."""
        plugin_ids = self.hooks.implementers("decide_principal")
        if not plugin_ids:
            return None
        declared = self.registry.owned(CredentialKind)
        kinds = {one: [kind.name for owner, kind in declared if owner == one] for one in plugin_ids}
        ask = partial(self.hooks.decide_by, "decide_principal", refusal=(Unauthenticated,))
        return OtherSignIns(lambda request: ask(request=request), kinds, self.roles)

    def _declared_metrics(self) -> Sequence[tuple[str, Metric]]:
        return [*(("kernel", metric) for metric in self._own_metrics), *self.registry.owned(Metric)]

    async def _running_jobs(self, reader: Reader, org_id: str, team_id: str) -> tuple[int, int]:
        return await self.workforce.count_running(reader, org_id, team_id)

    def _offer_services(self) -> None:
        self.roles.declare(self.registry.declared(Permission))
        ledger = self._ledger = Ledger(
            self.registry.declared(QuotaDimension), self.clock, {"jobs.concurrency": self._running_jobs}
        )
        self._features = TeamFeatures(self.registry.switchable())
        self.outbox = Outbox(
            self.registry.declared(Event),
            self.registry.owned(Subscription),
            self.clock,
            self._features.read,
        )
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
            {kind: self.host_of(owner) for kind, (owner, _) in self._kind_owners().items()},
            KindSwitches(owners=self._kind_owners(), read=self._features.read),
            self.deliveries.jobs_ended,
            self.deliveries.kind_of_another,
        )
        self.fan_out = FanOut(self.data, self.outbox, self.workforce.scheduler.enqueue_beyond_limit)
        self.outbox.on_recorded, self.deliveries.on_room = self.fan_out.wake, self.fan_out.on_room
        self._tool_sources = ToolSources(
            self.registry.owned(ToolSource),
            self.host_of,
            self.data,
            Validator.compile,
            lambda name: name in self.roles.permissions,
        )
        self._tools = TeamTools(
            self.registry.owned(Tool),
            self.clock,
            Validator.compile,
            self.host_of,
            self._features,
            sources=self._tool_sources,
        )
        self._preferences = StoredPreferences(self.registry.owned(Preference), self.clock, Validator.compile)
        self._offered.offered |= {
            ApiDescription: RouteTableDescription(self.registry, self.settings),
            AuditTrail: self.trail,
            BlobStore: self._blob_store,
            Credentials: StoredCredentials(
                self.clock, self.roles, [kind.name for kind in self.registry.declared(CredentialKind)]
            ),
            Directory: StoredDirectory(self.clock),
            Events: self.outbox,
            Features: self._features,
            Files: FolderFiles(),
            Metrics: self._measurements,
            Passwords: self._passwords,
            Plugins: self.registry,
            Preferences: self._preferences,
            Quotas: ledger,
            RateLimits: self.rates,
            Readiness: self.readiness,
            Roles: self.roles,
            Scratch: self._scratch,
            Tools: self._tools,
            Vault: self.vault,
        }
        self._offered.offered |= self.workforce.services()
        for plugin in self.registry.plugins:
            for protocol, make in plugin.services.items():
                self._services[protocol] = make(self.host_of(plugin.id))
