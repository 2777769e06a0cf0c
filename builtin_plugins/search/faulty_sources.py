"""Sources whose statements fail: left out of the answers for a while, and named in the log."""

import logging
from collections.abc import Sequence

from guildhall_sdk import SearchSource
from guildhall_sdk.services.description import Plugins

_LEFT_OUT_MS = 60_000
_log = logging.getLogger("guildhall.search")

# Of this process: whoever shares the database finds out for itself.
_until: dict[SearchSource, int] = {}


def note_failure(plugins: Plugins, now_ms: int, source: SearchSource, error: Exception) -> None:
    """Logs the failure and leaves the source out for a minute: each search would pay for trying it again."""
    _until[source] = now_ms + _LEFT_OUT_MS
    owners = [plugin for plugin, one in plugins.owned(SearchSource) if one is source]
    fields = {"source": source.type, "plugin": owners[0] if owners else None}
    _log.error("search.source_failed", exc_info=error, extra={"fields": fields})


def working(sources: Sequence[SearchSource], now_ms: int) -> tuple[SearchSource, ...]:
    """Returns the sources that did not fail lately."""
    if not _until:
        return tuple(sources)
    return tuple(source for source in sources if _until.get(source, 0) <= now_ms)
