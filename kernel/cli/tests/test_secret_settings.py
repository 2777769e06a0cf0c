"""Secrets from files, and secrets that are none: a path, or what anybody would try first."""

import base64
import secrets

import pytest

from builtin_plugins.s3_store.settings import read_settings as read_store_settings
from guildhall_sdk.blobs import BlobStoreRefused
from guildhall_testing.databases import database_at
from guildhall_testing.selection import registry_of
from kernel.config import KERNEL_SETTINGS, PRODUCT, Settings, SettingsError
from kernel.plugins.setting_values import owned_settings, read_settings
from kernel.secrets.keyfile import SecretKey
from kernel.secrets.rotation import rewrap
from libs.secret_values import guessable
from tests import commands
from tests.processes import free_port

CHANCE = "h8Zq-3vPw0sKd7Lm2Rt5Xy"
FORMS = {
    "SERVICE_BACKUP_KEY": base64.b64encode(bytes(range(32))).decode(),
    "SERVICE_EXECUTORS": '[{"name": "a", "url": "http://127.0.0.1:1/v1", "model": "m"}]',
    "SERVICE_MAIL_URL": f"smtp://u:{CHANCE}@mail.example.com:25",
}
WEAK = [
    "/run/secrets/guildhall_key",
    "changeme-changeme",
    "a" * 40,
    "Password0123456789",
    "my secret key 123",
]


def value_of(variable: str) -> str:
    return FORMS.get(variable) or (f"postgresql://u:{CHANCE}@h/n" if "DATABASE" in variable else CHANCE)


@pytest.fixture
def site(tmp_path):
    """Runs commands on a data folder: `site("doctor", SERVICE_SECRET_KEY=…)`."""
    places = {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_BIND": f"127.0.0.1:{free_port()}"}

    def run(*words, **settings):
        return commands.run(commands.bare_environment(**{**places, **settings}), words)

    return run


def test_every_secret_of_the_server_and_of_plugins_can_stand_in_a_file(pytestconfig, tmp_path):
    registry = registry_of(pytestconfig)
    declared = {row.variable: row.setting for row in owned_settings(registry)} | KERNEL_SETTINGS
    secret = {variable: setting for variable, setting in declared.items() if setting.secret}
    assert {"SERVICE_SECRET_KEY", "SERVICE_MODEL_KEY", "S3_SECRET_ACCESS_KEY"} <= set(secret)
    for variable, setting in secret.items():
        (tmp_path / variable).write_text(f"{value_of(variable)}\n")
        base = {"SERVICE_DATABASE_URL": "postgresql://u@h/n"} if variable != "SERVICE_DATABASE_URL" else {}
        read = []
        for given in ({variable: value_of(variable)}, {f"{variable}_FILE": str(tmp_path / variable)}):
            settings = Settings.from_environment({**base, **given})
            values = read_settings(registry, settings.others)
            read.append(
                getattr(settings, setting.name) if variable in KERNEL_SETTINGS else values.value(setting)
            )
        assert read[0] == read[1] != setting.default, variable


def test_the_secret_of_the_object_store_can_stand_in_a_file(tmp_path):
    (tmp_path / "key").write_text(CHANCE)
    environment = {"S3_BUCKET": "files", "S3_ACCESS_KEY_ID": "AKIA"}
    by_file = {**environment, "S3_SECRET_ACCESS_KEY_FILE": str(tmp_path / "key")}
    assert read_store_settings(by_file).secret_access_key == CHANCE
    with pytest.raises(BlobStoreRefused, match="name the file in S3_SECRET_ACCESS_KEY_FILE"):
        read_store_settings({**environment, "S3_SECRET_ACCESS_KEY": "/run/secrets/s3"})


def test_how_an_editor_ends_lines_and_marks_text_is_no_part_of_a_secret(tmp_path):
    file = tmp_path / "key"
    file.touch(0o600)
    for content in (CHANCE, f"{CHANCE}\n", f"{CHANCE}\r\n", f"\ufeff{CHANCE}\r\n"):
        file.write_bytes(content.encode())
        assert Settings.from_environment({"SERVICE_SECRET_KEY_FILE": str(file)}).secret_key == CHANCE
        assert SecretKey.read(file) == CHANCE.encode()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"SERVICE_PROVISION_TOKEN_FILE": "/nowhere/at-all"}, "cannot be read: No such file or directory"),
        ({"SERVICE_PROVISION_TOKEN_FILE": "/dev/null"}, "is empty"),
        ({"SERVICE_PROVISION_TOKEN_FILE": ""}, "SERVICE_PROVISION_TOKEN_FILE names no file"),
        ({"SERVICE_PROVISION_TOKEN_FILE": "/x", "SERVICE_PROVISION_TOKEN": CHANCE}, "leave one out"),
        ({"SERVICE_PROVISION_TOKEN": "/run/secrets/token"}, "the file in SERVICE_PROVISION_TOKEN_FILE"),
        ({"SERVICE_PROVISION_TOKEN": "change-me-change-me"}, "can be guessed"),
        ({"SERVICE_DATABASE_URL": "/run/secrets/url"}, "the file in SERVICE_DATABASE_URL_FILE"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_without_the_secret(given, says):
    with pytest.raises(SettingsError, match=says) as refusal:
        Settings.from_environment(given)
    assert "\n" not in str(refusal.value)
    assert CHANCE not in str(refusal.value)


def test_what_chance_makes_is_never_taken_for_a_path_or_a_word():
    for make in (secrets.token_urlsafe, secrets.token_hex):
        assert [key for key in (make(16) for _ in range(500)) if guessable(key, PRODUCT)] == []
    assert guessable("/k8Zq3vPw0sKd7Lm2Rt5Xy+b/cW9fGu1JpLvNoQqRs=", PRODUCT) is None


@pytest.mark.parametrize("key", WEAK)
def test_a_new_instance_does_not_begin_with_a_key_that_can_be_guessed(site, tmp_path, key):
    done = site("serve", SERVICE_SECRET_KEY=key)
    assert done.returncode != 0
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("guildhall: ")]
    assert line.startswith("guildhall: SERVICE_SECRET_KEY: the secret key ")
    assert "openssl rand -base64 32" in line
    assert "SERVICE_SECRET_KEY_FILE" in line
    assert key not in line
    assert not (tmp_path / "data" / "secret.key").exists()


async def test_an_instance_that_has_such_a_key_goes_on_and_is_told_how_to_change_it(site, tmp_path):
    assert site(*commands.BOOT).returncode == 0
    old, weak = SecretKey(None, tmp_path / "data").key(), "changeme-changeme"
    database = database_at(f"sqlite:///{tmp_path}/data/guildhall.db", audit_sink=_unheard)
    await database.connect()
    await rewrap(database, old, weak.encode())
    await database.disconnect()
    (tmp_path / "data" / "secret.key").unlink()
    started = site(*commands.BOOT, SERVICE_SECRET_KEY=weak, SERVICE_LOG_LEVEL="warning")
    assert started.returncode == 0, started.output
    doctor = site("doctor", SERVICE_SECRET_KEY=weak)
    assert (
        "secret key  can be guessed; put the data keys under another: guildhall secrets rewrap"
        in doctor.stdout
    )
    assert doctor.returncode == 1
    new = tmp_path / "new.key"
    new.touch(0o600)
    new.write_text("still a secret key of words")
    assert site("secrets", "rewrap", new, SERVICE_SECRET_KEY=weak).returncode == 2
    new.write_text(CHANCE)
    assert site("secrets", "rewrap", new, SERVICE_SECRET_KEY=weak).returncode == 0
    assert site("doctor", SERVICE_SECRET_KEY_FILE=str(new)).returncode == 0
    assert site(*commands.BOOT, SERVICE_SECRET_KEY_FILE=str(new)).returncode == 0


def test_a_second_server_without_the_key_is_told_so_and_makes_none(site, tmp_path):
    assert site(*commands.BOOT).returncode == 0
    (tmp_path / "data" / "secret.key").rename(tmp_path / "secret.key")
    done = site("serve")
    assert done.returncode != 0
    assert "All servers on one database share one key" in done.stderr
    assert not (tmp_path / "data" / "secret.key").exists()
    assert site(*commands.BOOT, SERVICE_SECRET_KEY_FILE=str(tmp_path / "secret.key")).returncode == 0


async def _unheard(*_):
    """Takes audit events and keeps none."""
