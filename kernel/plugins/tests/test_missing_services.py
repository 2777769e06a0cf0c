"""A service that may not be there, and what to do about one that is not."""

import asyncio

import pytest

from guildhall_sdk.context import ServiceMissing
from guildhall_sdk.plugin import Features
from kernel import boot
from kernel.faults import BootRefused

pytestmark = pytest.mark.hall_databases("sqlite")


class Offer:
    """A service of one plugin."""


@pytest.fixture
def ask(make_plugin):
    """`ask()`: a plugin that asks for the offer in its `on_start`; `plugin.host` is what it asked."""

    def ask(plugin_id="asking", **more):
        async def on_start(host):
            plugin.host = host
            host.service(Offer)

        plugin = make_plugin(plugin_id, on_start=on_start, **more)
        return plugin

    return ask


def reason_of(hall, plugin_id):
    (status,) = [one for one in hall.registry.refused if one.id == plugin_id]
    return status.reason


async def test_what_nobody_offers_is_named_with_what_to_do(open_with, ask):
    plugin = ask()
    async with open_with(plugin) as hall:
        assert (
            "ServiceMissing: asking asks for the service Offer, which no loaded plugin offers: load the one "
            "that does and let asking require it, or take it by find_service, which gives None"
        ) in reason_of(hall, "asking")
        assert plugin.host.find_service(Offer) is None
        assert plugin.host.find_service(Features) is plugin.host.service(Features)


async def test_what_a_plugin_in_quarantine_offered_names_the_plugin(open_with, make_plugin, ask):
    async def fail(host):
        raise RuntimeError("no")

    broken = make_plugin("broken", services={Offer: lambda host: Offer()}, on_start=fail)
    async with open_with(broken, make_plugin("other")) as hall:
        with pytest.raises(
            ServiceMissing, match="of the plugin broken, which is not loaded: GET /api/plugins says why"
        ):
            hall.server.host_of("other").service(Offer)


async def test_what_is_made_later_says_whom_to_require(open_with, make_plugin):
    early = {}

    def make_early(host):
        early["found"] = host.find_service(Offer)
        with pytest.raises(ServiceMissing) as missing:
            host.service(Offer)
        early["said"] = str(missing.value)
        return object()

    class Early:
        pass

    first = make_plugin("first", services={Early: make_early})
    async with open_with(first, make_plugin("second", services={Offer: lambda host: Offer()})):
        assert early["found"] is None
        assert early["said"] == (
            "first asks for the service Offer before it is made: let first require second, which offers it"
        )


async def test_a_service_that_takes_its_time_is_there_before_anybody_asks(open_with, make_plugin, ask):
    async def make(host):
        await asyncio.sleep(0)
        return Offer()

    plugin = ask(requires=["offering"])
    async with open_with(make_plugin("offering", services={Offer: make}), plugin):
        assert isinstance(plugin.host.service(Offer), Offer)


async def test_a_service_that_never_comes_puts_its_plugin_in_quarantine(open_with, make_plugin, monkeypatch):
    monkeypatch.setattr(boot, "ON_TIMEOUT", 0.05)

    async def make(host):
        await asyncio.Event().wait()

    async with open_with(make_plugin("offering", services={Offer: make})) as hall:
        assert reason_of(hall, "offering").startswith("declare_services failed: TimeoutError")


@pytest.mark.parametrize(
    ("plugin_id", "service"), [("metrics", "Metrics"), ("operations", "PluginRecords, Readiness")]
)
async def test_a_server_that_lacks_a_service_of_ours_names_it_and_who_is_out(open_with, plugin_id, service):
    reason = (
        f"no loaded plugin offers {service}, which the server needs; "
        f"not loaded: .*{plugin_id} is blocked: blocked by SERVICE_PLUGINS_BLOCKED"
    )
    with pytest.raises(BootRefused, match=reason):
        async with open_with(SERVICE_PLUGINS_BLOCKED=plugin_id):
            pass


async def test_a_server_whose_pages_nobody_serves_names_who_is_blocked(open_with):
    with pytest.raises(BootRefused, match="not Pages; files may make rows of it and is blocked"):
        async with open_with(SERVICE_PLUGINS_BLOCKED="files"):
            pass
