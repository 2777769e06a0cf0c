"""Between admission and the first request: migrations, `on_start`, and what the server cannot do without."""

import asyncio
from importlib import import_module
from pkgutil import walk_packages

import pytest

import guildhall_sdk
from guildhall_sdk import Feature, JobKind, Reply, Route, Statement, Tool
from guildhall_sdk.dimensions import Dimension, Quotas
from guildhall_sdk.plugin import Features
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.tenancy import Directory
from guildhall_sdk.settings import Preferences
from guildhall_sdk.tools import Tools
from kernel.declarations.kinds import KERNEL_SERVICES
from kernel.faults import BootRefused
from tests.raising import raising, raising_async


class Offer:
    """A service of one plugin."""


class Other:
    """And of another."""


async def _answer(call):
    return Reply({"toy": True})


async def _tool(reader, principal, arguments):
    return "toy"


@pytest.fixture
def toy(make_plugin):
    """A plugin that brings one of everything, and what the test adds."""

    def make(plugin_id="toy", **more):
        return make_plugin(
            plugin_id,
            routes=[Route("GET", f"/api/{plugin_id}", "answer", "A toy", feature=f"{plugin_id}s")],
            handlers={"answer": _answer},
            features=[Feature(f"{plugin_id}s", "Toys")],
            tools=[Tool(f"{plugin_id}_tool", "A toy", "search", _tool)],
            **more,
        )

    return make


def _migrations(folder, **files):
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.sql").write_text(text)
    return folder


async def test_a_failing_migration_puts_the_plugin_in_quarantine(open_with, toy, expect_out, tmp_path):
    migrations = _migrations(
        tmp_path / "m",
        **{
            "0001_good": "CREATE TABLE toys_kept (id $ID PRIMARY KEY);",
            "0002_bad": "CREATE TABLE toys_lost (id $ID PRIMARY KEY); INSERT INTO nowhere VALUES (1);",
        },
    )
    async with open_with(toy(migrations=migrations)) as hall:
        await expect_out(hall, "toy", "toy: 0002_bad.sql failed: ")
        async with hall.server.data.read() as reader:
            ledger = await reader.all(_sql("SELECT number FROM schema_ledger WHERE owner = 'toy'"))
            assert [row["number"] for row in ledger] == [1]
            assert await reader.all(_sql("SELECT * FROM toys_kept")) == []


def _sql(text):
    return Statement("probe", text, text)


@pytest.mark.hall_databases("sqlite")
async def test_what_requires_a_plugin_that_cannot_migrate_goes_with_it(open_with, toy, tmp_path):
    base = toy("base", migrations=_migrations(tmp_path / "m", **{"0001_bad": "CREATE NONSENSE;"}))
    middle, last = toy("middle", requires=["base"]), toy("last", requires=["middle", "base"])
    async with open_with(base, middle, last) as hall:
        listed = (await hall.operator.get("/api/plugins")).json()["items"]
        reasons = {one["id"]: one["reason"] for one in listed if one["status"] == "quarantined"}
        assert reasons["base"].startswith("base: 0001_bad.sql failed: ")
        assert reasons["middle"] == "requires base, which is not loaded"
        assert reasons["last"] in {
            "requires middle, which is not loaded",
            "requires base, which is not loaded",
        }
        for name in ("base", "middle", "last"):
            assert (await hall.acme.owner.get(f"/api/{name}")).status_code == 404


@pytest.mark.hall_databases("sqlite")
async def test_a_failing_on_start_puts_the_plugin_in_quarantine(open_with, toy, expect_out):
    on_start = raising_async(RuntimeError("the toys are not here"))
    async with open_with(toy(on_start=on_start)) as hall:
        await expect_out(hall, "toy", "on_start failed: RuntimeError: the toys are not here (raising.py:")


@pytest.mark.hall_databases("sqlite")
async def test_an_on_start_that_hangs_is_given_up(open_with, toy, expect_out, monkeypatch):
    monkeypatch.setattr("kernel.plugins.hooks.ON_TIMEOUT", 1)

    async def on_start(host):
        await asyncio.Event().wait()

    async with open_with(toy(on_start=on_start)) as hall:
        await expect_out(hall, "toy", "on_start failed: TimeoutError")


@pytest.mark.hall_databases("sqlite")
async def test_a_failing_on_start_stops_nobody_else(open_with, make_plugin):
    told = []

    def teller(name, fails=False):
        async def on_start(host):
            told.append(name)
            if fails:
                raise SystemExit(name)

        return make_plugin(name, on_start=on_start)

    async with open_with(teller("one"), teller("two", fails=True), teller("three")) as hall:
        assert told == ["one", "two", "three"]
        assert hall.registry.plugin_ids() >= {"one", "three"}
        assert "two" not in hall.registry.plugin_ids()


def kernel_services():
    """The protocols of the kernel's services."""
    modules = [import_module(one.name) for one in walk_packages(guildhall_sdk.__path__, "guildhall_sdk.")]
    own = {one for module in modules for one in vars(module).values() if isinstance(one, type)}
    return [one for one in own if one.__module__ != "guildhall_sdk" and one.__name__ in KERNEL_SERVICES]


@pytest.mark.hall_databases("sqlite")
async def test_what_others_took_hold_of_outlives_a_plugin_that_failed(open_with, toy, make_plugin):
    held, others = {}, (Offer, Preferences, Quotas, Tools)

    async def take_hold(host):
        held.update({protocol: host.service(protocol) for protocol in (*kernel_services(), *others)})

    async def fail(host):
        raise RuntimeError("no")

    steady = make_plugin("steady", on_start=take_hold, services={Offer: lambda host: Offer()})
    failing = toy(
        on_start=fail,
        services={Other: lambda host: Other()},
        job_kinds=[JobKind("x.toy.job", "A toy.", handler=_answer)],
        dimensions=[Dimension("toy.things", "Things", "stock")],
    )
    async with open_with(steady, failing) as hall:
        assert {protocol: hall.server.service(protocol) for protocol in held} == held
        async with hall.server.data.read() as reader:
            tools = [tool["name"] for tool in await held[Tools].listing(reader, hall.acme.id)]
            features = [one["name"] for one in await held[Features].listing(reader, hall.acme.id)]
        assert ("toy_tool" in tools, "toys" in features) == (False, False)
        assert "x.toy.job" not in [kind.name for kind in held[Jobs].kinds()]
        assert "toy.things" not in [one.name for one in held[Quotas].dimensions()]
        assert hall.server.host.find_service(Other) is None


_no_offer = raising(RuntimeError("nothing to offer"))


@pytest.mark.hall_databases("sqlite")
async def test_a_service_that_cannot_be_made_puts_its_plugin_in_quarantine(open_with, toy, expect_out):
    started = []

    async def on_start(host):
        started.append(host)

    without_offer = toy(services={Other: lambda host: Other(), Offer: _no_offer}, on_start=on_start)
    async with open_with(without_offer, toy("next", requires=["toy"], on_start=on_start)) as hall:
        await expect_out(hall, "toy", "declare_services failed: RuntimeError: nothing to offer (raising.py:")
        await expect_out(hall, "next", "requires toy, which is not loaded")
        assert (hall.server.host.find_service(Other), hall.server.host.find_service(Offer)) == (None, None)
        assert started == []


@pytest.mark.hall_databases("sqlite")
async def test_an_essential_plugin_whose_service_cannot_be_made_refuses_the_boot(open_with, make_plugin):
    with pytest.raises(BootRefused, match=r"the plugin toy cannot .*: declare_services failed: RuntimeError"):
        async with open_with(make_plugin(essential=True, services={Offer: _no_offer})):
            pass


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize(("taken", "provider"), [(Features, "the kernel"), (Offer, "first")])
async def test_a_service_has_one_provider(open_with, make_plugin, expect_out, taken, provider):
    first = make_plugin("first", services={Offer: lambda host: Offer()})
    second = make_plugin("second", services={taken: lambda host: object()})
    async with open_with(first, second) as hall:
        (status,) = [one for one in hall.registry.refused if one.id == "second"]
        assert status.reason == (
            f"the service {taken.__name__} is declared by second, but {provider} provides it already"
        )
        assert (await hall.acme.member.get("/api/notes")).status_code == 200


@pytest.mark.hall_databases("sqlite")
async def test_every_service_of_the_kernel_is_known_to_be_its_own(hall):
    offered = {protocol for plugin in hall.registry.plugins for protocol in plugin.services}
    own = set(hall.server._offered.offered) - offered
    assert own == set(kernel_services())
    assert {protocol.__name__ for protocol in own} == KERNEL_SERVICES


@pytest.mark.hall_databases("sqlite")
async def test_on_start_finds_a_migrated_database_and_every_service(open_with, make_plugin, tmp_path):
    seen = {}

    async def on_start(host):
        async with host.data.read() as reader:
            seen["rows"] = await reader.all(_sql("SELECT * FROM toys"))
            seen["users"] = await host.service(Directory).has_users(reader)
        seen["features"] = host.service(Features)
        seen["now"] = host.clock.now_ms()

    migrations = _migrations(tmp_path / "m", **{"0001_toys": "CREATE TABLE toys (id $ID PRIMARY KEY);"})
    async with open_with(make_plugin(migrations=migrations, on_start=on_start)) as hall:
        assert (seen["rows"], seen["users"], seen["now"]) == ([], True, hall.clock.now_ms())


# What the server needs.


def _routes(*rows):
    return [Route("GET", path, "answer", "A toy") for path in rows]


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize(
    ("faults", "message"),
    [
        (
            {"routes": _routes("/api/whoami"), "handlers": {"answer": _answer}},
            "row GET /api/whoami: identity has rows below /api/whoami",
        ),
        ({"routes": _routes("/api/toy")}, "row GET /api/toy: there is no handler named answer"),
        ({"handlers": {"spare": _answer}}, "the handler spare has no row"),
        ({"requires": ["nowhere"]}, "requires nowhere, which is not loaded"),
    ],
)
async def test_an_essential_plugin_with_a_fault_refuses_the_boot(open_with, make_plugin, faults, message):
    with pytest.raises(BootRefused) as refused:
        async with open_with(make_plugin(essential=True, **faults)):
            pass
    assert str(refused.value).startswith("the plugin toy cannot be loaded and the server needs it: ")
    assert message in str(refused.value)


@pytest.mark.hall_databases("sqlite")
async def test_an_essential_plugin_that_cannot_migrate_refuses_the_boot(open_with, make_plugin, tmp_path):
    migrations = _migrations(tmp_path / "m", **{"0001_bad": "CREATE NONSENSE;"})
    with pytest.raises(BootRefused, match=r"the plugin toy cannot .*: toy: 0001_bad.sql failed"):
        async with open_with(make_plugin(essential=True, migrations=migrations)):
            pass


@pytest.mark.hall_databases("sqlite")
async def test_an_essential_plugin_that_cannot_start_refuses_the_boot(open_with, make_plugin):
    async def on_start(host):
        raise RuntimeError("no")

    with pytest.raises(BootRefused, match=r"the plugin toy cannot .*: on_start failed: RuntimeError: no"):
        async with open_with(make_plugin(essential=True, on_start=on_start)):
            pass


@pytest.mark.hall_databases("sqlite")
async def test_an_essential_plugin_whose_requirement_fails_refuses_the_boot(open_with, make_plugin):
    async def on_start(host):
        raise RuntimeError("no")

    base = make_plugin("base", on_start=on_start)
    with pytest.raises(BootRefused, match=r"the plugin toy cannot .*: requires base, which is not loaded"):
        async with open_with(base, make_plugin("toy", essential=True, requires=["base"])):
            pass


@pytest.mark.hall_databases("sqlite")
async def test_an_essential_directory_plugin_refuses_the_boot_too(folder, open_with):
    folder.write("toy", "@hookimpl\ndef declare_tools():\n    return [1]\n", essential=True)
    with pytest.raises(BootRefused, match="declare_tools must give Tool rows, not int"):
        async with open_with():
            pass


# One manager per app.


@pytest.mark.hall_databases("sqlite")
async def test_two_halls_with_different_plugins_do_not_see_each_other(open_hall, toy):
    async with open_hall(toy("red")) as one, open_hall(toy("blue")) as other:
        assert (await one.acme.member.get("/api/red")).status_code == 200
        assert (await one.acme.member.get("/api/blue")).status_code == 404
        assert (await other.acme.member.get("/api/blue")).status_code == 200
        assert (await other.acme.member.get("/api/red")).status_code == 404
        assert one.server.admission.hooks is not other.server.admission.hooks
        tools = [
            {tool["name"] for tool in (await hall.acme.member.get("/api/tools")).json()["items"]}
            for hall in (one, other)
        ]
        assert "red_tool" in tools[0]
        assert "red_tool" not in tools[1]
        assert "blue_tool" in tools[1]


_SAID = (
    "postgresql://bob:{0}@db/x",
    "cannot connect with password={0}",
    "password '{0}' was refused",
    "the password {0} was refused",
    "https://{0}@index.example/simple",
    "https://api.example/?token={0}",
)


@pytest.mark.hall_databases("sqlite")
async def test_why_a_plugin_is_out_is_for_operators_and_without_secrets(open_with, toy, hall_watch):
    canary = "hunter2hunter2"
    hall_watch.add_secret(canary)  # in no log either

    def failing(number, said):
        async def on_start(host):
            raise RuntimeError(said.format(canary))

        return toy(f"toy{number}", on_start=on_start)

    async def reasons(client):
        answer = await client.get("/api/plugins")
        assert canary not in answer.text
        out = [one for one in answer.json()["items"] if one["status"] == "quarantined"]
        assert len(out) == len(_SAID)
        return [one["reason"] for one in out]

    async with open_with(*(failing(*one) for one in enumerate(_SAID))) as hall:
        for who in ("viewer", "admin", "owner", "org_owner"):
            assert set(await reasons(hall.acme[who])) == {None}
        narrowed = await hall.with_token(hall.operator, scope=["notes:read"])
        assert set(await reasons(narrowed)) == {None}
        for reason in await reasons(hall.operator):
            assert "RuntimeError" in reason
            assert "[redacted]" in reason
