"""Settings: what is unknown or malformed stops the boot with one line that names it."""

from ipaddress import ip_network
from pathlib import Path

import pytest

from kernel.config import KERNEL_SETTINGS, Settings, SettingsError
from kernel.plugins.admission import admit
from kernel.plugins.engines import engine_in
from kernel.plugins.setting_values import check_addresses, owned_settings, read_settings


@pytest.fixture(scope="module")
def read():
    """`read(SERVICE_DEMO="on")`: every setting of the server and of what is installed."""
    registry = admit(Settings.from_environment({})).registry

    def values(**environ):
        settings = Settings.from_environment(environ)
        found = read_settings(registry, settings.others)
        engine_in(registry, settings)
        check_addresses(settings.bind, registry, found)
        kernel = {name: getattr(settings, one.name) for name, one in KERNEL_SETTINGS.items()}
        return kernel | {row.variable: found.value(row.setting) for row in owned_settings(registry)}

    return values


def test_an_empty_environment_gives_the_documented_defaults():
    settings = Settings.from_environment({})
    assert (settings.bind, settings.base_url) == ("127.0.0.1:8080", "http://127.0.0.1:8080")
    assert settings.database_url == f"sqlite:///{Path('data/guildhall.db').absolute()}"
    assert (settings.multitenant, settings.hosted) == (True, False)
    assert settings.rate_limit == 6000


def test_so_do_the_settings_of_plugins(read):
    values = read()
    assert (values["SERVICE_DEMO"], values["SERVICE_SESSION_TTL"]) == (False, 43200)
    assert values["SERVICE_HOME"] == "console"
    assert (values["SERVICE_S3_BIND"], values["SERVICE_S3_RATE_LIMIT"]) == ("127.0.0.1:8081", 60000)


def test_other_variables_are_none_of_ours():
    assert Settings.from_environment({"PATH": "/bin", "SERVICES": "x"}) == Settings.from_environment({})


@pytest.mark.parametrize(
    ("name", "value", "parsed"),
    [
        ("SERVICE_DEMO", "yes", True),
        ("SERVICE_MULTITENANT", "OFF", False),
        ("SERVICE_BASE_URL", "https://hall.example/", "https://hall.example"),
        ("SERVICE_RATE_LIMIT", "0", 0),
        ("SERVICE_S3_DOMAIN", "s3.localhost:8081", "s3.localhost:8081"),
        ("SERVICE_S3_RATE_LIMIT", "0", 0),
        ("SERVICE_DATABASE_POOL", "4", 4),
        ("SERVICE_DRAIN_SECONDS", "5", 5),
        ("SERVICE_HANG_SECONDS", "0", 0),
        ("SERVICE_REPO_UNCONFINED", "on", True),
        ("SERVICE_MODEL_ROLES", '{"utility": "small"}', {"utility": "small"}),
        (
            "SERVICE_TRUSTED_PROXIES",
            "127.0.0.1, 10.0.0.0/8,fd00::/8",
            (ip_network("127.0.0.1/32"), ip_network("10.0.0.0/8"), ip_network("fd00::/8")),
        ),
        ("SERVICE_PLUGINS", "a:b", (Path("a"), Path("b"))),
        ("SERVICE_PLUGINS_BLOCKED", "x, y", frozenset({"x", "y"})),
    ],
)
def test_values_are_read(read, name, value, parsed):
    assert read(**{name: value})[name] == parsed


def test_two_listeners_need_two_addresses(read):
    both = {"SERVICE_BIND": "127.0.0.1:9000", "SERVICE_S3_BIND": "127.0.0.1:9000"}
    with pytest.raises(SettingsError, match="SERVICE_S3_BIND: is the same as SERVICE_BIND"):
        read(**both)
    any_free = dict.fromkeys(both, "127.0.0.1:0")
    assert read(**any_free)["SERVICE_S3_BIND"] == "127.0.0.1:0"
    assert read(SERVICE_BIND="127.0.0.1:8081"), "an address that nobody chose is done without"


def test_the_base_url_follows_the_bind():
    assert Settings.from_environment({"SERVICE_BIND": "127.0.0.1:9"}).base_url == "http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SERVICE_DEMO", "maybe"),
        ("SERVICE_HOME", "cellar"),
        ("SERVICE_BIND", "8080"),
        ("SERVICE_BIND", "127.0.0.1:99999"),
        ("SERVICE_S3_DOMAIN", "http://s3.example.com"),
        ("SERVICE_S3_DOMAIN", "a_b..c"),
        ("SERVICE_S3_DOMAIN", "s3.example.com:port"),
        ("SERVICE_S3_DOMAIN", "s3.example.com/path"),
        ("SERVICE_TRUSTED_PROXIES", "10.0.0.1/8"),
        ("SERVICE_TRUSTED_PROXIES", "the proxy"),
        ("SERVICE_DATABASE_POOL", "1"),
        ("SERVICE_DRAIN_SECONDS", "0"),
        ("SERVICE_SESSION_TTL", "0"),
        ("SERVICE_SESSION_TTL", "12h"),
        ("SERVICE_RATE_LIMIT", "-1"),
        ("SERVICE_RATE_LIMIT", "１２"),
        ("SERVICE_BASE_URL", "ftp://x"),
        ("SERVICE_DATABASE_URL", "mysql://x"),
        ("SERVICE_DATABASE_URL", "guildhall.db"),
        ("SERVICE_DATABASE_URL", "sqlite://guildhall.db"),
        ("SERVICE_DATABASE_DIRECT_URL", "postgresql://x@/y"),
        ("SERVICE_EXECUTORS", "{}"),
        ("SERVICE_EXECUTORS", '[{"name":"a"}]'),
        ("SERVICE_SECRET_KEY", "short"),
        ("SERVICE_DATA", ""),
        ("SERVICE_MODEL_ROLES", "[]"),
        ("SERVICE_MODEL_ROLES", '{"utilty": "local"}'),
        ("SERVICE_MODEL_ROLES", "[" * 100_000),
        ("SERVICE_BIDN", "127.0.0.1:1"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_that_names_the_setting(read, name, value):
    with pytest.raises(SettingsError) as refusal:
        read(**{name: value})
    assert str(refusal.value).startswith(f"{name}: ")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("misspelled", "right"), [("SERVICE_BIDN", "SERVICE_BIND"), ("SERVICE_S3_DOMAN", "SERVICE_S3_DOMAIN")]
)
def test_a_misspelled_setting_is_told_the_right_name(read, misspelled, right):
    with pytest.raises(SettingsError, match=f"did you mean {right}"):
        read(**{misspelled: "x"})


def test_secrets_stay_out_of_the_text_of_settings():
    canary = "canary-7d1f93c0a2e84b56"
    secret = dict.fromkeys(("SERVICE_SECRET_KEY", "SERVICE_PROVISION_TOKEN", "SERVICE_MODEL_KEY"), canary)
    url = {"SERVICE_DATABASE_URL": f"postgresql://user:{canary}@host/name"}
    assert canary not in repr(Settings.from_environment({**secret, **url}))


def test_every_setting_has_a_field():
    fields = Settings.__dataclass_fields__
    assert {name.removeprefix("SERVICE_").lower() for name in KERNEL_SETTINGS} <= set(fields)
