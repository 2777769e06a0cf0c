"""A hall: a real server on a real socket, in this process, with people in it."""

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, closing, nullcontext
from itertools import count
from typing import Any

import httpx
from quart import Quart

from guildhall_sdk.plugin import Features
from guildhall_sdk.principal import Principal, TokenKind
from guildhall_sdk.services.identity import Credentials, NewToken
from guildhall_sdk.services.tenancy import Directory
from guildhall_sdk.tools import Tools
from guildhall_testing.accounts import principal_for
from guildhall_testing.client import Client, Wire
from guildhall_testing.clock import FakeClock
from guildhall_testing.draining import drain
from guildhall_testing.events import EventLog
from guildhall_testing.model import ScriptedModel
from guildhall_testing.people import PASSWORD, PASSWORD_MEMORY_KIB, Company, People, Team, add_person
from guildhall_testing.pull_worker import running_worker
from guildhall_testing.sites import DatabaseName, Site, Sites
from guildhall_testing.transport import LocalTransport
from guildhall_testing.watch import Watch
from kernel.boot import Server
from kernel.listening import bound_socket, connection_limits, listen
from kernel.registry import Registry
from kernel.secrets.keyfile import KEY_FILE


class PluginRefused(Exception):
    """A plugin that the test brought was not let in, and why."""


class Hall:
    """The running server, its clock and its callers."""

    def __init__(
        self,
        server: Server,
        wire: Wire,
        database: DatabaseName,
        people: People | None,
        model: ScriptedModel | None = None,
    ) -> None:
        self.server = server
        self.database = database
        self.clock = wire.clock
        self.watch = wire.watch
        self.base_url = server.settings.base_url
        self.anonymous = Client(wire)
        self.addresses: dict[str, str] = {}  # of the mounts that listen for themselves, by name
        self.events = EventLog(server.declared.outbox, server.declared.deliveries)
        self.spares: list[People] = []  # further operators and companies, where a hall was opened with some
        self.cache: dict[Any, Any] = {}  # what generated tests remember about this hall
        self._wire = wire
        self._model = model
        self._begun: ScriptedModel | None = None
        self._workers = count(1)
        if people is not None:
            self.acme = Company(wire, people.acme)
            self.globex = Company(wire, people.globex)
            self.operator = Client(wire, people.operator.token, people.operator)

    def seen_by_others(self) -> "Hall":
        """Returns this server with the next operator and companies to spare, whom nobody has met."""
        if self._model is not None:
            self._model.forget()
        hall = Hall(self.server, self._wire, self.database, self.spares.pop(), self._model)
        hall.addresses = self.addresses
        return hall

    @property
    def registry(self) -> Registry:
        return self.server.registry

    @property
    def host(self) -> Client:
        """Whoever provisions the tenant; only with `SERVICE_PROVISION_TOKEN`."""
        token = self.server.settings.provision_token
        if token is None:
            raise RuntimeError("this hall is not hosted; open it with SERVICE_PROVISION_TOKEN")
        return self.bearer(token)

    def bearer(self, token: str) -> Client:
        """Returns a client of whoever holds this token."""
        return Client(self._wire, token)

    async def join(
        self,
        team: Team | Company,
        role: str = "member",
        *,
        org_role: str | None = None,
        operator: bool = False,
        username: str | None = None,
    ) -> Client:
        """Adds somebody new, without a password, to a team of `acme` or `globex`."""
        async with self.server.data.write() as writer:
            person = await add_person(
                self.server.host,
                writer,
                org_id=team.owner.org_id,
                team_id=team.id,
                role=role,
                org_role=org_role,
                operator=operator,
                username=username,
            )
        return Client(self._wire, person.token, person)

    async def with_token(
        self,
        client: Client,
        *,
        scope: Sequence[str] | None = None,
        kind: TokenKind = "api",
        expires_at: int | None = None,
    ) -> Client:
        """Returns a client of this person with a further credential."""
        async with self.server.data.write() as writer:
            issued = await self.server.service(Credentials).issue(
                writer,
                NewToken(
                    kind=kind,
                    user_id=client.user_id,
                    team_id=client.team_id,
                    expires_at=expires_at,
                    scope=scope,
                ),
            )
        return client.bearing(issued.token)

    async def give_hostname(self, company: Company) -> str:
        """Gives a company the hostname `<slug>.example`; requests with it as `Host` are led there."""
        hostname = f"{company.slug}.example"
        async with self.server.data.write() as writer:
            await self.server.service(Directory).set_domain(writer, company.org_id, hostname)
        return hostname

    async def give_hostnames(self) -> None:
        """Gives both companies a hostname, for samples that are made where visitors come in."""
        for company in (self.acme, self.globex):
            await self.give_hostname(company)

    async def suspend(self, company: Company) -> None:
        await self._set_suspended(company, self.clock.now_ms())

    async def resume(self, company: Company) -> None:
        await self._set_suspended(company, None)

    async def _set_suspended(self, company: Company, at_ms: int | None) -> None:
        async with self.server.data.write() as writer:
            await self.server.service(Directory).set_suspended(writer, company.org_id, at_ms)

    async def drain_jobs(self) -> None:
        """Returns when nothing that is due waits for this server itself, and nothing runs in it.

        Events are delivered meanwhile, and so are those that their deliveries cause.
        """
        while True:
            for work in self.server.background_works.named("enqueueing jobs"):
                await work.wait()
            before = self.server.declared.fan_out.moved
            await drain(self.server.declared.scheduler)
            await self.server.declared.fan_out.move()
            enqueueing = self.server.background_works.named("enqueueing jobs")
            if self.server.declared.fan_out.moved == before and not enqueueing:
                return

    async def principal(self, client: Client) -> Principal:
        """Returns who holds the client's token, as services are told of them."""
        assert client.token is not None
        async with self.server.data.read() as reader:
            caller = await principal_for(reader, client.token, self.clock.now_ms(), self.server.roles)
        assert caller is not None
        return caller

    async def tool(self, name: str, /, *, as_: Client, **arguments: Any) -> Any:
        """Runs a tool for whoever holds the client's token; refusals are raised."""
        caller = await self.principal(as_)
        async with self.server.data.read() as reader:
            admitted = await self.server.service(Tools).admit(reader, caller, name, arguments)
        return await admitted.run()

    @property
    def model(self) -> ScriptedModel:
        """A model that says what the test wants; `open_hall(with_model=True)` makes it the instance's own."""
        if self._model is None:
            self._model = self._begun = ScriptedModel()
        return self._model

    async def close(self) -> None:
        """Ends what the test began beside the server."""
        if self._begun is not None:
            await self._begun.close()

    def run_worker(
        self, *kinds: str, slots: int = 1, with_model: bool = False
    ) -> AbstractAsyncContextManager[None]:
        """Runs a pull worker for all companies: `async with hall.run_worker():`.

        It works as long as the block lasts, for these remote kinds or all that have a worker; with
        `with_model` also turns of `hall.model`.
        """
        name = f"worker {next(self._workers)} of the test"
        return running_worker(self.server, name, kinds, slots, self.model if with_model else None)

    async def set_feature(self, team: Team | Company, name: str, enabled: bool) -> None:
        async with self.server.data.write() as writer:
            await self.server.service(Features).set(writer, team.id, name, enabled)

    @property
    def password(self) -> str:
        """Everybody's whom the hall began with; those who joined later have none."""
        return PASSWORD

    async def raw(self, sent: bytes, *, half_close: bool = False) -> bytes:
        """Returns what the server answers to these bytes until it hangs up."""
        host, _, port = self.base_url.removeprefix("http://").partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            writer.write(sent)
            await writer.drain()
            if half_close:
                writer.write_eof()
            return await reader.read(-1)
        except ConnectionError:
            return b""
        finally:
            writer.close()


@asynccontextmanager
async def open_hall(
    sites: Sites,
    database: DatabaseName,
    watch: Watch,
    plugins: Sequence[Any] = (),
    *,
    populated: bool = True,
    allow_refused: bool = False,
    with_model: bool = False,
    with_spares: bool = False,
    site: Site | None = None,
    **settings: str,
) -> AsyncIterator[Hall]:
    """Boots a server for as long as the block lasts; `settings` are `SERVICE_*` names and their text.

    A given plugin that is not let in raises `PluginRefused`, unless that is what the test is about.
    `with_model` makes `hall.model` the instance's own; `with_spares` gives it companies for many tests. With
    a `site` it is a server on that data.
    """
    data = nullcontext(site) if site else sites.lease(database, populated=populated, with_spares=with_spares)
    async with (
        data as leased,
        _served(sites, leased, watch, plugins, settings, with_model=with_model) as hall,
    ):
        if not allow_refused:
            _check_loaded(hall, [*sites.plugins, *plugins])
        yield hall


def _check_loaded(hall: Hall, plugins: Sequence[Any]) -> None:
    given = {plugin.PLUGIN.id for plugin in plugins}
    for status in hall.registry.refused:
        if status.id in given:
            raise PluginRefused(f"the plugin {status.id} is {status.status}: {status.reason}")


@asynccontextmanager
async def _served(
    sites: Sites,
    site: Site,
    watch: Watch,
    plugins: Sequence[Any],
    settings: dict[str, str],
    *,
    with_model: bool = False,
) -> AsyncIterator[Hall]:
    clock = FakeClock()
    listener = bound_socket("127.0.0.1:0")
    base_url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    async with AsyncExitStack() as stack:
        model = ScriptedModel() if with_model else None
        if model is not None:
            stack.push_async_callback(model.close)
            settings = {**model.settings(), **settings}
        stack.callback(listener.close)
        chosen = sites.settings(
            site, **{"SERVICE_BASE_URL": base_url, "SERVICE_S3_BIND": "127.0.0.1:0", **settings}
        )
        admission = sites.admission(chosen, plugins)
        server = Server(
            chosen,
            clock=clock,
            admission=admission,
            observer=watch.observe,
            password_memory_kib=PASSWORD_MEMORY_KIB,
        )
        _watch_for_secrets(watch, server)
        await server.start()
        stack.push_async_callback(server.stop)
        stopping, limits = server.life.stopping, connection_limits(server.settings.trusted_proxies)

        def served(app: Quart, own: socket.socket) -> "asyncio.Task[None]":
            secure = server.settings.secure
            return asyncio.create_task(listen(app, own, stopping, limits=limits, secure=secure))

        listening = [served(server.app, listener)]
        addresses = {}
        for name, (_, address) in server.listener_addresses().items():
            own = stack.enter_context(closing(bound_socket(address)))
            addresses[name] = f"http://127.0.0.1:{own.getsockname()[1]}"
            listening.append(served(server.own_listeners[name], own))
        stack.push_async_callback(_hang_up, server, listening, stopping)
        transport = LocalTransport()
        http = await stack.enter_async_context(
            httpx.AsyncClient(base_url=base_url, transport=transport, trust_env=False)
        )
        wire = Wire(http, transport, clock, watch, asyncio.get_running_loop())
        hall = Hall(server, wire, site.database, site.people, model)
        stack.push_async_callback(hall.close)
        hall.addresses, hall.spares = addresses, [*site.spares]
        yield hall


def _watch_for_secrets(watch: Watch, server: Server) -> None:
    """Watches the logs for the secrets that the hall is set up with."""
    settings = server.settings
    made = (settings.data / KEY_FILE).read_text("utf-8").strip()
    own = (text for setting, text in server.setting_values.texts.items() if setting.secret)
    for secret in (PASSWORD, made, settings.secret_key, settings.provision_token, *own):
        if secret:
            watch.add_secret(secret)


async def _hang_up(
    server: Server, listening: "Sequence[asyncio.Task[None]]", stopping: asyncio.Event
) -> None:
    stopping.set()
    await server.declared.scheduler.wind_down(0)
    await asyncio.gather(*listening)
