"""Hooks of a shop: checked before they are registered, and called one plugin at a time."""

from types import SimpleNamespace

import pluggy
import pytest

from libs.plugin_hooks import HookFailed, HookFault, Hooks, call_fault, specified_in

hookspec, hookimpl = pluggy.HookspecMarker("shop"), pluggy.HookimplMarker("shop")


class Specifications:
    @hookspec
    def declare_goods(self):
        """Plain."""

    @hookspec
    async def on_open(self, host):
        """Awaited."""

    @hookspec
    async def on_close(self, host):
        """Awaited."""


@hookimpl
def declare_goods():
    return ["bread"]


@hookimpl
async def on_open(host):
    return f"{host} is open"


@pytest.fixture
def hooks():
    return Hooks("shop", [Specifications])


def let_in(hooks, plugin_id, **functions):
    hooks.register(plugin_id, plugin_id, hooks.read(SimpleNamespace(**functions)))


def test_a_class_specifies_what_is_marked():
    assert specified_in(Specifications, "shop").keys() == {"declare_goods", "on_close", "on_open"}
    assert specified_in(Specifications, "other") == {}


def test_one_plugin_is_called_at_a_time_in_the_order_they_came(hooks):
    let_in(hooks, "baker", declare_goods=declare_goods, on_open=on_open)
    let_in(hooks, "dairy", on_open=on_open)
    assert hooks.implementers("on_open") == ["baker", "dairy"]
    assert hooks.call("declare_goods", "baker") == [["bread"]]
    assert hooks.call("declare_goods", "dairy") == []


@hookimpl
async def fail(host):
    raise ValueError(host)


async def test_all_are_awaited_whoever_fails_and_what_began_well_is_undone_backwards(hooks):
    order = []

    @hookimpl
    async def on_close(host):
        order.append(host)

    for plugin_id, begin in (("baker", on_open), ("dairy", fail), ("grocer", on_open)):
        let_in(hooks, plugin_id, on_open=begin, on_close=on_close)
    done = set()
    opening = hooks.call_each("on_open", 5, lambda plugin_id: {"host": plugin_id}, done=done)
    failed = [one async for one in opening]
    assert [(plugin_id, str(error)) for plugin_id, error in failed] == [("dairy", "dairy")]
    closing = hooks.call_each(
        "on_close", 5, lambda plugin_id: {"host": plugin_id}, done=done, undoes="on_open"
    )
    assert [one async for one in closing] == []
    assert order == ["grocer", "baker"]


async def test_the_first_answer_counts_and_a_failure_is_none(hooks):
    let_in(hooks, "silent", on_open=hookimpl(awaited_of))
    let_in(hooks, "baker", on_open=on_open)
    assert await hooks.first_answer("on_open", 5, lambda one: {"host": "shop"}) == ("baker", "shop is open")
    let_in(hooks, "dairy", on_open=hookimpl(tryfirst=True)(refusing))
    with pytest.raises(KeyError):
        await hooks.first_answer("on_open", 5, lambda one: {"host": "shop"}, (KeyError,))
    with pytest.raises(HookFailed) as failed:
        await hooks.first_answer("on_open", 5, lambda one: {"host": "shop"})
    assert failed.value.plugin_id == "dairy"


async def awaited_of(host):
    """Returns nothing."""


async def refusing(host):
    raise KeyError(host)


def test_a_copy_takes_in_more_alone(hooks):
    let_in(hooks, "baker", declare_goods=declare_goods)
    copied = hooks.copy()
    let_in(copied, "dairy", declare_goods=declare_goods)
    assert hooks.implementers("declare_goods") == ["baker"]
    assert copied.implementers("declare_goods") == ["baker", "dairy"]


async def awaited():
    """Returns nothing."""


async def unmarked(host):
    """Returns nothing."""


@pytest.mark.parametrize(
    ("functions", "reason"),
    [
        ({"on_open": hookimpl(lambda host: None)}, "on_open must be async"),
        ({"declare_goods": hookimpl(awaited)}, "must be a plain function"),
        ({"on_open": unmarked}, "lacks the @hookimpl mark"),
        ({"declare_goods": hookimpl(lambda price: [])}, "unknown argument 'price'; it takes no arguments"),
        ({"declare_goods": hookimpl(wrapper=True)(lambda: (yield))}, "cannot be wrapped"),
    ],
)
def test_what_is_wrong_is_said_before_it_is_registered(hooks, functions, reason):
    with pytest.raises(HookFault, match=reason):
        hooks.read(SimpleNamespace(**functions))


def test_a_slip_is_told_from_a_hook_of_somebody_absent(hooks):
    let_in(hooks, "slip", declare_good=declare_goods)
    let_in(hooks, "guest", declare_songs=declare_goods)
    with pytest.raises(HookFault, match="did you mean declare_goods"):
        hooks.implemented_by("slip")
    assert hooks.implemented_by("guest") == {"declare_songs"}


def test_a_function_is_tried_before_it_is_called():
    assert call_fault(lambda host: None, ("host",)) is None
    assert call_fault(len, ("items",)) is None
    assert call_fault("open", ("host",)) == "must be a function"
    assert call_fault(lambda: None, ("host",)).startswith("is called with (host): ")
