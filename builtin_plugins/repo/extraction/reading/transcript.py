"""The text as it is gathered, and how it comes out: one spelling for every letter, lines ended by \\n."""

import re
import time
import unicodedata

from .declared import Kind

_LINE_ENDS = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile("[\0-\b\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u2060\ufeff]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_FIXED_SPACE = re.compile("[\u00a0\u2007\u202f]")
_BLANK_LINES = re.compile("\n{3,}")

_STRENGTH = {mark: strength for strength, mark in enumerate(("", " ", "\t", "\n", "\n\n"))}


class Full(Exception):
    """Enough was read; what there is stands."""


class Transcript:
    """Takes text until there is enough of it, or until reading has taken most of its time.

    `kind` is what the document turned out to be; a package says so only once it is open.
    """

    def __init__(self, max_bytes: int, patience_seconds: float) -> None:
        self.kind: Kind | None = None
        self.partial = False
        self._pieces: list[str] = []
        self._gap = ""
        self._max_bytes = max_bytes
        self._room = max_bytes
        self._patience_seconds = patience_seconds

    def write(self, text: str) -> None:
        # No letter takes less than a byte; the last cut is made in bytes.
        self._pieces += (self._gap, text[: self._room + 1])
        self._room -= len(self._gap) + len(text)
        self._gap = ""
        if self._room < 0 or time.process_time() > self._patience_seconds:
            self.stop()

    def separate(self, mark: str) -> None:
        """Separates two pieces by the strongest of the marks that were given between them."""
        if _STRENGTH[mark] > _STRENGTH[self._gap]:
            self._gap = mark

    def stop(self) -> None:
        self.partial = True
        raise Full

    def finished(self) -> bytes:
        encoded = tidy("".join(self._pieces)).encode()
        if len(encoded) > self._max_bytes:
            self.partial = True
            encoded = encoded[: self._max_bytes].decode(errors="ignore").encode()
        return encoded


def tidy(text: str) -> str:
    text = _LINE_ENDS.sub("\n", text)
    text = _UNSEEN.sub("", text)
    text = _LONE_SURROGATE.sub("\ufffd", text)
    text = unicodedata.normalize("NFC", _FIXED_SPACE.sub(" ", text))
    text = "\n".join(line.rstrip() for line in text.split("\n"))
    return _BLANK_LINES.sub("\n\n", text).strip("\n")
