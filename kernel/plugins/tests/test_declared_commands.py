"""What plugins declare with declare_commands: found, run, and never in the way of the server's own."""

import asyncio
import re
import subprocess
import sys

import pytest

from guildhall_sdk import Command
from kernel import __version__
from kernel.config import OWN_COMMANDS
from tests.documented import files_of
from tests.raising import raising

pytestmark = pytest.mark.hall_databases("sqlite")


TOY = """
from guildhall_sdk import Command, Setting, UserError
from guildhall_sdk.errors import OperatorError
from guildhall_sdk.settings import whole

SPEED = Setting(name="speed", help="how fast", default=1, parse=whole())

def arguments(parser):
    parser.add_argument("--run", default="no")
    parser.add_argument("--settings", default="none")

def run(options, host):
    print("ran", options.run, options.settings, host.setting(SPEED), host.settings.version)
    {then}

@hookimpl
def declare_settings():
    return [SPEED]

@hookimpl
def declare_commands():
    return [Command(name="spin", help="spin the toy", run=run, arguments=arguments)]
"""


@pytest.fixture
def toy(folder, tmp_path):
    """A directory plugin with the command `spin`; what it does after it has printed."""
    folder.path = tmp_path

    def write(then="return 3"):
        return folder.write("toy", TOY.replace("{then}", then))

    return write


def test_a_command_is_listed_and_run_with_its_arguments_and_settings(guildhall, toy):
    toy()
    _, listed, _ = guildhall("--help")
    assert "  spin                spin the toy [toy]\n" in listed
    done = guildhall("spin", "--run", "yes", SERVICE_TOY_SPEED="9")
    assert done == (3, f"ran yes none 9 {__version__}\n", "")
    code, _, errors = guildhall("spin", "--nonsense")
    assert code == 2 and "usage: guildhall spin [-h] [--run RUN]" in errors


@pytest.mark.parametrize(
    ("then", "code", "last"),
    [
        ("return None", 0, None),
        ("raise UserError('the toy is broken')", 2, "guildhall: the toy is broken"),
        ("raise OperatorError('the toy has no spring')", 2, "guildhall: the toy has no spring"),
        (
            "1 / 0",
            1,
            "guildhall: the command spin of the plugin toy failed: ZeroDivisionError: division by zero (plu",
        ),
        (
            "return 'fast'",
            1,
            "guildhall: the command spin of the plugin toy failed: its exit code must be a whole number, no",
        ),
        ("raise KeyboardInterrupt", 130, None),
    ],
)
def test_how_a_command_ends(guildhall, toy, then, code, last):
    toy(then)
    ended, _, errors = guildhall("spin")
    assert ended == code
    assert errors.splitlines()[-1].startswith(last) if last else errors == ""


def test_a_malformed_setting_stops_a_command(guildhall, toy):
    toy()
    line = "guildhall: SERVICE_TOY_SPEED: takes a whole number, 0 or more\n"
    assert guildhall("spin", SERVICE_TOY_SPEED="fast") == (2, "", line)


def test_a_command_that_nobody_brings_is_answered_with_who_is_out(guildhall, toy):
    home = toy()
    (home / "plugin.py").write_text("raise RuntimeError('sold out')\n")
    code, _, errors = guildhall("spin")
    assert (code, errors.splitlines()) == (
        2,
        [
            "guildhall: the plugin toy is quarantined: RuntimeError: sold out (plugin.py:1)",
            "guildhall: there is no command 'spin'; `guildhall --help` lists all",
        ],
    )
    code, _, errors = guildhall("dcotor")
    assert errors.splitlines()[-1] == "guildhall: there is no command 'dcotor'; did you mean doctor?"
    code, listed, _ = guildhall("--help")
    assert code == 0 and "(those of toy cannot be told: it is quarantined)" in listed
    code, listed, _ = guildhall("plugin", "list")
    assert code == 0 and "quarantined  toy" in listed


def test_help_is_given_whatever_the_settings(guildhall, toy):
    toy()
    code, listed, _ = guildhall("--help", SERVICE_BIND="nonsense")
    assert code == 0 and "spin the toy" in listed
    code, listed, _ = guildhall("serve", "--help", SERVICE_BIND="nonsense")
    assert code == 0
    assert "(those of plugins cannot be told: SERVICE_BIND: takes host:port, such as" in listed


def plain(options, host): ...


async def waiting(options, host): ...


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"name": "serve"}, "the command serve is the server's own: give it another name"),
        ({"name": "Spin"}, "the command 'Spin' must be small letters, digits and hyphens"),
        ({"name": "--help"}, "the command '--help' must be small letters, digits and hyphens"),
        ({"help": "two\nlines"}, "command spin: its help must be one line of text"),
        ({"opened": waiting}, "command spin: give it one of run, opened and standalone"),
        ({"run": None}, "command spin: give it one of run, opened and standalone"),
        ({"run": waiting}, "command spin: run must be a plain function; opened is async"),
        ({"run": None, "opened": plain}, "command spin: opened must be async"),
        ({"run": None, "standalone": waiting}, "command spin: standalone must be a plain function"),
        ({"arguments": raising(RuntimeError("none today"))}, "RuntimeError: none today (raising.py:"),
        (
            {"run": None, "opened": waiting, "despite_faults": True},
            "command spin: despite_faults is for a command with run",
        ),
    ],
)
async def test_a_command_that_is_none_keeps_its_plugin_out(open_hall, make_plugin, fields, reason):
    command = Command(**{"name": "spin", "help": "spin", "run": plain, **fields})
    async with open_hall(make_plugin(commands=[command]), allow_refused=True) as hall:
        (refused,) = hall.registry.refused
    assert refused.reason.startswith(reason)


async def test_two_plugins_do_not_share_a_command(open_hall, make_plugin):
    command = Command(name="spin", help="spin", run=plain)
    plugins = [make_plugin(name, commands=[command]) for name in ("one", "two")]
    async with open_hall(*plugins, allow_refused=True) as hall:
        assert [(one.id, one.reason) for one in hall.registry.refused] == [
            ("two", "the command spin is declared twice, by one too")
        ]


def test_plugin_is_a_command_of_what_ships_that_help_lists_first(guildhall):
    _, listed, _ = guildhall("--help")
    own, _, of_plugins = listed.partition("commands of plugins:")
    assert [line.split()[0] for line in own.splitlines() if line.startswith("    ")] == [*OWN_COMMANDS]
    assert OWN_COMMANDS["plugin"] in own and "  plugin list " in of_plugins
    _, described, _ = guildhall("plugin", "--help")
    actions = [line.split()[0] for line in described.splitlines() if line.startswith("    ")]
    assert {"list", "check", "purge", "new", "diff"} <= {*actions}


def test_a_command_of_a_plugin_stands_under_another(guildhall, toy):
    home = toy()
    source = home / "plugin.py"
    source.write_text(source.read_text().replace('name="spin"', 'name="plugin spin"'))
    assert "    spin " in guildhall("plugin", "--help")[1]
    assert "  plugin spin         spin the toy [toy]\n" in guildhall("--help")[1]
    assert guildhall("plugin", "spin", "--run", "yes") == (3, f"ran yes none 1 {__version__}\n", "")
    assert guildhall("plugin")[0] == 2
    code, _, errors = guildhall("plugin", "spinn")
    assert (code, errors) == (
        2,
        "guildhall: there is no command 'plugin spinn'; did you mean plugin spin?\n",
    )


def test_who_is_out_is_named_where_the_command_plugin_is_missing(guildhall):
    code, _, errors = guildhall("plugin", "list", SERVICE_PLUGINS_BLOCKED="operations")
    assert (code, errors.splitlines()) == (
        2,
        [
            "guildhall: the plugin operations is blocked: blocked by SERVICE_PLUGINS_BLOCKED",
            "guildhall: there is no command 'plugin list'; did you mean plugin install?",
        ],
    )


@pytest.mark.parametrize("words", [["--version"], ["serve", "--nonsense"]])
def test_our_own_command_imports_no_plugin(words):
    program = (
        "import sys\n"
        "from kernel.cli import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "finally:\n    print(sorted({'builtin_plugins', 'quart', 'kernel.plugins'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.hall_databases("sqlite", "postgresql")
async def test_the_example_of_the_reference_works_beside_the_server(open_hall, guildhall, tmp_path):
    files_of("docs/plugins/hooks.md", "census", tmp_path)
    async with open_hall(SERVICE_PLUGINS=str(tmp_path)) as hall:
        settings = hall.server.settings
        place = {"SERVICE_DATA": str(settings.data), "SERVICE_DATABASE_URL": settings.database_url}
        words = ("census", hall.acme.org_id, "--rename", "Acme Again")
        code, output, errors = await asyncio.to_thread(guildhall, *words, **place)
        assert (code, errors) == (0, "") and re.fullmatch(r"Acme Again: \d+ people\n", output)
        assert (await hall.acme.member.get("/api/whoami")).json()["org"]["name"] == "Acme Again"
        audited = (await hall.acme.org_owner.get("/api/org/audit")).json()["items"][0]
        assert (audited["action"], audited["actor"]["name"]) == ("org.changed", "operator at the machine")


def test_a_standalone_command_needs_no_instance(guildhall, tmp_path):
    files_of("docs/plugins/hooks.md", "stocktaking", tmp_path)
    wrong = {"SERVICE_DATABASE_URL": "nonsense", "SERVICE_BIDN": "x", "SERVICE_S3_BIND": "nowhere"}
    code, output, errors = guildhall("stocktaking", **wrong)
    assert (code, errors) == (0, "") and "ai.turn [ai]\n" in output
    assert not (tmp_path / "data").exists()


async def test_a_command_finds_its_tables_or_says_who_makes_them(hall, guildhall, folder, tmp_path):
    folder.path = tmp_path
    home = folder.write(
        "toy",
        """
        from pathlib import Path
        from guildhall_sdk import Command

        async def spin(options, host): ...

        @hookimpl
        def declare_commands():
            return [Command(name="spin", help="spin the toy", opened=spin)]

        @hookimpl
        def declare_migrations():
            return Migrations(Path(__file__).parent)
        """,
    )
    (home / "0001_toys.sql").write_text("CREATE TABLE toys_spun (id $ID PRIMARY KEY);")
    settings = hall.server.settings
    place = {"SERVICE_DATA": str(settings.data), "SERVICE_DATABASE_URL": settings.database_url}
    assert await asyncio.to_thread(guildhall, "spin", **place) == (
        2,
        "",
        "guildhall: the tables of toy are not there yet: start the server once, which makes them\n",
    )
