"""The boot, top to bottom: discover, admit, migrate, start, freeze. Nothing is served before all of it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, TypeVar

from quart import Quart

from guildhall_sdk import Clock, Host, Metric, Permission, Setting
from guildhall_sdk.blobs import BlobReferences, BlobStore
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.mounts import Asgi, Mount
from guildhall_sdk.services.audit import AuditRetention, AuditTrail
from guildhall_sdk.services.computing import RateLimits, Scratch
from guildhall_sdk.services.description import ApiDescription, Plugins
from guildhall_sdk.services.files import Files
from guildhall_sdk.services.identity import Passwords, Vault
from guildhall_sdk.services.jobs import JobRetention
from guildhall_sdk.services.metrics import Metrics
from guildhall_sdk.services.readiness import Readiness
from guildhall_sdk.services.roles import Roles
from guildhall_sdk.services.tenancy import Directory
from guildhall_sdk.settings import Value
from kernel.allocator import give_back_large_blocks
from kernel.audit import Anchoring, Checkpointing, Floors, Trail, keep_ahead
from kernel.background import Background, Work
from kernel.blobs import keep_swept, open_swept_blob_store
from kernel.clock import SystemClock
from kernel.config import Settings
from kernel.db import Database, database_metrics
from kernel.db.accounts import background
from kernel.declared_services import DeclaredServices
from kernel.disks import Disk
from kernel.guarded_blobs import GuardedStore
from kernel.http.app import answered_by, behind_proxies, create_app
from kernel.http.dispatch import Dispatcher, Observer
from kernel.http.event_streams import OpenStreams
from kernel.http.files import FolderFiles
from kernel.http.gates import Authentication, RowLimits
from kernel.http.idempotency import settle_leftovers
from kernel.http.openapi import RouteTableDescription
from kernel.http.rates import API, SharedRates
from kernel.http.sign_in import OtherSignIns
from kernel.identity.authenticate import SessionUses
from kernel.identity.passwords import MEMORY_KIB, Argon2Passwords
from kernel.logs import get_logger
from kernel.loop_monitor import LoopMonitor
from kernel.metrics.measurements import Declared, Measurements
from kernel.metrics.process import process_metrics
from kernel.news import Newsroom, PluginNews
from kernel.plugins.admission import Admission, admit
from kernel.plugins.engines import engine_in, server_options
from kernel.plugins.hooks import HookRunner
from kernel.plugins.host import PluginHost, Services
from kernel.plugins.reasons import reason_of
from kernel.plugins.setting_values import OwnedSetting, check_addresses, owned_settings, read_settings
from kernel.preparation import Preparation
from kernel.rbac import DeclaredRoles
from kernel.readiness import ServerReadiness
from kernel.registry import LoadedPlugin
from kernel.scheduler import EndedJobs
from kernel.scratch import ScratchFolder
from kernel.secrets import SealedVault, ServerKey
from kernel.tenancy.directory import StoredDirectory
from kernel.tenancy.suspension import open_to_writing

_log = get_logger("boot")
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
        admission: Admission | None = None,
        observer: Observer | None = None,
        password_memory_kib: int = MEMORY_KIB,
        measurements: Callable[[Host, Declared], Measurements] = Measurements,
    ) -> None:
        self.settings = settings
        self.clock: Clock = clock or SystemClock()
        self._observer = observer
        self.admission = admission or admit(settings, extra_plugins)
        self.registry = self.admission.registry
        self.setting_values = read_settings(self.registry, settings.others)
        check_addresses(settings.bind, self.registry, self.setting_values)
        self.hooks = HookRunner(self.admission.hooks)
        self.roles = DeclaredRoles()
        self.vault = SealedVault(ServerKey(settings.secret_key, settings.data), self.clock)
        self.trail = Trail(self.vault, self.clock)
        self.data = Database(
            engine_in(self.registry, settings),
            server_options(settings),
            audit_sink=self.trail.append,
            locked_read_of=self.trail.end_to_read,
            condition_of=open_to_writing,
        )
        self.rates = SharedRates(self.data, self.clock)
        folders = [settings.data, *([self.data.folder] if self.data.folder else [])]
        self.readiness = ServerReadiness(self.data, [Disk(folder.absolute()) for folder in folders])
        self._loop_monitor = LoopMonitor(self.registry)
        self.anchoring = Anchoring(self.data, self.trail, self.clock, settings.data)
        self.checkpointing = Checkpointing(self.data, self.trail, self.clock)
        self._passwords = Argon2Passwords(self.hooks.decide_password, memory_kib=password_memory_kib)
        self._scratch = ScratchFolder(settings.data)
        self.background_works = Background()
        self.newsroom = Newsroom(self.data)
        self.streams = OpenStreams(self.readiness, self.background_works, settings.drain_seconds, self.data)
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
        self._blob_store: GuardedStore | None = None
        self._measurements = measurements(self, self._declared_metrics)
        self._own_metrics: tuple[Metric, ...] = (
            *database_metrics(self.data),
            *self.vault.metrics(),
            *process_metrics(self._measurements.server_pid),
        )
        self.session_uses: SessionUses | None = None
        self._app: Quart | None = None
        self.own_listeners: dict[str, tuple[str, Quart]] = {}

    @property
    def app(self) -> Quart:
        if self._app is None:
            raise RuntimeError("the server has not started")
        return self._app

    def listener_settings(self) -> Mapping[str, tuple[OwnedSetting, str]]:
        """Returns the setting and the address of each mount that has its own; known before a start."""
        binds = {mount.bind: mount.name for mount in self.registry.declared(Mount) if mount.bind is not None}
        return {
            binds[row.setting]: (row, self.setting(row.setting))
            for row in owned_settings(self.registry)
            if row.setting in binds
        }

    def setting(self, setting: Setting[Value]) -> Value:
        return self.setting_values.value(setting)

    @property
    def _services(self) -> dict[type[Any], Any]:
        return self._offered.offered

    def service(self, protocol: Callable[..., Service]) -> Service:
        return self._offered.require(protocol, _KERNEL)

    def find_service(self, protocol: Callable[..., Service]) -> Service | None:
        return self._offered.find(protocol)

    def background(self, name: str, run: Callable[[], Awaitable[object]]) -> Work:
        return self.background_works.start(_KERNEL, name, run)

    def news(self, channel: str) -> PluginNews:
        return self.newsroom.channel(_KERNEL, channel)

    async def start(self) -> None:
        """Does everything between a configuration and the first request."""
        give_back_large_blocks()
        with background():
            await self._start()

    async def _start(self) -> None:
        await self.data.connect()
        try:
            preparation = Preparation(self.data, self.admission, self.clock, self.settings.version)
            await preparation.migrate()
            await preparation.prove()
            await self.vault.open(self.data)
            if not self.data.shared_by_processes:
                await settle_leftovers(self.data)
            await asyncio.to_thread(self._scratch.sweep)
            store = await open_swept_blob_store(self.registry.blob_stores(), self.settings)
            self._blob_store = GuardedStore(store, self.data, self.clock, self.settings.blob_store)
            await self._blob_store.identify([one for _, one in self.registry.owned(BlobReferences)])
            await self.newsroom.start()
            self._offer_services()
            await self._start_plugins()
            await preparation.record()
        except BaseException:
            await self._stop_plugins()
            if self._blob_store is not None:
                await self._blob_store.close()
            await self.data.disconnect()
            raise
        await self.declared.start()
        await self.anchoring.start()
        await self.checkpointing.start()
        self.background("making partitions ahead", partial(keep_ahead, self.data, self.clock))
        if self._blob_store is not None:
            self.background("sweeping broken uploads", partial(keep_swept, self._blob_store))
        if self.data.replica is not None:
            self.background("watching the replica", self.data.replica.follow)
        await self.rates.start()
        callers = self.rates.callers(API, self.settings.rate_limit)
        row_limits = RowLimits(self.registry.routes(), self.rates, off=self.settings.rate_limit == 0)
        mounts = {
            mount.prefix: (mount, mount.app(self.host_of(owner)))
            for owner, mount in self.registry.owned(Mount)
        }
        owners = {permission.name: owner for owner, permission in self.registry.owned(Permission)}
        others = OtherSignIns.of_plugins(self.hooks, self.registry, self.roles)
        authenticate = Authentication(self.settings, callers, self.roles, owners, others)
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
            *self.declared.scheduler.metrics(),
            *self.declared.fan_out.metrics(),
        )
        self._own_metrics += metrics
        self._measurements.start()
        self._mount(dispatcher, mounts)
        self.readiness.start()
        self._loop_monitor.start()
        self.setting_values.warn()
        self.admission.warn()

    def _mount(self, dispatcher: Dispatcher, mounts: Mapping[str, tuple[Mount, Asgi]]) -> None:
        """Mounts other protocols below their prefix and, with an address of their own, at its root too."""
        trusted = self.settings.trusted_proxies
        below = {prefix: behind_proxies(app, trusted) for prefix, (_, app) in mounts.items() if prefix != "/"}
        self._app = create_app(behind_proxies(dispatcher, trusted), below)
        for mount, app in mounts.values():
            if mount.bind is not None:
                own = answered_by(behind_proxies(app, trusted))
                self.own_listeners[mount.name] = (self.setting(mount.bind), own)

    async def stop(self) -> None:
        self.readiness.stopping.set()
        await self.readiness.stop()
        self._loop_monitor.stop()
        await self.rates.stop()
        await self.declared.stop()
        await self._measurements.stop()
        await self._stop_plugins()
        if self.session_uses is not None:
            await self.session_uses.stop()
        self._passwords.close()
        await self.checkpointing.stop()
        await self.anchoring.stop()
        if self._blob_store is not None:
            await self._blob_store.close()
        await self.data.disconnect()

    async def _start_plugins(self) -> None:
        """Starts the plugins; one that fails is taken out again: half-started it could answer anything."""
        self._plugins_started = True
        for gone in self._withdraw(await self.hooks.tell("on_start", self.host_of)):
            await self.background_works.end(gone.id)

    async def _stop_plugins(self) -> None:
        """Requests and jobs are over by now; background work ends before its plugin is told to stop."""
        await self.background_works.stop()
        if self._plugins_started:
            self._plugins_started = False
            await self.hooks.tell("on_stop", self.host_of, undoes="on_start")
        await self.newsroom.stop()

    def _withdraw(self, reasons: Mapping[str, str]) -> Sequence[LoadedPlugin]:
        """Takes plugins out again, and gives them with those that require them."""
        before = self.registry.plugins
        for plugin_id, reason in reasons.items():
            self.admission.withdraw(plugin_id, reason)
        gone = [plugin for plugin in before if plugin not in self.registry]
        for plugin in gone:
            for protocol in plugin.services:
                self._offered.withdraw(protocol, plugin.id)
            self.declared.withdraw(plugin)
        return gone

    def _declared_metrics(self) -> Sequence[tuple[str, Metric]]:
        return [*(("kernel", metric) for metric in self._own_metrics), *self.registry.owned(Metric)]

    def _offer_services(self) -> None:
        self.declared = DeclaredServices(
            self, self.data, self.settings, self.registry, self.roles, self.host_of
        )
        offered: dict[type[Any], Any] = {
            ApiDescription: RouteTableDescription(self.registry, self.settings),
            AuditRetention: Floors(self.trail, self.clock, self.data),
            AuditTrail: self.trail,
            BlobStore: self._blob_store,
            DatabaseEngine: self.data.engine,
            Directory: StoredDirectory(self.clock, self.streams.of_people.person_changed),
            Files: FolderFiles(),
            JobRetention: EndedJobs(),
            Metrics: self._measurements,
            Passwords: self._passwords,
            Plugins: self.registry,
            RateLimits: self.rates,
            Readiness: self.readiness,
            Roles: self.roles,
            Scratch: self._scratch,
            Vault: self.vault,
            **self.declared.offered(),
        }
        self._offered.offered |= offered
        for plugin in self.registry.plugins:
            if plugin in self.registry:  # and not gone with one that it requires
                self._make_services(plugin)

    def _make_services(self, plugin: LoadedPlugin) -> None:
        try:
            for protocol, make in plugin.services.items():
                self._services[protocol] = make(self.host_of(plugin.id))
        except (Exception, SystemExit) as error:
            _log.error("plugin.hook_failed", exc=error, plugin=plugin.id, hook="declare_services")
            reason = f"declare_services failed: {reason_of(error, plugin.module)}"
            self._withdraw({plugin.id: reason})
