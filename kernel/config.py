"""Settings from `SERVICE_*`, frozen. An unknown or malformed one stops the boot with one line."""

import difflib
import ipaddress
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kernel import __version__

DEFAULT_BIND = "127.0.0.1:8080"
DEFAULT_S3_BIND = "127.0.0.1:8081"
DEFAULT_BLOB_STORE = "rs3"
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_PACKAGE = Path(__file__).resolve().parent


class SettingsError(Exception):
    """One line that names the setting and says what it takes."""


def shipped_plugins() -> Path:
    packaged = _PACKAGE / "shipped_plugins"
    return packaged if packaged.is_dir() else _PACKAGE.parent / "plugins"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything an operator decides. Secrets are kept out of its text."""

    home: str = "console"
    multitenant: bool = True
    provision_token: str | None = field(default=None, repr=False)
    base_url: str = f"http://{DEFAULT_BIND}"
    database_url: str = field(default="", repr=False)
    database_pool: int = 10
    data: Path = Path("data")
    blob_store: str = DEFAULT_BLOB_STORE
    bind: str = DEFAULT_BIND
    s3_bind: str = DEFAULT_S3_BIND
    s3_domain: str | None = None
    secret_key: str | None = field(default=None, repr=False)
    model_url: str | None = None
    model_key: str | None = field(default=None, repr=False)
    model_name: str | None = None
    executors: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    mcp: Path | None = None
    oop: Path | None = None
    plugins: tuple[Path, ...] = ()
    plugins_blocked: frozenset[str] = frozenset()
    demo: bool = False
    session_ttl: int = 12 * 3600
    lease_seconds: int = 60
    executor_timeout: int = 120
    org_private_endpoints: bool = False
    rate_limit: int = 6000
    s3_rate_limit: int = 60_000
    trusted_proxies: tuple[Network, ...] = ()
    drain_seconds: int = 25
    repo_unconfined: bool = False
    log_level: str = "info"
    version: str = __version__

    @property
    def secure(self) -> bool:
        """Whether the world reaches us by TLS, which whoever stands in front of us speaks."""
        return self.base_url.startswith("https://")

    @property
    def hosted(self) -> bool:
        return self.provision_token is not None

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Settings":
        values: dict[str, Any] = {}
        for name in sorted(environ):
            if name.startswith("SERVICE_"):
                field_name = _field_of(name)
                values[field_name] = _parse(name, environ[name])
        if values.get("bind") == values.get("s3_bind", "") and not values["bind"].endswith(":0"):
            raise SettingsError("SERVICE_S3_BIND: is the same as SERVICE_BIND; give it another port")
        values.setdefault("base_url", f"http://{values.get('bind', DEFAULT_BIND)}")
        values.setdefault("plugins", (shipped_plugins(),))
        data = values.setdefault("data", Path("data"))
        values.setdefault("database_url", f"sqlite:///{(data / 'guildhall.db').absolute()}")
        return cls(**values)


def _field_of(name: str) -> str:
    if name not in PARSERS:
        near = difflib.get_close_matches(name, PARSERS, 1)
        hint = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(PARSERS)}"
        raise SettingsError(f"{name}: there is no such setting{hint}")
    return name.removeprefix("SERVICE_").lower()


def _parse(name: str, text: str) -> Any:
    try:
        return PARSERS[name](text)
    except ValueError as error:
        raise SettingsError(f"{name}: {error}") from None


def _text(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty; unset it or give it a value")
    return text


def _boolean(text: str) -> bool:
    word = text.strip().lower()
    if word in {"1", "true", "on", "yes"}:
        return True
    if word in {"0", "false", "off", "no"}:
        return False
    raise ValueError("takes 1/0, true/false, on/off or yes/no")


def _seconds(text: str) -> int:
    return _whole(text, 1, 10**9, "a number of seconds, 1 or more")


def _count(text: str) -> int:
    return _whole(text, 0, 10**9, "a whole number, 0 or more")


def _whole(text: str, low: int, high: int, what: str) -> int:
    if not re.fullmatch(r"[0-9]{1,10}", text.strip()) or not low <= int(text) <= high:
        raise ValueError(f"takes {what}")
    return int(text)


def _one_of(*words: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in words:
            raise ValueError(f"takes one of {', '.join(words)}")
        return text

    return parse


def _address(text: str) -> str:
    host, _, port = text.rpartition(":")
    if not host or not re.fullmatch(r"[0-9]{1,5}", port) or int(port) > 65535:
        raise ValueError("takes host:port, such as 127.0.0.1:8080")
    return text


def _domain(text: str) -> str:
    name, _, port = text.partition(":")
    labels = re.fullmatch(
        r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*", name
    )
    if labels is None or (":" in text and not (re.fullmatch(r"[0-9]{1,5}", port) and int(port) <= 65535)):
        raise ValueError("takes a name in small letters, such as s3.example.com or s3.localhost:8081")
    return text


def _web_url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("takes an http:// or https:// address")
    return text.rstrip("/")


def _database_url(text: str) -> str:
    if not text.startswith(("sqlite:///", "postgresql://")):
        raise ValueError("takes sqlite:///path or postgresql://user@host/name")
    return text


def _secret(text: str) -> str:
    if len(text) < 16:
        raise ValueError("is too short; give it at least 16 characters of chance")
    return text


def _path(text: str) -> Path:
    return Path(_text(text))


def _folders(text: str) -> tuple[Path, ...]:
    return tuple(Path(part) for part in text.split(":") if part)


def _names(text: str) -> frozenset[str]:
    return frozenset(part.strip() for part in text.split(",") if part.strip())


def _networks(text: str) -> tuple[Network, ...]:
    try:
        return tuple(ipaddress.ip_network(part.strip()) for part in text.split(",") if part.strip())
    except ValueError:
        raise ValueError("takes addresses or CIDRs, `,`-separated, such as 127.0.0.1,10.0.0.0/8") from None


def _pool_size(text: str) -> int:
    return _whole(text, 2, 1000, "a number of connections, 2 to 1000")


def _executors(text: str) -> tuple[Mapping[str, Any], ...]:
    form = "takes JSON: [{name, url, model, key?, capabilities?}]"
    try:
        rows = json.loads(text)
    except ValueError:
        raise ValueError(form) from None
    wanted, known = {"name", "url", "model"}, {"name", "url", "model", "key", "capabilities"}
    if not isinstance(rows, list) or not all(isinstance(r, dict) and wanted <= set(r) <= known for r in rows):
        raise ValueError(form)
    return tuple(rows)


PARSERS: Mapping[str, Callable[[str], Any]] = {
    "SERVICE_HOME": _one_of("console", "beta"),
    "SERVICE_MULTITENANT": _boolean,
    "SERVICE_PROVISION_TOKEN": _secret,
    "SERVICE_BASE_URL": _web_url,
    "SERVICE_DATABASE_URL": _database_url,
    "SERVICE_DATABASE_POOL": _pool_size,
    "SERVICE_DATA": _path,
    "SERVICE_BLOB_STORE": _text,
    "SERVICE_BIND": _address,
    "SERVICE_S3_BIND": _address,
    "SERVICE_S3_DOMAIN": _domain,
    "SERVICE_SECRET_KEY": _secret,
    "SERVICE_MODEL_URL": _web_url,
    "SERVICE_MODEL_KEY": _text,
    "SERVICE_MODEL_NAME": _text,
    "SERVICE_EXECUTORS": _executors,
    "SERVICE_MCP": _path,
    "SERVICE_OOP": _path,
    "SERVICE_PLUGINS": _folders,
    "SERVICE_PLUGINS_BLOCKED": _names,
    "SERVICE_DEMO": _boolean,
    "SERVICE_SESSION_TTL": _seconds,
    "SERVICE_LEASE_SECONDS": _seconds,
    "SERVICE_EXECUTOR_TIMEOUT": _seconds,
    "SERVICE_ORG_PRIVATE_ENDPOINTS": _boolean,
    "SERVICE_RATE_LIMIT": _count,
    "SERVICE_S3_RATE_LIMIT": _count,
    "SERVICE_TRUSTED_PROXIES": _networks,
    "SERVICE_DRAIN_SECONDS": _seconds,
    "SERVICE_REPO_UNCONFINED": _boolean,
    "SERVICE_LOG_LEVEL": _one_of("debug", "info", "warning", "error"),
}
