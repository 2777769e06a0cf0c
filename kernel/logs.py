"""The log of the server: JSON lines, each with the id of its request."""

import logging
import sys
from collections.abc import Mapping
from typing import TextIO

from kernel.faults import gone_from
from kernel.scope import current_scope
from libs import json_lines, redaction
from libs.json_lines import Log, Secrets

_OWN = "guildhall."
_THIRD_PARTY = ("hypercorn.access", "hypercorn.error", "quart.app", "quart.serving", "asyncio", "py.warnings")
_SECRETS = Secrets(
    redact=redaction.redact,
    hints=redaction.HINTS,
    named=redaction.is_secret_name,
    replacement=redaction.REDACTED,
)


class LineHandler(json_lines.LineHandler):
    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream, _SECRETS, _context, gone_from)


def get_logger(name: str) -> Log:
    return Log(logging.getLogger(_OWN + name))


def configure_logging(level: str | int = "INFO", stream: TextIO | None = None) -> LineHandler:
    """Routes every logger of the process, third parties' too, through one redacting handler."""
    handler = LineHandler(stream or sys.stderr)
    json_lines.write_all_to(handler, level, _THIRD_PARTY)
    return handler


def _context() -> Mapping[str, str]:
    request_id = current_scope.get().request_id
    return {} if request_id is None else {"request_id": request_id}
