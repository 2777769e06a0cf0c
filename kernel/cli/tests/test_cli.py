"""The command line: what it says when something is wrong, and what it does when nothing is."""

import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from builtin_plugins.sqlite.tests.damage import damage
from guildhall_sdk import Actor
from guildhall_sdk.services.identity import Vault
from guildhall_sdk.services.tenancy import Directory
from kernel.boot import Server
from kernel.config import Settings
from tests import commands

GUILDHALL = [sys.executable, "-m", "kernel.cli"]


def guildhall(tmp_path: Path, *arguments: str, **settings: str) -> commands.Done:
    environ = commands.bare_environment(SERVICE_DATA=str(tmp_path / "data"), **settings)
    return commands.run(environ, arguments)


@pytest.fixture(scope="session")
async def stopped(tmp_path_factory):
    """The data folder of a server that has run once and stopped, with three events and a secret in it."""
    folder = tmp_path_factory.mktemp("stopped") / "data"
    server = Server(Settings.from_environment({"SERVICE_DATA": str(folder)}))
    await server.start()
    async with server.data.write(Actor("ada")) as writer:
        org = await server.service(Directory).create_org(writer, "Acme")
        await server.service(Vault).put(writer, "totp", org.id, "usr_1", b"seed")
        for number in range(3):
            writer.audit("thing.made", ("thing", str(number)), actor=Actor("ada", org_id=org.id))
    await server.stop()
    return folder


@pytest.fixture
def instance(stopped, tmp_path):
    """A copy of it of the test's own."""
    shutil.copytree(stopped, tmp_path / "data", ignore=shutil.ignore_patterns("*.lock"))
    return tmp_path


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (
            {"SERVICE_BIDN": "x"},
            "guildhall: SERVICE_BIDN: there is no such setting; did you mean SERVICE_BIND?",
        ),
        ({"SERVICE_DEMO": "perhaps"}, "guildhall: SERVICE_DEMO: takes 1/0, true/false, on/off or yes/no"),
    ],
)
def test_a_bad_setting_stops_the_boot_with_one_line(tmp_path, settings, line):
    done = guildhall(tmp_path, "serve", **settings)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (2, "", line)
    assert not (tmp_path / "data").exists()


def test_an_unreachable_database_is_one_line_without_the_password(tmp_path):
    url = "postgresql://ada:canary-secret@127.0.0.1:1/guildhall"
    places = {"SERVICE_BIND": "127.0.0.1:0", "SERVICE_S3_BIND": "127.0.0.1:0"}
    done = guildhall(tmp_path, "serve", SERVICE_DATABASE_URL=url, **places)
    assert done.returncode == 2
    assert done.stderr.startswith("guildhall: the database guildhall at 127.0.0.1 cannot be reached")
    assert "canary-secret" not in done.stderr and "Traceback" not in done.stderr


def test_plugin_list_shows_what_is_loaded_and_what_is_not(tmp_path):
    broken = tmp_path / "plugins" / "broken"
    broken.mkdir(parents=True)
    (broken / "plugin.json").write_text("{")
    done = guildhall(
        tmp_path,
        "plugin",
        "list",
        SERVICE_PLUGINS=str(tmp_path / "plugins"),
        SERVICE_PLUGINS_BLOCKED="notes",
    )
    rows = {line.split()[1]: line for line in done.stdout.splitlines()}
    assert rows["identity"].startswith("loaded")
    assert rows["notes"].startswith("blocked")
    assert rows["broken"].startswith("quarantined") and "plugin.json cannot be read" in rows["broken"]


def test_plugin_check_says_why_a_plugin_would_stay_out(tmp_path):
    home = tmp_path / "odd"
    home.mkdir()
    manifest = {"id": "odd", "name": "Odd", "version": "1", "description": "x", "entry": "plugin.py"}
    (home / "plugin.json").write_text(json.dumps(manifest))
    (home / "plugin.py").write_text(
        "from guildhall_sdk import hookimpl\n@hookimpl\ndef declare_tolls(): ...\n"
    )
    done = guildhall(tmp_path, "plugin", "check", str(home))
    assert done.returncode == 1
    assert done.stdout.startswith("odd: [hook-unknown] there is no hook named declare_tolls")


def test_plugin_check_names_a_schema_that_is_none(tmp_path):
    home = tmp_path / "odd"
    home.mkdir()
    manifest = {"id": "odd", "name": "Odd", "version": "1", "description": "x", "entry": "plugin.py"}
    (home / "plugin.json").write_text(json.dumps(manifest))
    (home / "plugin.py").write_text(
        "from guildhall_sdk import Route, hookimpl\n"
        "async def act(call): ...\n"
        "@hookimpl\n"
        "def declare_routes():\n"
        "    body = {'type': 'strng'}\n"
        "    return [Route('POST', 'act', act, 'Act', permission='chat:use', body=body)]\n"
    )
    done = guildhall(tmp_path, "plugin", "check", str(home))
    assert done.returncode == 1
    assert done.stdout.startswith("odd: [schema] row POST /api/x/odd/act: the schema of body is wrong")


def test_plugin_check_of_nothing_says_so(tmp_path):
    assert guildhall(tmp_path, "plugin", "check", "nobody").returncode == 2


def test_an_untouched_audit_trail_holds(instance):
    done = guildhall(instance, "audit", "verify")
    assert done.returncode == 0
    assert "all hold" in done.stdout


def test_an_edited_event_is_named(instance):
    with sqlite3.connect(instance / "data/guildhall.db") as database:
        (event_id,) = database.execute("SELECT id FROM audit_events WHERE target_id = '1'").fetchone()
        database.execute("UPDATE audit_events SET actor_name = 'eve' WHERE id = ?", (event_id,))
    done = guildhall(instance, "audit", "verify")
    assert done.returncode == 1
    assert event_id in done.stdout and "was edited" in done.stdout


def test_secrets_are_sealed_anew(instance):
    with sqlite3.connect(instance / "data/guildhall.db") as database:
        before = database.execute("SELECT sealed FROM secrets").fetchall()
    done = guildhall(instance, "secrets", "rotate")
    assert done.returncode == 0 and done.stdout.startswith("1 secrets sealed anew")
    with sqlite3.connect(instance / "data/guildhall.db") as database:
        assert database.execute("SELECT sealed FROM secrets").fetchall() != before


def test_after_a_rewrap_the_new_key_opens_and_the_old_one_does_not(instance):
    key = instance / "new.key"
    key.write_text("a new instance key of some length\n")
    key.chmod(0o600)
    assert guildhall(instance, "secrets", "rewrap", str(key)).returncode == 0
    assert guildhall(instance, "audit", "verify", SERVICE_SECRET_KEY=key.read_text().strip()).returncode == 0
    old = guildhall(instance, "audit", "verify")
    assert old.returncode == 2
    assert "Traceback" not in old.stderr and old.stderr.startswith("guildhall: ")


def test_a_key_that_the_group_can_read_is_refused_in_one_line_with_the_remedy(instance):
    key = instance / "data" / "secret.key"
    key.chmod(0o640)
    for command, status in ((["serve"], 2), (["doctor"], 1), (["secrets", "rotate"], 2)):
        done = guildhall(instance, *command)
        assert done.returncode == status
        assert f"run: chmod 600 {key}" in done.stdout + done.stderr
        assert "Traceback" not in done.stderr


def test_a_new_key_that_others_can_read_is_refused(instance):
    key = instance / "new.key"
    key.write_text("another secret key, just as long")
    key.chmod(0o644)
    done = guildhall(instance, "secrets", "rewrap", str(key))
    assert (done.returncode, f"run: chmod 600 {key}" in done.stderr) == (2, True)


def test_doctor_finds_a_healthy_instance_healthy(instance):
    done = guildhall(instance, "doctor")
    assert done.returncode == 0, done.stdout
    assert "database    ok (sqlite)" in done.stdout
    assert re.search(
        rf"^disk        ok \(\d+ MiB free at {re.escape(str(instance))}/data\)$", done.stdout, re.M
    )


def test_doctor_names_a_blob_store_with_which_no_server_starts(instance):
    assert "blobs       ok (rs3)" in guildhall(instance, "doctor").stdout
    for settings, reason in (
        ({"SERVICE_BLOB_STORE": "nope"}, "no plugin brings a store named nope; there is rs3, s3"),
        ({"SERVICE_BLOB_STORE": "s3"}, "the store s3 cannot be opened: S3_BUCKET: must be set"),
    ):
        refused_by_doctor_and_serve(instance, "blobs", reason, **settings)
    folder = instance / "data/blobs"
    folder.rename(instance / "elsewhere")
    folder.write_text("a file in the way")
    refused_by_doctor_and_serve(instance, "blobs", "the store rs3 cannot be opened: the folder")


def test_doctor_names_a_schema_with_which_no_server_starts(instance):
    with closing(sqlite3.connect(instance / "data/guildhall.db")) as connection:
        # What a newer program only added is let pass; what it took away is missing here.
        connection.execute("INSERT INTO schema_ledger VALUES ('kernel', 999, '0999_later', 'contract:x', 0)")
        connection.commit()
        refused_by_doctor_and_serve(instance, "database", "migration 0999, which this program does not know")
        connection.execute("DELETE FROM schema_ledger WHERE number = 999")
        connection.execute("UPDATE schema_ledger SET checksum = 'x' WHERE owner = 'kernel' AND number = 1")
        connection.commit()
        refused_by_doctor_and_serve(instance, "database", "0001_tenancy.sql was changed after it had been")


def test_doctor_names_an_address_that_is_none_of_this_machine(instance):
    with socket.socket() as running:
        running.bind(("127.0.0.1", 0))
        taken = f"127.0.0.1:{running.getsockname()[1]}"
        assert guildhall(instance, "doctor", SERVICE_BIND=taken).returncode == 0
        for name in ("SERVICE_BIND", "SERVICE_S3_BIND"):
            settings = {"SERVICE_BIND": "127.0.0.1:0", name: "192.0.2.1:8080"}
            done = guildhall(instance, "serve", **settings)
            assert (done.returncode, "cannot listen on 192.0.2.1:8080" in done.stderr) == (2, True)
            done = guildhall(instance, "doctor", **settings)
            assert f"settings    {name}: 192.0.2.1 is no address of this machine\n" in done.stdout
            assert done.returncode == 1


def refused_by_doctor_and_serve(instance, line, reason, **settings):
    done = guildhall(instance, "serve", SERVICE_BIND="127.0.0.1:0", **settings)
    assert (done.returncode, reason in done.stderr) == (2, True), done.stderr
    done = guildhall(instance, "doctor", **settings)
    assert done.returncode == 1, done.stdout
    assert [said for said in done.stdout.splitlines() if said.startswith(line) and reason in said]


def test_doctor_shows_the_file_of_mcp_servers_and_nothing_of_what_is_in_it(instance):
    file = instance / "mcp.json"
    server = {"command": "/opt/canary/mcp", "env": {"TOKEN": "canary"}, "disabled": False}
    file.write_text(json.dumps({"mcpServers": {"time": server}}), "utf-8")
    done = guildhall(instance, "doctor", SERVICE_MCP=str(file))
    assert f"SERVICE_MCP={file} [mcp]" in done.stdout
    assert "canary" not in done.stdout


def test_doctor_names_a_disk_that_takes_nothing(instance):
    """The limit on the size of a file stands for a disk that has no room for one."""
    limited = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *GUILDHALL, "doctor"]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SERVICE_")}
    environ |= {"SERVICE_DATA": str(instance / "data")}
    done = subprocess.run(limited, env=environ, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert f"disk        the disk of {instance}/data cannot be written to: File too large" in done.stdout


def test_doctor_says_what_is_wrong_with_the_key_in_its_own_row(instance):
    rows = guildhall(instance, "doctor", SERVICE_SECRET_KEY="k3yOfAnother-Instance.77x").stdout.splitlines()
    assert [row for row in rows if "sealed with another secret key" in row] == [
        row for row in rows if row.startswith("secret key ")
    ]
    (instance / "data" / "secret.key").unlink()
    rows += guildhall(instance, "doctor").stdout.splitlines()
    assert [row for row in rows if row.startswith("database ")] == ["database    ok (sqlite)"] * 2
    assert [row for row in rows if row.startswith("blobs ")] == ["blobs       ok (rs3)"] * 2


def test_doctor_names_what_is_missing(tmp_path):
    done = guildhall(tmp_path, "doctor")
    assert done.returncode == 1
    assert "secret.key: cannot be used as the secret key: No such file" in done.stdout


def test_a_database_that_no_server_has_made_anything_in_is_said_to_be_empty(instance):
    file = instance / "empty.db"
    file.touch()
    for command, status in ((["doctor"], 1), (["audit", "verify"], 2)):
        done = guildhall(instance, *command, SERVICE_DATABASE_URL=f"sqlite:///{file}")
        assert done.returncode == status, done.stderr
        assert f"{file} is empty: start the server once" in done.stdout + done.stderr
        assert "Traceback" not in done.stderr


def test_a_damaged_file_is_refused_at_the_boot_after_a_crash(instance):
    file = instance / "data/guildhall.db"
    (instance / "data/guildhall.db.lock").write_text("4711\n")
    damage(file, "notes")
    done = guildhall(instance, "serve", SERVICE_BIND="127.0.0.1:0")
    assert done.returncode == 2
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith(f"guildhall: the database {file} is damaged (")
    assert last.endswith("put a backup in its place: guildhall restore DIR --replace")
    assert "Traceback" not in done.stderr


def test_each_command_says_in_one_line_that_the_file_is_damaged(instance):
    damage(instance / "data/guildhall.db", "audit_events", "object_versions")
    for command in (["audit", "verify"], ["scrub"], ["backup", str(instance / "nightly")]):
        done = guildhall(instance, *command)
        assert done.returncode == 2, command
        assert len(done.stderr.strip().splitlines()) == 1 and "is damaged" in done.stderr, done.stderr
    assert not (instance / "nightly").exists()
    done = guildhall(instance, "doctor")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert [line for line in done.stdout.splitlines() if line.startswith("database") and "damaged" in line]


@pytest.mark.parametrize("setting", ["SERVICE_BIND", "SERVICE_S3_BIND"])
def test_a_port_that_is_taken_is_named_with_its_setting_before_anything_is_made(tmp_path, setting):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = guildhall(tmp_path, "serve", **{"SERVICE_BIND": "127.0.0.1:0", setting: address})
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1] == (
        f"guildhall: {setting}: cannot listen on {address}: Address already in use; "
        "stop the server that does, or set another port"
    )
    assert not (tmp_path / "data" / "guildhall.db").exists()


def test_every_command_and_each_of_its_actions_says_in_a_sentence_what_it_does(tmp_path):
    said = guildhall(tmp_path, "--help").stdout
    commands_of_help = re.findall(r"^ {2,4}([a-z][a-z0-9-]*)  ", said, re.M)
    assert {"serve", "doctor", "plugin", "audit", "secrets", "backup", "people"} <= set(commands_of_help)
    left = [[name] for name in commands_of_help]
    while left:
        words = left.pop()
        done = guildhall(tmp_path, *words, "--help")
        text = done.stdout
        assert (done.returncode, done.stderr) == (0, "")
        assert text.startswith(f"usage: guildhall {' '.join(words)}")
        _, sentence, *_ = text.split("\n\n")
        assert len(sentence.split()) > 2, text
        assert not sentence.startswith(("positional arguments:", "options:")), text
        actions = re.search(r"^  action\n((?:    .*\n)+)", text, re.M)
        left += (
            [[*words, name] for name in re.findall(r"^ {4}([a-z0-9][a-z0-9-]*)", actions[1], re.M)]
            if actions
            else []
        )


async def test_a_reader_who_has_read_enough_ends_a_command_without_a_word(tmp_path):
    """`guildhall plugin list | head -1`."""
    read, written = os.pipe()
    os.close(read)
    running = await commands.start(
        commands.bare_environment(SERVICE_DATA=str(tmp_path)), "plugin", "list", stdout=written
    )
    os.close(written)
    assert await running.stderr.read() == b""
    assert await running.wait() == 141
