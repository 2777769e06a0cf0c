"""How a model's endpoint says that it failed: what of it a caller is told, and what the operator's log."""

import logging
import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from builtin_plugins.executors.answers import json_of
from builtin_plugins.executors.http_client import HttpAnswer
from guildhall_sdk.services.executors import ModelBusy, ModelUnavailable
from libs.redaction import REDACTED, redact

TOO_MANY, UNAVAILABLE = 429, 503
#: How long an endpoint is left alone that is asked too much and does not say how long.
UNSAID_BUSY_SECONDS = 30
_MAX_REASON = 300
# What is wrong with the request itself: its caller can mend it, and needs the words for that.
_ABOUT_REQUEST = frozenset({400, 413, 422})
_TRY_AGAIN = frozenset({408, 425})
# No word of a sentence is so long, with digits among its letters; a key may look like anything.
_LIKE_A_KEY = re.compile(r"(?<!\w)(?=[A-Za-z_]{0,300}\d)(?=\d{0,300}[A-Za-z_])\w{20,}")
_log = logging.getLogger("guildhall.executors")


def is_error(answer: Mapping[str, Any]) -> bool:
    """Whether a server says here that it failed, though it answered 200."""
    return answer.get("error") is not None or answer.get("object") == "error"


def refused(executor: str, got: HttpAnswer, body: bytes, key: str | None) -> ModelUnavailable | ModelBusy:
    """Returns what a caller is told of an answer with this status; the endpoint's own words are logged."""
    status = got.status
    if 300 <= status < 400:
        return ModelUnavailable(
            f"The model's endpoint answered {status}; redirects are not followed.", upstream_status=status
        )
    reason = reason_of(json_of(body), key)
    _log.warning(
        "model.refused", extra={"fields": {"executor": executor, "status": status, "reason": reason}}
    )
    if (seconds := busy_seconds(got)) is not None:
        return ModelBusy(seconds)
    shown = f": {_LIKE_A_KEY.sub(REDACTED, reason)}" if reason and status in _ABOUT_REQUEST else ""
    return ModelUnavailable(
        f"The model's endpoint answered {status}{shown}.",
        upstream_status=status,
        retry=status >= 500 or status in _TRY_AGAIN,
        reason=reason,
    )


def failed(executor: str, answer: Mapping[str, Any], key: str | None) -> ModelUnavailable:
    """Returns what a caller is told of an error that came in place of an answer, or in its midst."""
    reason = reason_of(answer, key)
    _log.warning("model.failed", extra={"fields": {"executor": executor, "reason": reason}})
    return ModelUnavailable("The model failed.", reason=reason)


def reason_of(answer: Any, key: str | None) -> str | None:
    """Returns the endpoint's own words: short, on one line, without the key or what looks like one."""
    error = answer.get("error", answer) if isinstance(answer, Mapping) else None
    text = error.get("message") if isinstance(error, Mapping) else error
    if not isinstance(text, str) or not text.strip():
        return None
    if key:
        text = text.replace(key, REDACTED)
    plain = "".join(char if char.isprintable() else " " for char in redact(text[: 2 * _MAX_REASON]))
    return plain[:_MAX_REASON].strip().rstrip(".")


def busy_seconds(got: HttpAnswer) -> int | None:
    """Returns after how many seconds a busy endpoint can be asked again; None for one that is not busy."""
    if got.status not in (TOO_MANY, UNAVAILABLE):
        return None
    seconds = _seconds_said(got.header("retry-after").strip(), got.header("date"))
    return UNSAID_BUSY_SECONDS if seconds is None and got.status == TOO_MANY else seconds


def _seconds_said(after: str, now: str) -> int | None:
    """Reads seconds, or a time, which the endpoint's own clock is compared with."""
    if re.fullmatch(r"[0-9]{1,300}(\.[0-9]{1,300})?", after):  # longer is no number of seconds
        return math.ceil(float(after))
    try:
        until = parsedate_to_datetime(after).timestamp()
    except (ValueError, OverflowError):
        return None
    try:
        return math.ceil(until - parsedate_to_datetime(now).timestamp())
    except (ValueError, OverflowError):
        return math.ceil(until - time.time())
