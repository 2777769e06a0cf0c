"""Data that one plugin contributes and another accepts, by declare_contributions and declare_accepts."""

import importlib
import re
import sys
import textwrap
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path

import pytest

from guildhall_sdk import Accepts, InvalidRequest
from guildhall_sdk.services import Features
from kernel.faults import BootRefused
from kernel.identity.authenticate import principal_for
from kernel.plugins.admission import Admission
from kernel.plugins.discovery import given

pytestmark = pytest.mark.any_database

GUIDE = Path(__file__).resolve().parents[2] / "docs/plugins/hooks.md"


@dataclass(frozen=True)
class Recipe:
    name: str
    minutes: int = 1
    feature: str | None = None


@dataclass
class Loose:
    name: str


def check(recipe):
    if recipe.minutes < 0:
        raise InvalidRequest.at("/minutes", "must not be negative")
    return None if recipe.minutes / recipe.minutes else "never"


RECIPES = Accepts(type=Recipe, label="recipe", check=check, name=attrgetter("name"))


@pytest.fixture
def admit():
    """Lets plugins in, in this order, without a server; gives the registry and the reasons of those out."""

    def admit(*plugins):
        admission = Admission()
        admission.admit_all([given(plugin) for plugin in plugins])
        return admission.registry, {one.id: one.reason for one in admission.registry.refused}

    return admit


@pytest.fixture
def kitchen(make_plugin):
    return make_plugin("kitchen", accepts=[RECIPES])


@pytest.mark.parametrize("kitchen_first", [True, False])
def test_the_order_of_admission_does_not_matter(admit, make_plugin, kitchen, kitchen_first):
    soups = make_plugin("soups", contributions=[Recipe("tomato"), Recipe("leek")])
    pies = make_plugin("pies", contributions=[Recipe("apple")])
    bad = make_plugin("bad", contributions=[Recipe("fine"), Recipe("bad", -1)])
    plugins = [soups, pies, bad]
    registry, refused = admit(*([kitchen, *plugins] if kitchen_first else [*plugins, kitchen]))
    assert [(who, row.name) for who, row in registry.owned(Recipe)] == [
        ("soups", "tomato"),
        ("soups", "leek"),
        ("pies", "apple"),
    ]
    place = "declare_contributions[1], a Recipe"
    assert refused == {"bad": f"{place}: kitchen refuses this recipe: /minutes must not be negative"}


@pytest.mark.parametrize("kitchen_first", [True, False])
@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (Recipe("tomato"), "declare_contributions[0], a Recipe: the recipe tomato is soups's already"),
        (Recipe("zero", 0), "the check of kitchen failed on it: ZeroDivisionError: division by zero ("),
        (Loose("x"), "declare_contributions[0], a Loose must be a frozen dataclass"),
        ({"name": "x"}, "declare_contributions[0], a dict must be a frozen dataclass"),
        (Recipe, "declare_contributions[0], a type must be a frozen dataclass"),
    ],
)
def test_a_bad_one_keeps_its_author_out_and_nobody_else(
    admit, make_plugin, kitchen, row, reason, kitchen_first
):
    soups = make_plugin("soups", contributions=[Recipe("tomato")])
    toy = make_plugin("toy", contributions=[row])
    after = make_plugin("after", requires=["toy"])
    registry, refused = admit(
        *([kitchen, soups, toy, after] if kitchen_first else [soups, toy, after, kitchen])
    )
    assert reason in refused.pop("toy")
    assert refused == {"after": "requires toy, which is not loaded"}
    assert [row.name for _, row in registry.owned(Recipe)] == ["tomato"]


def test_a_type_that_nobody_accepts_is_refused_with_whose_it_looks_like(admit, make_plugin):
    toy = make_plugin("toy", contributions=[Recipe("tomato")])
    _, refused = admit(toy)
    assert refused["toy"].endswith(f"a Recipe: no plugin accepts {Recipe.__module__}.Recipe")
    _, refused = admit(make_plugin("plugin-loading", requires=["nowhere"]), toy)
    assert refused["toy"].endswith("; it looks like one of plugin-loading, which is quarantined")


def test_who_contributes_to_somebody_that_is_out_is_out_too(admit, make_plugin):
    """Its own contribution keeps the kitchen out, and then nobody accepts the recipes of the others."""
    kitchen = make_plugin("kitchen", accepts=[RECIPES], contributions=[Recipe("bad", -1)])
    for plugins in ((kitchen, "soups"), ("soups", kitchen)):
        soups = make_plugin("soups", contributions=[Recipe("tomato")])
        registry, refused = admit(*(soups if one == "soups" else one for one in plugins))
        assert registry.plugins == ()
        assert set(refused) == {"kitchen", "soups"}


def test_a_name_that_cannot_be_told_costs_its_author_alone(admit, make_plugin):
    accepts = Accepts(type=Recipe, label="recipe", name=lambda recipe: recipe.name.casefold())
    bad = make_plugin("bad", contributions=[Recipe(None)])
    kitchen = make_plugin("kitchen", accepts=[accepts], essential=True, contributions=[Recipe("stock")])
    registry, refused = admit(bad, kitchen)
    assert registry.plugin_ids() == {"kitchen"}
    assert "the check of kitchen failed on it: AttributeError" in refused["bad"]


@pytest.mark.parametrize("kitchen_first", [True, False])
def test_nobody_takes_the_name_of_another_plugin_where_it_is_the_plugins_id(
    admit, make_plugin, kitchen_first
):
    kitchen = make_plugin("kitchen", accepts=[replace(RECIPES, named_as_plugin=True)])
    bakers = [make_plugin(id, contributions=[Recipe("soup")]) for id in ("pirate", "soup")]
    registry, out = admit(*([kitchen, *bakers] if kitchen_first else [*bakers, kitchen]))
    assert {plugin.id for plugin in registry.plugins} == {"kitchen", "soup"}
    assert "must be named as its plugin, not soup" in out["pirate"]


def test_an_essential_author_with_a_bad_one_refuses_the_boot(admit, make_plugin, kitchen):
    bad = make_plugin("bad", essential=True, contributions=[Recipe("bad", -1)])
    for plugins in ((kitchen, bad), (bad, kitchen)):
        with pytest.raises(BootRefused, match="must not be negative"):
            admit(*plugins)


def test_a_type_is_accepted_by_one_plugin_and_is_a_frozen_dataclass(admit, make_plugin, kitchen):
    _, refused = admit(
        kitchen,
        make_plugin("other", accepts=[RECIPES]),
        make_plugin("twice", accepts=[Accepts(type=int, label="x")]),
        make_plugin("loose", accepts=[Accepts(type=Loose, label="x")]),
    )
    assert refused == {
        "other": "declare_accepts: kitchen accepts Recipe already",
        "twice": "declare_accepts: int must be a frozen dataclass",
        "loose": "declare_accepts: Loose must be a frozen dataclass",
    }


def test_a_contribution_behind_a_feature_that_nobody_declares_is_refused(admit, make_plugin, kitchen):
    _, refused = admit(kitchen, make_plugin("toy", contributions=[Recipe("tomato", feature="ghost")]))
    assert refused == {"toy": "Recipe tomato: nobody declares the feature ghost"}


@pytest.fixture
def example(tmp_path, monkeypatch):
    """The modules that the reference shows, by name."""
    files = re.findall(r"<!-- file: (\w+)\.py -->\n```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    for name, text in files:
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield lambda name: importlib.import_module(name)
    for name, _ in files:
        sys.modules.pop(name, None)


async def asked(hall, client, plugin_id):
    """What the guide shows of asking by oneself, for this plugin; None where it stopped there."""
    guide = (GUIDE.parent / "index.md").read_text("utf-8")
    text = re.search(r"work, ask:\n\n```python\n(.*?)```", guide, re.DOTALL)[1]
    text = text.replace('"greeter", "greetings"', repr(plugin_id))
    names = {"Features": Features}
    exec("def ask(host, principal):\n" + textwrap.indent(text, "    ") + "    return 'on'", names)
    async with hall.server.data.read() as reader:
        principal = await principal_for(reader, client.token, hall.clock.now_ms(), hall.server.roles)
    return names["ask"](hall.server, principal)


async def test_the_example_of_the_reference(open_hall, example):
    async with open_hall(example("guildhall_kitchen"), example("guildhall_soups")) as hall:

        async def menu(client):
            return (await client.get("/api/x/kitchen/menu")).json()

        assert await menu(hall.acme.member) == [{"name": "tomato soup", "by": "soups"}]
        assert await asked(hall, hall.acme.member, "soups") == "on"
        answer = await hall.acme.admin.post("/api/plugins/soups", {"enabled": False})
        assert answer.json() == {"id": "soups", "name": "Soups", "enabled": False}
        assert await menu(hall.acme.member) == []
        assert await asked(hall, hall.acme.member, "soups") is None
        assert await menu(hall.globex.member) == [{"name": "tomato soup", "by": "soups"}]
