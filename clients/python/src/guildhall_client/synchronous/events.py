"""Streams of events, taken up again where they broke off."""

import codecs
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from time import sleep
from typing import Any

import httpx

from guildhall_client.errors import Problem, Unreachable
from guildhall_client.sse import Event, EventReader
from guildhall_client.synchronous.api import Api

#: The server is heard from every fifteen seconds, by a comment where there is no event.
_LONGEST_SILENCE = 45.0
_LONGEST_PAUSE = 15.0


class Events:
    """The events of a stream; `for` yields each once, over as many connections as that takes.

    What is followed by GET is taken up again with `Last-Event-ID` until the server says that there is no
    more. What a POST began is not asked for twice: where it breaks off, `Unreachable` is raised.
    """

    def __init__(
        self,
        api: Api,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        fields: Mapping[str, Any] | None = None,
        last_event_id: str | None = None,
    ) -> None:
        self._api = api
        self._method = method
        self._path = path
        self._query = query
        self._fields = fields
        self._reader = EventReader()
        self._reader.last_id = last_event_id

    @property
    def last_event_id(self) -> str | None:
        """The id of the last event, with which a later client can go on."""
        return self._reader.last_id

    def __iter__(self) -> Iterator[Event]:
        failures = 0
        while True:
            heard = 0
            try:
                with closing(self._connection()) as events:
                    for event in events:
                        heard, failures = heard + 1, 0
                        yield event
            except _Over:
                return
            except (Unreachable, Problem) as error:
                if self._method != "GET":
                    raise
                failures += 1
                sleep(self._api.retries.after_break(error, failures))
                continue
            if self._method != "GET":
                return
            if not heard:
                # It hangs up at once, as a server does that stops.
                failures += 1
                sleep(min(_LONGEST_PAUSE, self._reader.retry or 0.25 * 2.0**failures))

    def _connection(self) -> Generator[Event, None, None]:
        """Yields the events of one answer. Raises `_Over` where the server has no more."""
        headers = {"Accept": "text/event-stream"}
        if self._reader.last_id is not None:
            headers["Last-Event-ID"] = self._reader.last_id
        timeout = httpx.Timeout(_LONGEST_SILENCE, connect=10)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._reader.forget_unfinished()
        with self._api.stream(
            self._method, self._path, query=self._query, fields=self._fields, headers=headers, timeout=timeout
        ) as response:
            if response.status_code == 204:
                raise _Over
            for block in response.iter_bytes():
                for event in self._reader.read(decoder.decode(block)):
                    yield event


class _Over(Exception):
    """The server has nothing more to say."""
