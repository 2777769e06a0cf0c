"""What must hold in every test: replies are as their rows say, and no log line holds a secret."""

import io
import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from guildhall_sdk import InvalidRequest, Reply, Route
from kernel.logs import LineHandler
from kernel.registry import BoundRoute
from kernel.validation import Validator
from libs.redaction import is_secret_name

PROBLEM = "application/problem+json"
_TOKEN = re.compile(r"gh[saw]_[A-Za-z0-9_-]{43}")
_SHOWN = 40
_SHORTEST_SECRET = 10
_LONGEST_SECRET = 256


class _WatchingHandler(LineHandler):
    """Stays where it is when a command under test sets the log up for itself."""


class Watch:
    """Collects what went wrong beside the test's own assertions; whoever runs the test asks for it."""

    def __init__(self) -> None:
        self._faults: list[str] = []
        self._secrets: set[str] = set()
        self._standing: set[str] = set()
        self._lines = io.StringIO()
        self._validators: dict[int, tuple[Route, Validator]] = {}

    def observe(self, bound: BoundRoute, reply: Reply) -> None:
        """Checks every answer that a handler gave, before it is sent."""
        self._faults.extend(
            f"{bound.name} of {bound.plugin_id}: {fault}" for fault in self._faults_of(bound, reply)
        )

    def learn_from(self, value: Any) -> None:
        """Takes every secret in a JSON value for one that no log may hold: it goes by the fields' names."""
        if isinstance(value, (dict, list)):
            self._secrets.update(_secrets_in(value))

    def learn(self, secret: str) -> None:
        self._secrets.add(secret)

    def add_secret(self, secret: str) -> None:
        """Learns a secret for the rest of the session."""
        self._standing.add(secret)

    def lines(self, logger: str) -> list[dict[str, Any]]:
        """Returns the lines of one logger in this test so far."""
        lines = map(json.loads, self._lines.getvalue().splitlines())
        return [line for line in lines if line["logger"] == logger]

    def last_lines(self) -> list[str]:
        """Returns the last lines of this test with their fields, without those of debugging."""
        found = [line for line in self._lines.getvalue().splitlines() if '"level":"debug"' not in line]
        return found[-_SHOWN:]

    def take_faults(self) -> list[str]:
        """Returns all faults since the last call, each once."""
        faults = list(dict.fromkeys([*self._faults, *self._leaks()]))
        self._faults.clear()
        self._secrets.clear()
        self._lines.seek(0)
        self._lines.truncate()
        return faults

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Reads every log line as an operator would find it."""
        handler = _WatchingHandler(self._lines)
        own, root = logging.getLogger("guildhall"), logging.getLogger()
        level = own.level
        root.addHandler(handler)
        own.setLevel(logging.DEBUG)
        try:
            yield
        finally:
            own.setLevel(level)
            root.removeHandler(handler)

    def _faults_of(self, bound: BoundRoute, reply: Reply) -> Iterator[str]:
        row = bound.row
        described_by_nobody = bound.handler.__module__ == "builtin_plugins.blueprints"
        if described_by_nobody or (reply.status >= 400 and reply.content_type == PROBLEM):
            return
        if reply.status not in (row.status, *row.also_statuses):
            yield f"answered {reply.status} where the row says {row.status}"
        if reply.status == 201 and "Location" not in reply.headers:
            yield "answered 201 without a Location"
        if reply.status == 204:
            return
        described = (row.content_type, *row.also_answers)
        answered = _media_type(reply.content_type)
        if not any(fnmatchcase(answered, _media_type(one)) for one in described):  # image/* too
            yield f"answered {reply.content_type} where the row says {row.content_type}"
        if row.reply is not None and reply.content is None and reply.stream is None:
            yield from self._mismatches(row, reply.body)

    def _mismatches(self, row: Route, body: Any) -> Iterator[str]:
        assert row.reply is not None
        if id(row) not in self._validators:
            self._validators[id(row)] = row, Validator(row.reply, formats=True)
        _, validator = self._validators[id(row)]
        try:
            validator.check(body)
        except InvalidRequest as refusal:
            for error in refusal.errors:
                place = error["pointer"] or "/"
                yield f"the answer does not match the row's reply at {place}: {error['message']}"

    def _leaks(self) -> Iterator[str]:
        text = self._lines.getvalue()
        found = {match[0] for match in _TOKEN.finditer(text)}
        found.update(secret for secret in self._secrets | self._standing if secret in text)
        for line in text.splitlines():
            for secret in found:
                if secret in line:
                    yield f"a log line holds a secret: {line.replace(secret, '‹SECRET›')}"


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _secrets_in(value: Any, name: str = "") -> Iterator[str]:
    if isinstance(value, str):
        if _is_secret_name(name) and _could_be_secret(value):
            yield value
        return
    for key, item in value.items() if isinstance(value, dict) else ((name, item) for item in value):
        if isinstance(item, (str, dict, list)):
            yield from _secrets_in(item, key)


@lru_cache(4096)
def _is_secret_name(name: str) -> bool:
    return bool(name) and is_secret_name(name)


def _could_be_secret(text: str) -> bool:
    """Tells whether a text is long enough to watch for: six digits turn up in a line by chance."""
    return _SHORTEST_SECRET <= len(text) <= _LONGEST_SECRET and text.isprintable()
