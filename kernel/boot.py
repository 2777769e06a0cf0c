"""The boot, top to bottom: discover, admit, migrate, start, freeze. Nothing is served before all of it."""

import asyncio
import inspect
from collections.abc import Mapping, Sequence
from functools import cache
from math import inf
from typing import Any

from quart import Quart

from guildhall_sdk import Clock, Permission
from guildhall_sdk.blobs import BlobStore
from guildhall_sdk.errors import OperatorError
from guildhall_sdk.metrics import KernelMetrics, Metrics
from guildhall_sdk.plugin import PluginRecords, PluginStorage
from guildhall_sdk.principal import Roles
from guildhall_sdk.routes import Adapter
from guildhall_sdk.services.computing import Scratch
from guildhall_sdk.services.pages import Files
from guildhall_sdk.services.server import DatabaseHealth, Readiness, SchemaUpgrade, ServerLife, Tracing
from guildhall_sdk.services.tenancy import Directory
from kernel.audit import Trail, record_restore
from kernel.background import background
from kernel.clock import SystemClock
from kernel.config import Settings
from kernel.db.database import Database
from kernel.db.slow_statements import SlowStatements
from kernel.declared_services import DeclaredServices, services_of_instance
from kernel.http.adapters import Applications
from kernel.http.event_streams import OpenStreams
from kernel.http.gates import Authentication
from kernel.http.idempotency import release_abandoned_calls
from kernel.http.pipeline import Pipeline, TracedPipeline
from kernel.http.rates import API, refusal_measures, row_limiters, shared_rates
from kernel.http.rows import Observer, Rows
from kernel.http.sign_in import OtherSignIns
from kernel.identity.authenticate import KnownCallers, SessionUses
from kernel.identity.passwords import Argon2Passwords
from kernel.logs import get_logger
from kernel.news import CHANNEL
from kernel.plugins.admission import Admission, admit
from kernel.plugins.engines import engine_in, server_options
from kernel.plugins.hooks import ON_TIMEOUT, HookRunner
from kernel.plugins.host import PluginHost, Services
from kernel.plugins.reasons import reason_of
from kernel.plugins.setting_values import OwnedSetting, check_addresses, listener_addresses, read_settings
from kernel.plugins.storage import StoredForPlugins
from kernel.preparation import Preparation, SecondHalf
from kernel.rbac import DeclaredRoles
from kernel.registry import KERNEL, LoadedPlugin
from kernel.scope import scoped
from kernel.secrets.keyfile import ServerKey
from kernel.secrets.vault import SealedVault
from kernel.tenancy.directory import StoredDirectory
from kernel.tenancy.suspension import open_to_writing
from libs.coordination import PubSub
from libs.own_process import give_back_large_blocks
from libs.passwords import MEMORY_KIB
from libs.private_files import ScratchFolder

_log = get_logger("boot")
#: Services of plugins that ship, without which there is no server.
_NEEDED: frozenset[Any] = frozenset({BlobStore, Files, Metrics, PluginRecords, Readiness})


class Server:
    """One instance: its plugins, its database, its services, and the apps that answer once it has started."""

    app: Quart
    own_listeners: Mapping[str, Quart]

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock | None = None,
        extra_plugins: Sequence[Any] = (),
        admission: Admission | None = None,
        observer: Observer | None = None,
        password_memory_kib: int = MEMORY_KIB,
        services: Mapping[type[Any], Any] | None = None,
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
        engine = engine_in(self.registry, settings)
        self.registry.make_essential(engine)
        self.data = Database(
            engine,
            server_options(settings),
            audit_sink=self.trail.append,
            locked_read_of=self.trail.end_to_read,
            condition_of=open_to_writing,
            slow=SlowStatements(settings.log_slow_ms / 1000 or inf, self.registry.plugin_of),
        )
        self.rates = shared_rates(self.data, self.clock)
        self.life = ServerLife()
        self._passwords = Argon2Passwords(self.hooks.decide_password, memory_kib=password_memory_kib)
        self._scratch = ScratchFolder(settings.data / "scratch")
        self.background_works = background()
        self.pubsub = PubSub(self.data.pool.announcements, CHANNEL)
        self.streams = OpenStreams(self.life, self.background_works, settings.drain_seconds, self.data)
        self._offered = Services(self.registry)
        self._offered.offered |= services or {}
        #: The server's own: what is begun and announced there is no plugin's.
        self.host = PluginHost(
            KERNEL,
            data=self.data,
            clock=self.clock,
            settings=settings,
            setting_values=self.setting_values,
            services=self._offered,
            works=self.background_works,
            pubsub=self.pubsub,
        )
        self.host_of = cache(self.host.host_of)
        self.service = self.host.service
        self.pipeline = Pipeline(self.host)
        self.session_uses = SessionUses(self.data, self.clock)
        self._plugins_started = False
        self.own_metrics = KernelMetrics({**self.vault.measures()})

    def listener_addresses(self) -> Mapping[str, tuple[OwnedSetting, str]]:
        """Returns the setting and the address of each adapter that has its own; known before a start."""
        return listener_addresses(self.registry, self.setting_values)

    async def start(self) -> None:
        """Does everything between a configuration and the first request."""
        give_back_large_blocks()
        with scoped(background=True):
            await self._start()

    async def _start(self) -> None:
        await self.data.connect()
        try:
            preparation = Preparation(self.data, self.admission, self.clock, self.settings.version)
            await preparation.migrate()
            await preparation.prove()
            await self.vault.open(self.data)
            await record_restore(self.data)
            if not self.data.shared_by_processes:
                await release_abandoned_calls(self.data)
            await asyncio.to_thread(self._scratch.sweep)
            await self.pubsub.start()
            await self._offer_services()
            await self._start_plugins()
            await self.service(PluginRecords).record()
        except BaseException:
            await self._stop_plugins()
            await self.data.disconnect()
            raise
        await self.declared.start()
        if self.data.pool.replica is not None:
            self.host.background("watching the replica", self.data.pool.replica.follow)
        await self.rates.start()
        callers = self.rates.callers(API, self.settings.rate_limit)
        limiters = row_limiters(self.registry.routes(), self.rates) if self.settings.rate_limit else {}
        owners = {permission.name: owner for owner, permission in self.registry.owned(Permission)}
        others = OtherSignIns.of_plugins(self.hooks, self.registry, self.roles, self.host_of)
        known = KnownCallers(self.data, self.clock, self.roles, self.session_uses)
        self.registry.holds.follow(known.forget)
        authenticate = Authentication(self.settings, callers, limiters, owners, known, others)
        rows = Rows(
            self.registry.routes(),
            self.host_of,
            authenticate,
            self.streams,
            self._observer,
            held=self.registry.held("route"),
        )
        if (tracing := self.host.find_service(Tracing)) is not None:
            self.pipeline = TracedPipeline(self.host, tracing)
        applications = Applications(self.pipeline, rows, self.settings.trusted_proxies)
        for owner, adapter in self.registry.owned(Adapter):
            limit = adapter.rate_limit
            rates = callers if limit is None else self.rates.callers(adapter.name, self.host.setting(limit))
            applications.add(adapter, owner, self.host_of(owner), rates)
        self.app, self.own_listeners = applications.main(), applications.own
        self.host.background("noting when sessions are used", self.session_uses.run)
        self.host.background("ending event streams", self.streams.end_when_stopping)
        self.own_metrics.measures |= {
            **applications.measures,
            **self.streams.measures(),
            **refusal_measures(self.rates, limiters),
            **self.declared.measures(),
        }
        self.life.started.set()
        self.setting_values.warn()
        self.admission.warn()

    async def stop(self) -> None:
        self.life.stopping.set()
        await self.rates.stop()
        await self.declared.stop()
        await self._stop_plugins()
        await self.session_uses.flush()
        self._passwords.close()
        await self.data.disconnect()

    async def _start_plugins(self) -> None:
        """Starts the plugins; one that fails is taken out again: half-started it could answer anything."""
        self._plugins_started = True
        for gone in self._withdraw(await self.hooks.notify("on_start", self.host_of)):
            await self.background_works.end(gone.id)

    async def _stop_plugins(self) -> None:
        """Requests and jobs are over by now; background work ends before its plugin is told to stop."""
        await self.background_works.stop()
        if self._plugins_started:
            self._plugins_started = False
            await self.hooks.notify("on_stop", self.host_of, undoes="on_start")
        await self.pubsub.stop()

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

    async def _offer_services(self) -> None:
        self.declared = DeclaredServices(self.host, self.data, self.registry, self.roles, self.host_of)
        offered: dict[type[Any], Any] = {
            **services_of_instance(self.data, self.registry, self.vault, self.trail, self._passwords),
            DatabaseHealth: self.data,
            Directory: StoredDirectory(
                self.clock, self.streams.person_changed, self.declared.scheduler.signals.arrived
            ),
            KernelMetrics: self.own_metrics,
            PluginStorage: StoredForPlugins(self.clock),
            Roles: self.roles,
            SchemaUpgrade: SecondHalf(self.data, self.registry, self.clock, self.settings.version),
            Scratch: self._scratch,
            ServerLife: self.life,
            **self.declared.offered(),
        }
        self._offered.offered |= offered
        for plugin in sorted(self.registry.plugins, key=_needs_others):
            if plugin in self.registry:  # and not gone with one that it requires
                await self._make_services(plugin)
        self._offered.check(_NEEDED)

    async def _make_services(self, plugin: LoadedPlugin) -> None:
        try:
            async with asyncio.timeout(None if plugin.source == "builtin" else ON_TIMEOUT):
                for protocol, make in plugin.services.items():
                    made = make(self.host_of(plugin.id))
                    self._offered.offered[protocol] = await made if inspect.isawaitable(made) else made
        except (Exception, SystemExit) as error:
            if plugin.plugin.essential and isinstance(error, OperatorError):
                raise  # it says by itself why there is no server
            _log.error("plugin.hook_failed", exc=error, plugin=plugin.id, hook="declare_services")
            reason = f"declare_services failed: {reason_of(error, plugin.module)}"
            self._withdraw({plugin.id: reason})


def _needs_others(plugin: LoadedPlugin) -> bool:
    """Tells whether a plugin's services are made after those that every server has."""
    return not plugin.plugin.essential or bool(plugin.plugin.requires)
