"""The kernel's settings from `SERVICE_*`, frozen. A malformed one stops the boot with one line.

The rest of the environment stays in `others`: the plugins that declare settings read theirs from it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

from guildhall_sdk.context import PublicSettings
from guildhall_sdk.errors import OperatorError
from guildhall_sdk.settings import Setting, address, boolean, one_of, path, seconds, text, web_url, whole
from kernel import __version__
from libs import secret_values
from libs.addresses import Network, parse_networks

#: The commands that `guildhall --help` lists first; but for what ships, no plugin may declare one.
OWN_COMMANDS = {
    "serve": "start the server",
    "plugin": "plugins: list, try out and write them, remove what one left",
}
PREFIX = "SERVICE_"
#: A secret with this word in it is guessed first.
PRODUCT = "guildhall"

DEFAULT_BIND = "127.0.0.1:8080"
DEFAULT_BLOB_STORE = "rs3"
DEFAULT_DATA = Path("data")
MIN_KEY_LENGTH = 16
_PACKAGE = Path(__file__).resolve().parent
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://")


class SettingsError(OperatorError):
    """One line that names the setting and says what it takes."""


def shipped_plugins() -> Path:
    packaged = _PACKAGE / "shipped_plugins"
    return packaged if packaged.is_dir() else _PACKAGE.parent / "plugins"


def _secret_key(given: str) -> str:
    if len(given.strip()) < MIN_KEY_LENGTH:
        raise ValueError(f"is too short; {secret_values.MAKE_ONE}")
    return given


def default_database(data: Path) -> str:
    """Returns the address of the database of an instance whose operator names none."""
    return f"sqlite:///{(data / 'guildhall.db').absolute()}"


def _url(forms: str, given: str) -> str:
    """Takes an address of any scheme: an engine says whether it is its own, once plugins are there."""
    if not _SCHEME.match(given):
        raise ValueError(f"takes {forms}")
    return secret_values.with_password(given)


_database_url = partial(_url, "sqlite:///path or postgresql://user@host/name")
_other_database_url = partial(_url, "postgresql://user@host/name, and PostgreSQL in SERVICE_DATABASE_URL")


def _folders(given: str) -> tuple[Path, ...]:
    return tuple(Path(part) for part in given.split(":") if part)


def _names(given: str) -> frozenset[str]:
    return frozenset(part.strip() for part in given.split(",") if part.strip())


def _setting(default: Any, parse: Callable[[str], Any], says: str, *, secret: bool = False) -> Any:
    """Returns the field of a setting; a secret is kept out of the text of all settings."""
    declared = {"help": says, "default": default, "parse": parse, "secret": secret}
    return field(default=default, repr=not secret, metadata=declared)


@dataclass(frozen=True, slots=True)
class Settings(PublicSettings):
    """The settings of the server itself. Secrets are kept out of its text."""

    multitenant: bool = _setting(True, boolean, "off: the superadmin plane answers 404")
    provision_token: str | None = _setting(
        None, secret_values.secret_text(PRODUCT), "set: hosted mode, and bootstrap is closed", secret=True
    )
    base_url: str = _setting(
        f"http://{DEFAULT_BIND}", web_url, "how the world reaches the server; by SERVICE_BIND unless set"
    )
    bind: str = _setting(DEFAULT_BIND, address, "where to listen")
    data: Path = _setting(DEFAULT_DATA, path, "the data folder")  # noqa: RUF009 - it is a field
    database_url: str = _setting(
        "",
        _database_url,
        "sqlite:///path or postgresql://…; SQLite in the data folder unless set",
        secret=True,
    )
    database_direct_url: str | None = _setting(
        None,
        _other_database_url,
        "where SERVICE_DATABASE_URL is a pooler such as pgbouncer: the PostgreSQL behind it",
        secret=True,
    )
    database_replica_url: str | None = _setting(
        None, _other_database_url, "a replica of the PostgreSQL, which is asked for what may lag", secret=True
    )
    database_replica_lag: int = _setting(
        60,
        whole(0, 86_400, "a number of seconds, 0 to 86400; 0 is no limit"),
        "how many seconds the replica may be behind; further than that it is not asked; 0 is no limit",
    )
    database_pool: int = _setting(
        10,
        whole(2, 1000, "a number of connections, 2 to 1000"),
        "connections to PostgreSQL that one server process holds at most",
    )
    secret_key: str | None = _setting(
        None, _secret_key, "seals secrets at rest; a file in the data folder unless set", secret=True
    )
    blob_store: str = _setting(DEFAULT_BLOB_STORE, text, "where file contents go")
    plugins: tuple[Path, ...] = _setting(
        (), _folders, "folders of directory plugins, `:`-separated; ours unless set"
    )
    plugins_blocked: frozenset[str] = _setting(
        frozenset(), _names, "ids of plugins not to load, `,`-separated"
    )
    lease_seconds: int = _setting(60, seconds, "how long a worker holds a job without a sign of life")
    rate_limit: int = _setting(6000, whole(), "requests per credential and minute; 0 is off")
    trusted_proxies: tuple[Network, ...] = _setting(
        (), parse_networks, "proxies whose X-Forwarded-For is believed, `,`-separated"
    )
    drain_seconds: int = _setting(25, seconds, "how long a server that is told to stop lets requests finish")
    hang_seconds: int = _setting(120, whole(), "when a hanging process of several is killed; 0 is never")
    log_level: str = _setting(
        "info", one_of("debug", "info", "warning", "error"), "debug, info, warning or error"
    )
    log_slow_ms: int = _setting(
        500, whole(), "statements that take longer, in milliseconds, are logged with their plugin; 0 is none"
    )
    version: str = __version__
    others: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    hosted: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hosted", self.provision_token is not None)

    @property
    def secure(self) -> bool:
        """Whether the world reaches us by TLS, which whoever stands in front of us speaks."""
        return self.base_url.startswith("https://")

    @property
    def own_database_url(self) -> str:
        """The address of the database itself, past a pooler that the server goes through."""
        return self.database_direct_url or self.database_url

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Settings":
        given = {name: environ[name] for name in sorted(environ)}
        values: dict[str, Any] = {}
        for variable, setting in KERNEL_SETTINGS.items():
            if (found := given_text(variable, setting, given)) is not None:
                values[setting.name] = read_setting(variable, setting, found)
            for name in names_of(variable, setting):
                given.pop(name, None)
        values.setdefault("base_url", f"http://{values.get('bind', DEFAULT_BIND)}")
        values.setdefault("plugins", (shipped_plugins(),))
        data = values.setdefault("data", DEFAULT_DATA)
        values.setdefault("database_url", default_database(data))
        return cls(**values, others=given)


_DECLARED = {one.name: one.metadata for one in fields(Settings) if one.metadata}
KERNEL_SETTINGS: Mapping[str, Setting[Any]] = {
    f"{PREFIX}{name.upper()}": Setting(name=name, **_DECLARED[name])
    for name in Settings.__annotations__
    if name in _DECLARED
}


def names_of(variable: str, setting: Setting[Any]) -> Sequence[str]:
    """Returns the variables that a setting is read from; a secret also from a file."""
    return (variable, f"{variable}{secret_values.FILE_SUFFIX}") if setting.secret else (variable,)


def given_text(variable: str, setting: Setting[Any], environ: Mapping[str, str]) -> str | None:
    """Returns what is set for a setting, or None; raises `SettingsError` for a file that cannot be read."""
    if not setting.secret:
        return environ.get(variable)
    try:
        return secret_values.secret_from(environ, variable)
    except ValueError as error:
        raise SettingsError(f"{variable}: {error}") from None


def read_setting(variable: str, setting: Setting[Any], given: str) -> Any:
    """Parses the value of a setting; raises `SettingsError` with one line that never repeats a secret."""
    try:
        # An instance may be sealed with the path of its key already: that one is judged where a key is new.
        if setting.secret and setting.name != "secret_key" and secret_values.looks_like_path(given):
            raise ValueError(f"looks like a path; name the file in {names_of(variable, setting)[1]} instead")
        return secret_values.parsed(given, setting.parse, setting.check, secret=setting.secret)
    except ValueError as error:
        raise SettingsError(f"{variable}: {error}") from None
