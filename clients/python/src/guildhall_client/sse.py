"""Server-sent events, read from text as it comes."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream."""

    event: str
    #: The text as it came; `json()` reads it.
    data: str
    id: str | None = None

    def json(self) -> Any:
        """Returns what the data say, which are JSON in every stream of Guildhall."""
        return json.loads(self.data)


class EventReader:
    """Takes pieces of text and returns the events that they complete."""

    def __init__(self) -> None:
        self._rest = ""
        self._event = ""
        self._data: list[str] = []
        #: Of the last event that had one: where a stream is taken up again.
        self.last_id: str | None = None
        #: After how many seconds to come back, where the server said so.
        self.retry: float | None = None

    def read(self, text: str) -> list[Event]:
        """Returns the events that end in this piece."""
        *lines, self._rest = (self._rest + text).replace("\r\n", "\n").split("\n")
        return [event for line in lines if (event := self._line(line)) is not None]

    def forget_unfinished(self) -> None:
        """Drops an event of which only the beginning came."""
        self._rest, self._event, self._data = "", "", []

    def _line(self, line: str) -> Event | None:
        if not line:
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "data":
                self._data.append(value)
            case "event":
                self._event = value
            case "id" if "\0" not in value:
                self.last_id = value
            case "retry" if value.isascii() and value.isdigit():
                self.retry = int(value[:9]) / 1000
        return None

    def _dispatch(self) -> Event | None:
        event, data = self._event or "message", self._data
        self._event, self._data = "", []
        return Event(event, "\n".join(data), self.last_id) if data else None
