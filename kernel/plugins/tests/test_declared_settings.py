"""What plugins declare with declare_settings: read, refused, shown, and whose each variable is."""

import pytest

from guildhall_sdk import Setting
from guildhall_sdk.settings import text, whole
from kernel.config import SettingsError
from tests.documented import files_of
from tests.raising import raising

pytestmark = pytest.mark.hall_databases("sqlite")
CANARY = "canary-4f1d9c"


def setting(name, **more):
    return Setting(**{"name": name, "help": "a toy", "default": None, "parse": text, **more})


@pytest.fixture
def read(open_hall, make_plugin):
    """`await read("id", [setting], SERVICE_…=…)`: the values of the plugin's settings in a running server."""

    async def values(plugin_id, settings, **environ):
        async with open_hall(make_plugin(plugin_id, settings=settings), **environ) as hall:
            return [hall.server.host.setting(one) for one in settings]

    return values


async def test_the_example_of_the_reference_reads_its_settings(open_hall, tmp_path):
    files_of("docs/plugins/hooks.md", "courier", tmp_path)
    environ = {"SERVICE_PLUGINS": str(tmp_path), "SERVICE_COURIER_MAX_PARCELS": "12"}
    async with open_hall(**environ, SERVICE_COURIER_KEY=CANARY) as hall:
        answer = await hall.acme.member.get("/api/x/courier/limits")
    assert answer.json() == {"parcels": 12, "depot": None}


def test_the_example_of_the_reference_refuses_with_a_line_of_its_own(guildhall, tmp_path):
    files_of("docs/plugins/hooks.md", "courier", tmp_path)
    line = "guildhall: SERVICE_COURIER_MAX_PARCELS: must be even: parcels travel in pairs\n"
    assert guildhall("serve", SERVICE_COURIER_MAX_PARCELS="7") == (2, "", line)
    assert not (tmp_path / "data").exists()


def test_operators_see_the_settings_and_never_a_secret(guildhall, tmp_path):
    files_of("docs/plugins/hooks.md", "courier", tmp_path)
    environ = {"SERVICE_COURIER_MAX_PARCELS": "8", "SERVICE_COURIER_KEY": CANARY}
    _, shown, _ = guildhall("doctor", **environ)
    assert "SERVICE_COURIER_MAX_PARCELS=8 [courier]\n" in shown
    assert "SERVICE_COURIER_KEY is set [courier]\n" in shown
    _, listed, _ = guildhall("serve", "--help", **environ)
    assert "SERVICE_COURIER_MAX_PARCELS  [courier]\n      parcels in one delivery (default: 10)\n" in listed
    assert CANARY not in shown + listed


async def test_a_hyphen_of_the_id_is_an_underscore(read):
    size = setting("page_size", default=10, parse=whole(1, 50))
    assert await read("book-shelf", [size]) == [10]
    assert await read("book-shelf", [size], SERVICE_BOOK_SHELF_PAGE_SIZE="7") == [7]
    with pytest.raises(SettingsError, match="SERVICE_BOOK_SHELF_PAGE_SIZE: takes a whole number, 1 to 50"):
        await read("book-shelf", [size], SERVICE_BOOK_SHELF_PAGE_SIZE="51")


async def test_what_nobody_declares_stops_the_boot(read):
    with pytest.raises(
        SettingsError, match="SERVICE_TOY_SPEDE: there is no such setting; did you mean SERVICE_TOY_SPEED"
    ):
        await read("toy", [setting("speed")], SERVICE_TOY_SPEDE="1")


def _repeat(given):
    raise ValueError(f"cannot read {given}")


@pytest.mark.parametrize(
    ("parse", "line"),
    [
        (_repeat, "SERVICE_TOY_KEY: is malformed"),
        (
            raising(TypeError(CANARY)),
            r"SERVICE_TOY_KEY: the plugin toy failed to read it: TypeError \(raising.py:\d+\)",
        ),
    ],
)
async def test_a_refusal_does_not_repeat_a_secret(read, parse, line):
    with pytest.raises(SettingsError, match=f"^{line}$"):
        await read("toy", [setting("key", parse=parse, secret=True)], SERVICE_TOY_KEY=CANARY)


@pytest.mark.parametrize(
    ("brought", "reason"),
    [
        ([setting("Speed")], "the setting 'Speed' must be small letters, digits and _"),
        ([setting("speed", help="")], "setting SERVICE_TOY_SPEED: its help must be one line of text"),
        ([setting("speed", parse=None)], "setting SERVICE_TOY_SPEED: parse and check must be functions"),
        ([setting("speed"), setting("speed")], "the setting SERVICE_TOY_SPEED is declared twice"),
        (
            [setting("speed", variable="SERVICE_DEMO_SPEED")],
            "setting SERVICE_DEMO_SPEED: its name must be SERVICE_TOY_<NAME>",
        ),
    ],
)
async def test_a_setting_that_is_none_keeps_its_plugin_out(open_hall, make_plugin, brought, reason):
    async with open_hall(make_plugin(settings=brought), allow_refused=True) as hall:
        assert [one.reason for one in hall.registry.refused] == [reason]


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (
            ("a", "b_c"),
            ("a-b", "d"),
            "its settings begin with SERVICE_A_B_, and so does SERVICE_A_B_C of a: give a-b another id",
        ),
        (
            ("a-b", "d"),
            ("a", "b_c"),
            "the setting SERVICE_A_B_C would pass for one of a-b, whose settings begin with SERVICE_A_B_",
        ),
        (
            ("s3-rate", "limit"),
            None,
            "the setting SERVICE_S3_RATE_LIMIT is declared by s3-rate, but s3 declares it already",
        ),
        (
            ("database", "url"),
            None,
            "the setting SERVICE_DATABASE_URL is declared by database, but the server declares it already",
        ),
    ],
)
async def test_a_variable_belongs_to_one_plugin(open_hall, make_plugin, first, second, reason):
    plugins = [
        make_plugin(name, settings=[setting(brought)]) for name, brought in filter(None, (first, second))
    ]
    async with open_hall(*plugins, allow_refused=True) as hall:
        assert [one.reason for one in hall.registry.refused] == [reason]


async def test_neighbours_whose_names_cannot_be_confused_both_have_settings(open_hall, make_plugin):
    plugins = [make_plugin("a", settings=[setting("c")]), make_plugin("a-b", settings=[setting("c")])]
    async with open_hall(*plugins, SERVICE_A_C="1", SERVICE_A_B_C="2") as hall:
        values = [hall.server.host.setting(plugin.declare_settings()[0]) for plugin in plugins]
    assert values == ["1", "2"]


async def test_what_is_set_for_a_plugin_that_is_out_stops_nothing(open_hall, make_plugin):
    broken = make_plugin("a-b", settings=[setting("")])
    whole_one = make_plugin("a", settings=[setting("c")])
    given = {"SERVICE_A_B_C": "x", "SERVICE_A_C": "1"}
    async with open_hall(whole_one, broken, allow_refused=True, **given) as hall:
        assert hall.server.setting_values.unread == ["SERVICE_A_B_C"]
    with pytest.raises(SettingsError, match="SERVICE_A_D: there is no such setting"):
        async with open_hall(whole_one, broken, allow_refused=True, SERVICE_A_D="x"):
            pass


async def test_what_is_set_for_a_blocked_plugin_stops_nothing(open_hall):
    async with open_hall(SERVICE_PLUGINS_BLOCKED="ai", SERVICE_MODEL_ROLES="nonsense") as hall:
        assert hall.server.setting_values.unread == ["SERVICE_MODEL_ROLES"]


@pytest.mark.hall_settings(SERVICE_DEMO="on")
async def test_a_mark_gives_settings_to_the_hall(hall):
    assert (await hall.operator.post("/api/admin/seed-tenants")).status_code == 200


async def test_a_setting_that_nobody_declared_is_named(hall):
    with pytest.raises(LookupError, match="no plugin declares the setting 'speed'"):
        hall.server.host.setting(setting("speed"))


def test_commands_look_at_names_but_not_at_the_values_of_plugins(guildhall, tmp_path):
    files_of("docs/plugins/hooks.md", "courier", tmp_path)
    assert guildhall("audit", "verify", SERVICE_DATABASE_ULR="postgresql://x/y") == (
        2,
        "",
        "guildhall: SERVICE_DATABASE_ULR: there is no such setting; did you mean SERVICE_DATABASE_URL?\n",
    )
    _, _, errors = guildhall("secrets", "rotate", SERVICE_COURIER_MAX_PARCELS="7")
    assert "secret.key: cannot be used" in errors
    for command in (["plugin", "list"], ["plugin", "check", "courier"]):
        code, _, errors = guildhall(*command, SERVICE_COURIER_MAX_PARCELS="7", SERVICE_NOBODYS="1")
        assert code == 0 and "SERVICE_" not in errors
