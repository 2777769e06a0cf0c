"""Settings of the server and of its plugins, as commands print and judge them."""

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from guildhall_sdk import Setting
from guildhall_sdk.errors import OperatorError
from kernel.config import KERNEL_SETTINGS, PREFIX, Settings, SettingsError, names_of

if TYPE_CHECKING:
    from kernel.plugins.admission import Admission
    from kernel.plugins.setting_values import SettingValues
    from kernel.registry import Registry

_KERNEL = "kernel"
_WIDTH = 110
_NOTHING: tuple[Any, ...] = (None, "", (), {}, frozenset())


def admission_of(settings: Settings) -> "Admission":
    """Admits the plugins of this instance with what they declare, without a server.

    Raises `BootRefused`.
    """
    from kernel.plugins.admission import admit

    return admit(settings)


def admitted(settings: Settings) -> "Registry":
    """Returns what the plugins of this instance declare; raises `BootRefused`."""
    return admission_of(settings).registry


def check_names(settings: Settings) -> None:
    """Raises `SettingsError` for a name that nobody declares: it may be a database's, misspelled.

    Plugins are imported only where something is set that is not the kernel's. Their values are none of our
    business here: a command that needs no plugin does not fail for one.
    """
    if not any(name.startswith(PREFIX) for name in settings.others):
        return
    from kernel.plugins.setting_values import unread_names

    try:
        registry = admitted(settings)
    except OperatorError:
        return  # who needs the plugins is told by them
    unread_names(registry, settings.others)


def reference(environ: Mapping[str, str]) -> Iterator[str]:
    """Yields a line or two for each setting, with its default and the plugin that owns it."""
    from kernel.plugins.setting_values import owned_settings

    yield "settings, as environment variables:"
    rows = [(variable, _KERNEL, setting) for variable, setting in KERNEL_SETTINGS.items()]
    try:
        registry = admitted(Settings.from_environment(environ))
    except OperatorError as refusal:
        yield from _entries(rows)
        yield f"  (those of plugins cannot be told: {refusal})"
        return
    yield from _entries(
        [*rows, *((row.variable, row.owner, row.setting) for row in owned_settings(registry))]
    )
    for status in registry.refused:
        yield f"  (those of {status.id} cannot be told: it is {status.status})"


def _entries(rows: list[tuple[str, str, Setting[Any]]]) -> Iterator[str]:
    for variable, owner, setting in rows:
        default = "" if setting.default in _NOTHING else f" (default: {_text(setting.default)})"
        default += f" (or {variable}_FILE: a file that holds it)" if setting.secret else ""
        yield f"  {variable}  [{owner}]"
        yield from wrap(setting.help + default, _WIDTH, initial_indent="      ", subsequent_indent="      ")


def report(settings: Settings, environ: Mapping[str, str]) -> str:
    """Lists what is set, never a secret; raises `SettingsError` for the first unknown or malformed one."""
    from kernel.plugins.engines import engine_in
    from kernel.plugins.setting_values import check_addresses, owned_settings, read_settings

    registry = admitted(settings)
    engine_in(registry, settings)
    values = read_settings(registry, settings.others)
    check_addresses(settings.bind, registry, values)
    _check_hosts(settings, registry, values)
    lines = [
        _setting_line(variable, _KERNEL, setting, getattr(settings, setting.name))
        for variable, setting in KERNEL_SETTINGS.items()
        if any(name in environ for name in names_of(variable, setting))
    ]
    lines += [
        _setting_line(row.variable, row.owner, row.setting, values.value(row.setting))
        for row in owned_settings(registry)
        if values.given(row.setting)
    ]
    lines += [f"{name} is not read: the plugin that may declare it is not loaded" for name in values.unread]
    return "\n".join(["ok", *(f"{'':11} {line}" for line in lines)])


def _check_hosts(settings: Settings, registry: "Registry", values: "SettingValues") -> None:
    """Raises where a host to listen on is none of this machine; a server that runs may have its port."""
    from guildhall_sdk.routes import Adapter
    from kernel.listening import AddressTaken, bound_socket
    from kernel.plugins.setting_values import owned_settings

    own = {adapter.bind for adapter in registry.declared(Adapter)}
    chosen = [row for row in owned_settings(registry) if row.setting in own and values.given(row.setting)]
    addresses = {row.variable: values.value(row.setting) for row in chosen}
    for variable, address in {"SERVICE_BIND": settings.bind, **addresses}.items():
        host, _, _ = address.rpartition(":")
        try:
            bound_socket(f"{host}:0").close()
        except AddressTaken:
            raise SettingsError(f"{variable}: {host} is no address of this machine") from None


def _setting_line(variable: str, owner: str, setting: Setting[Any], value: Any) -> str:
    from libs.redaction import redact

    value_text = " is set" if setting.secret else f"={_printable(redact(_text(value)))}"
    return f"{variable}{value_text} [{owner}]"


def _printable(text: str) -> str:
    """Returns a text of the environment on one line."""
    plain = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text[:_WIDTH])
    return plain if len(text) <= _WIDTH else f"{plain}…"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple | frozenset):
        return ",".join(sorted(map(str, value)))
    return str(value)
