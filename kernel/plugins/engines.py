"""Which engine opens the database: that of a plugin, chosen by the scheme of `SERVICE_DATABASE_URL`."""

from guildhall_sdk.engines.engine import DatabaseEngine, DatabaseOptions
from kernel.config import Settings, SettingsError
from kernel.db.database import STATEMENT_SECONDS
from kernel.plugins.admission import Admission, admit
from kernel.plugins.discovery import installed
from kernel.registry import Registry

_VARIABLE = "SERVICE_DATABASE_URL"


def engine_in(registry: Registry, settings: Settings) -> DatabaseEngine:
    """Returns the engine for the database of these settings; raises `SettingsError`.

    It says which schemes there are, and which plugin that is not loaded is named as the one that is missing.
    """
    engine = registry.engines().get(_scheme(settings))
    if engine is None:
        raise SettingsError(f"{_VARIABLE}: {_missing(registry, _scheme(settings))}")
    if (refusal := engine.refusal(server_options(settings))) is not None:
        raise SettingsError(refusal)
    return engine


def engine_of(settings: Settings) -> DatabaseEngine:
    """Returns the engine for a command without a server; raises `SettingsError`.

    A plugin that is named as the scheme is admitted alone, so that no other's fault is in the way; only where
    there is none, or it brings no such engine, are all of them.
    """
    named = [candidate for candidate in installed() if candidate.id == _scheme(settings)]
    alone = Admission(named, settings.plugins_blocked)
    found = alone.registry if _scheme(settings) in alone.registry.engines() else admit(settings).registry
    return engine_in(found, settings)


def server_options(settings: Settings) -> DatabaseOptions:
    """Returns how a server opens its database."""
    return DatabaseOptions(
        url=settings.database_url,
        direct_url=settings.database_direct_url,
        replica_url=settings.database_replica_url,
        replica_lag_seconds=settings.database_replica_lag,
        pool_size=settings.database_pool,
        statement_seconds=STATEMENT_SECONDS,
    )


def command_options(settings: Settings, *, alone: bool = False) -> DatabaseOptions:
    """Returns how a command opens the database: itself, past a pooler, and beside a server unless `alone`."""
    return DatabaseOptions(url=settings.own_database_url, shared=not alone)


def _scheme(settings: Settings) -> str:
    return settings.database_url.partition(":")[0]


def _missing(registry: Registry, scheme: str) -> str:
    for status in registry.refused:
        if status.id == scheme:
            return f"the plugin {scheme}, which opens {scheme}://, is {status.status}: {status.reason}"
    forms = " or ".join(sorted((one.form for one in registry.engines().values()), reverse=True))
    return f"takes {forms}; no plugin brings an engine for {scheme}://: install one that declares it"
