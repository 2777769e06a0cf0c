"""The date formats of HTTP headers and S3 bodies."""

from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache


def parse_date(text: str) -> int | None:
    """Seconds since the epoch from an HTTP date or ISO 8601; None for what is neither."""
    if not text:
        return None  # most requests have none, and refusing it twice takes its time
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            moment = read(text.strip())
        except (ValueError, TypeError, OverflowError):
            continue
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    return None


@lru_cache(maxsize=4096)
def http_date(seconds: int) -> str:
    """As in Last-Modified."""
    return format_datetime(datetime.fromtimestamp(seconds, UTC), usegmt=True)
