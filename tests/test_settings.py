"""Settings: what is unknown or malformed stops the boot with one line that names it."""

from ipaddress import ip_network
from pathlib import Path

import pytest

from kernel.config import PARSERS, Settings, SettingsError


def test_an_empty_environment_gives_the_documented_defaults():
    settings = Settings.from_environment({})
    assert (settings.bind, settings.base_url) == ("127.0.0.1:8080", "http://127.0.0.1:8080")
    assert settings.database_url == f"sqlite:///{Path('data/guildhall.db').absolute()}"
    assert (settings.home, settings.multitenant, settings.hosted, settings.demo) == (
        "console",
        True,
        False,
        False,
    )
    assert (settings.session_ttl, settings.rate_limit) == (43200, 6000)


def test_other_variables_are_none_of_ours():
    assert Settings.from_environment({"PATH": "/bin", "SERVICES": "x"}) == Settings.from_environment({})


@pytest.mark.parametrize(
    ("name", "value", "field", "parsed"),
    [
        ("SERVICE_DEMO", "yes", "demo", True),
        ("SERVICE_MULTITENANT", "OFF", "multitenant", False),
        ("SERVICE_BASE_URL", "https://hall.example/", "base_url", "https://hall.example"),
        ("SERVICE_RATE_LIMIT", "0", "rate_limit", 0),
        ("SERVICE_S3_DOMAIN", "s3.localhost:8081", "s3_domain", "s3.localhost:8081"),
        ("SERVICE_S3_RATE_LIMIT", "0", "s3_rate_limit", 0),
        ("SERVICE_DATABASE_POOL", "4", "database_pool", 4),
        ("SERVICE_DRAIN_SECONDS", "5", "drain_seconds", 5),
        ("SERVICE_REPO_UNCONFINED", "on", "repo_unconfined", True),
        (
            "SERVICE_TRUSTED_PROXIES",
            "127.0.0.1, 10.0.0.0/8,fd00::/8",
            "trusted_proxies",
            (ip_network("127.0.0.1/32"), ip_network("10.0.0.0/8"), ip_network("fd00::/8")),
        ),
        ("SERVICE_PLUGINS", "a:b", "plugins", (Path("a"), Path("b"))),
        ("SERVICE_PLUGINS_BLOCKED", "x, y", "plugins_blocked", frozenset({"x", "y"})),
        (
            "SERVICE_EXECUTORS",
            '[{"name":"a","url":"u","model":"m"}]',
            "executors",
            ({"name": "a", "url": "u", "model": "m"},),
        ),
    ],
)
def test_values_are_read(name, value, field, parsed):
    assert getattr(Settings.from_environment({name: value}), field) == parsed


def test_two_listeners_need_two_addresses():
    both = {"SERVICE_BIND": "127.0.0.1:9000", "SERVICE_S3_BIND": "127.0.0.1:9000"}
    with pytest.raises(SettingsError, match="SERVICE_S3_BIND: is the same as SERVICE_BIND"):
        Settings.from_environment(both)
    any_free = dict.fromkeys(both, "127.0.0.1:0")
    assert Settings.from_environment(any_free).s3_bind == "127.0.0.1:0"


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
        ("SERVICE_EXECUTORS", "{}"),
        ("SERVICE_EXECUTORS", '[{"name":"a"}]'),
        ("SERVICE_SECRET_KEY", "short"),
        ("SERVICE_DATA", ""),
        ("SERVICE_BIDN", "127.0.0.1:1"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_that_names_the_setting(name, value):
    with pytest.raises(SettingsError) as refusal:
        Settings.from_environment({name: value})
    assert str(refusal.value).startswith(f"{name}: ")
    assert "\n" not in str(refusal.value)


def test_a_misspelled_setting_is_told_the_right_name():
    with pytest.raises(SettingsError, match="did you mean SERVICE_BIND"):
        Settings.from_environment({"SERVICE_BIDN": "x"})


def test_secrets_stay_out_of_the_text_of_settings():
    canary = "canary-0123456789abcdef"
    secret = dict.fromkeys(("SERVICE_SECRET_KEY", "SERVICE_PROVISION_TOKEN", "SERVICE_MODEL_KEY"), canary)
    url = {"SERVICE_DATABASE_URL": f"postgresql://user:{canary}@host/name"}
    assert canary not in repr(Settings.from_environment({**secret, **url}))


def test_every_setting_has_a_field():
    fields = Settings.__dataclass_fields__
    assert {name.removeprefix("SERVICE_").lower() for name in PARSERS} <= set(fields)
