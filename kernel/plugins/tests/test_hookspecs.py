"""Hooks that one plugin brings and others implement, by declare_hooks."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import pytest

from guildhall_sdk import Factory, InvalidRequest, Route, Statement, UserError
from guildhall_sdk.hooks import checked, declares, hookspec
from guildhall_sdk.plugin import TeamContent
from guildhall_sdk.retention import RetainedByTeams
from guildhall_sdk.services.jobs import TurnRunner
from guildhall_sdk.services.stored_objects import VersionsInUse
from kernel.faults import BootRefused
from kernel.plugins.admission import Admission
from kernel.plugins.discovery import discover, given
from kernel.plugins.hooks import HookRunner

pytestmark = pytest.mark.any_database


@dataclass(frozen=True)
class Recipe:
    name: str
    minutes: int = 1
    feature: str | None = None
    permission: str | None = None
    cook: object = None


@dataclass
class Loose:
    name: str


def check(recipe, declarer):
    if recipe.minutes < 0:
        raise InvalidRequest.at("/minutes", "must not be negative")
    return None if recipe.minutes / recipe.minutes else "never"


def hooks_of(kind=Recipe, label="recipe", hook="declare_recipes", **more):
    def spec(self): ...

    spec.__qualname__ = f"KitchenHooks.{hook}"
    return type("KitchenHooks", (), {hook: declares(kind, label=label, **more)(spec)})


RECIPES = checked(
    hooks_of(name=attrgetter("name"), functions={"cook": ("pot", "fire")}), declare_recipes=check
)


@pytest.fixture
def admit():
    """Lets plugins in, in this order, without a server; gives the registry and the reasons of those out."""

    def admit(*plugins):
        admission = Admission([given(plugin) for plugin in plugins])
        return admission.registry, {one.id: one.reason for one in admission.registry.refused}

    return admit


@pytest.fixture
def kitchen(make_plugin):
    return make_plugin("kitchen", hooks=[RECIPES])


@pytest.mark.parametrize("kitchen_first", [True, False])
def test_the_order_of_admission_does_not_matter(admit, make_plugin, kitchen, kitchen_first):
    soups = make_plugin("soups", recipes=[Recipe("tomato"), Recipe("leek")])
    pies = make_plugin("pies", recipes=[Recipe("apple")])
    bad = make_plugin("bad", recipes=[Recipe("fine"), Recipe("bad", -1)])
    plugins = [soups, pies, bad]
    registry, refused = admit(*([kitchen, *plugins] if kitchen_first else [*plugins, kitchen]))
    assert [(who, row.name) for who, row in registry.owned(Recipe)] == [
        ("soups", "tomato"),
        ("soups", "leek"),
        ("pies", "apple"),
    ]
    assert refused == {
        "bad": "declare_recipes[1]: kitchen refuses this recipe: /minutes must not be negative"
    }


async def cooked(pot):
    return pot


@pytest.mark.parametrize("kitchen_first", [True, False])
@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (Recipe("tomato"), "the recipe tomato is declared twice, by soups too"),
        (Recipe("zero", 0), "the check of kitchen failed on it: ZeroDivisionError: division by zero ("),
        (Recipe("leek", permission="stove"), "recipe leek: there is no permission stove"),
        (Recipe("leek", cook=cooked), "Recipe leek: its cook is called with (pot, fire): too many"),
        (Loose("x"), "declare_recipes must give Recipe rows, not Loose"),
        (Recipe, "declare_recipes must give Recipe rows, not type"),
    ],
)
def test_a_bad_one_keeps_its_author_out_and_nobody_else(
    admit, make_plugin, kitchen, row, reason, kitchen_first
):
    soups = make_plugin("soups", recipes=[Recipe("tomato")])
    toy = make_plugin("toy", recipes=[row])
    after = make_plugin("after", requires=["toy"])
    registry, refused = admit(
        *([kitchen, soups, toy, after] if kitchen_first else [soups, toy, after, kitchen])
    )
    assert reason in refused.pop("toy")
    assert refused == {"after": "requires toy, which is not loaded"}
    assert [row.name for _, row in registry.owned(Recipe)] == ["tomato"]


def notices(registry):
    return {one.id: one.reason for one in registry.statuses() if one.status == "loaded"}


def test_who_implements_a_hook_of_an_absent_plugin_is_in_and_says_so(admit, make_plugin):
    toy = make_plugin("toy", recipes=[Recipe("tomato")])
    registry, refused = admit(toy, make_plugin("plain"))
    assert refused == {}
    notice = "declare_recipes: no loaded plugin owns this hook, so nothing of it is used"
    assert notices(registry) == {"toy": notice, "plain": None}
    _, refused = admit(make_plugin("toy", recipes=[Recipe("tomato")], requires=["kitchen"]))
    assert refused == {"toy": "requires kitchen, which is not loaded"}


def test_who_implements_a_hook_of_a_plugin_that_is_refused_is_in_and_says_so(admit, make_plugin):
    """Its own row keeps the kitchen out, and then nobody uses the recipes of the others."""
    kitchen = make_plugin("kitchen", hooks=[RECIPES], recipes=[Recipe("bad", -1)])
    for plugins in ((kitchen, "soups"), ("soups", kitchen)):
        soups = make_plugin("soups", recipes=[Recipe("tomato")])
        registry, refused = admit(*(soups if one == "soups" else one for one in plugins))
        assert set(refused) == {"kitchen"}
        assert "no loaded plugin owns this hook" in notices(registry)["soups"]


async def test_the_commands_say_what_is_implemented_in_vain(folder, command):
    home = folder.write("toy", "@hookimpl\ndef declare_recipes():\n    return [1]\n")
    for words in (("plugin", "check", str(home)), ("plugin", "list"), ("doctor",)):
        _, printed = await command(*words)
        assert "declare_recipes: no loaded plugin owns this hook, so nothing of it is used" in printed, words


@pytest.mark.hall_databases("sqlite")
async def test_the_notice_stands_in_the_list_of_plugins_and_in_the_log(open_hall, make_plugin, caplog):
    async with open_hall(make_plugin(recipes=[Recipe("tomato")])) as hall:
        listed = (await hall.operator.get("/api/plugins")).json()["items"]
        (toy,) = [one for one in listed if one["id"] == "toy"]
    assert toy["status"] == "loaded"
    assert toy["reason"].startswith("declare_recipes: no loaded plugin owns this hook")
    assert "plugin.hook_without_owner" in caplog.text


def test_a_slip_in_the_name_of_a_hook_is_told_from_a_hook_of_somebody_absent(admit, make_plugin, kitchen):
    _, refused = admit(kitchen, make_plugin("toy", recipies=[]))
    assert refused["toy"].startswith("there is no hook named declare_recipies; did you mean declare_recipes?")
    meant = make_plugin("toy", recipies=[])
    meant.declare_recipies.guildhall_impl["optionalhook"] = True
    registry, refused = admit(kitchen, meant)
    assert refused == {}
    assert "declare_recipies" in notices(registry)["toy"]


def shelf_rows(recipe, plugin_id):
    """Makes rows, and a factory for them, of a recipe among the rows of a plugin."""
    if recipe.minutes < 0:
        raise UserError(f"{recipe.name} takes time")

    async def read(call):
        return recipe.name

    async def make(client, canary):
        return "1"

    yield Route("GET", f"/api/{plugin_id}/{recipe.name}/:page", read, "Read it")
    yield Factory(f"/api/{plugin_id}/{recipe.name}/:page", make, tenant=False)


def test_a_type_among_the_rows_of_others_stands_for_rows_of_theirs(admit, make_plugin):
    hooks = type("ShelfRows", (), {"row_makers": {Recipe: shelf_rows}})
    shelf, again = make_plugin("shelf", hooks=[hooks]), type("Again", (), {"row_makers": {Recipe: list}})
    cook, bad = make_plugin("cook", routes=[Recipe("soup")]), make_plugin("bad", routes=[Recipe("stew", -1)])
    registry, refused = admit(cook, bad, shelf, make_plugin("pirate", hooks=again))
    assert [bound.name for bound in registry.routes()] == ["GET /api/cook/soup/:page"]
    assert [factory.at for factory in registry.declared(Factory)] == ["/api/cook/soup/:page"]
    assert refused == {
        "bad": "stew takes time",
        "pirate": "declare_hooks: rows of Recipe are made by another plugin already",
    }
    _, refused = admit(cook)
    assert refused == {"cook": "declare_routes must give Route rows, not Recipe"}


def test_a_name_that_cannot_be_told_costs_its_author_alone(admit, make_plugin):
    hooks = hooks_of(name=lambda recipe: recipe.name.casefold())
    bad = make_plugin("bad", recipes=[Recipe(None)])
    kitchen = make_plugin("kitchen", hooks=[hooks], essential=True, recipes=[Recipe("stock")])
    registry, refused = admit(bad, kitchen)
    assert registry.plugin_ids() == {"kitchen"}
    assert "the check of kitchen failed on it: AttributeError" in refused["bad"]


@pytest.mark.parametrize("kitchen_first", [True, False])
def test_nobody_takes_the_name_of_another_plugin_where_it_is_the_plugins_id(
    admit, make_plugin, kitchen_first
):
    kitchen = make_plugin("kitchen", hooks=hooks_of(name=attrgetter("name"), named_as_plugin=True))
    bakers = [make_plugin(id, recipes=[Recipe("soup")]) for id in ("pirate", "soup")]
    registry, out = admit(*([kitchen, *bakers] if kitchen_first else [*bakers, kitchen]))
    assert {plugin.id for plugin in registry.plugins} == {"kitchen", "soup"}
    assert "must be named as its plugin, not soup" in out["pirate"]


def test_an_essential_author_with_a_bad_one_refuses_the_boot(admit, make_plugin, kitchen):
    bad = make_plugin("bad", essential=True, recipes=[Recipe("bad", -1)])
    for plugins in ((kitchen, bad), (bad, kitchen)):
        with pytest.raises(BootRefused, match="must not be negative"):
            admit(*plugins)


class Annotated:
    @hookspec
    def declare_recipes(self) -> Sequence[Recipe]: ...


def too_long(recipe, declarer):
    return "too long" if recipe.minutes > 60 else None


def test_a_hookspec_says_its_rows_by_its_annotation(admit, make_plugin):
    kitchen = make_plugin("kitchen", hooks=checked(Annotated, declare_recipes=too_long))
    soup = make_plugin("soup", recipes=[Recipe("tomato", 20)])
    stew = make_plugin("stew", recipes=[Recipe("goulash", 20), Recipe("beef", 90)])
    registry, refused = admit(soup, stew, kitchen)
    assert [recipe.name for recipe in registry.declared(Recipe)] == ["tomato"]
    assert refused == {"stew": "declare_recipes[1]: kitchen refuses this recipe: too long"}


class Unmarked:
    @hookspec
    def declare_pans(self): ...


class Loud:
    @declares(Recipe, label="recipe")
    def on_fire(self): ...


class Greedy:
    @declares(Recipe, label="recipe")
    def declare_pans(self, host): ...


@pytest.mark.parametrize(
    ("hooks", "reason"),
    [
        ([RECIPES], "declare_recipes is a hook of kitchen already"),
        ([hooks_of(hook="declare_pans")], "declare_pans: rows of Recipe are declared by declare_recipes of"),
        ([hooks_of(Loose, hook="declare_pans")], "declare_pans: Loose must be a frozen dataclass"),
        ([hooks_of(int, hook="declare_pans")], "declare_pans: int must be a frozen dataclass"),
        ([hooks_of(hook="declare_routes")], "declare_routes is the server's own hook"),
        ([Unmarked], "declare_pans: annotate which rows it returns, as in -> Sequence[Recipe]"),
        ([Loud], "on_fire must be named declare_<what> and take no arguments"),
        ([Greedy], "declare_pans must be named declare_<what> and take no arguments"),
        ([Recipe], "Recipe is no class of hooks"),
        (["pans"], "str is no class of hooks"),
        (None, "declare_hooks returns None"),
    ],
)
def test_hooks_that_cannot_stand_keep_their_owner_out(admit, make_plugin, kitchen, hooks, reason):
    registry, refused = admit(kitchen, make_plugin("other", hooks=hooks))
    assert reason in refused["other"]
    assert registry.plugin_ids() == {"kitchen"}


def test_a_row_behind_a_feature_that_nobody_declares_is_refused(admit, make_plugin, kitchen):
    _, refused = admit(kitchen, make_plugin("toy", recipes=[Recipe("tomato", feature="ghost")]))
    assert refused == {"toy": "Recipe tomato: nobody declares the feature ghost"}


async def test_pluggy_executes_every_hook_for_one_plugin_at_a_time(make_plugin, kitchen):
    async def on_start(host):
        assert host == "the host of toy"

    async def decide_password(username, password):
        return f"{username}, not {password}"

    called = []
    admission = Admission()
    admission.hooks.manager.add_hookcall_monitoring(
        lambda hook, implementations, arguments: called.append(
            (hook, [one.plugin_name for one in implementations])
        ),
        lambda *ended: None,
    )
    toy = make_plugin(
        recipes=[Recipe("stew")], features=[], on_start=on_start, decide_password=decide_password
    )
    admission.admit_all([given(toy), given(kitchen)])
    hooks = HookRunner(admission.hooks)
    assert await hooks.notify("on_start", "the host of {}".format) == {}
    assert await hooks.decide_password("ada", "lace") == "ada, not lace"
    assert called == [
        ("declare_hooks", ["kitchen"]),
        ("declare_features", ["toy"]),
        ("declare_recipes", ["toy"]),
        ("on_start", ["toy"]),
        ("decide_password", ["toy"]),
    ]


def test_a_hook_of_a_plugin_needs_its_mark(admit, make_plugin, kitchen):
    toy = make_plugin("toy")
    toy.declare_recipes = list
    _, refused = admit(kitchen, toy)
    assert refused == {"toy": "declare_recipes lacks the @hookimpl mark"}


async def work(*arguments):
    return None


NONE = Statement("none", "SELECT 1", "SELECT 1")


@pytest.mark.parametrize(
    ("hook", "row", "reason"),
    [
        (
            "declare_team_contents",
            TeamContent(name="notes", move=work),
            "content of a team notes is declared twice, by notes too",
        ),
        (
            "declare_versions_in_use",
            VersionsInUse(name="runs", statement=NONE),
            "versions in use runs is declared twice, by workflows too",
        ),
        (
            "declare_retained_by_teams",
            RetainedByTeams(name="versions", title="", describe=work),
            "retained by teams versions is declared twice, by repo too",
        ),
        (
            "declare_turn_runners",
            TurnRunner(kind="ai.turn", timeout_seconds=1, handler=work),
            "runner of turns ai.turn is declared twice, by executors too",
        ),
    ],
)
def test_nobody_declares_what_a_plugin_that_ships_declares(make_plugin, hook, row, reason):
    toy = make_plugin(**{hook.removeprefix("declare_"): [row]})
    admission = Admission([*discover([]), given(toy)])
    assert [one.reason for one in admission.registry.refused] == [f"the {reason}"]
