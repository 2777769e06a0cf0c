"""What an output is made from, by which step of which run, and the keys that it may have."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from guildhall_sdk import InvalidRequest
from guildhall_sdk.jobs import running_job
from guildhall_sdk.services.stored_objects import Derivation, StoredObject

MAX_KEY_BYTES = 1024
#: How many keys are tried before the last one is refused as taken.
MAX_NUMBER = 99
_STEP = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of an output, with the version that was read of it, and the step that makes it."""

    source: StoredObject
    version: int
    step: str
    run_id: str | None = None
    locale: str | None = None

    @classmethod
    def of(
        cls,
        arguments: Mapping[str, Any],
        source: StoredObject,
        step: str,
        *,
        version: int | None = None,
        locale: str | None = None,
    ) -> "Origin":
        """Reads the `step` of a call, which an output is named by; `step` is taken where none is given.

        The run is the one that the call is a step of, whatever `run` says: nobody makes up where something is
        from. `version` is the one that was read, the newest unless given.
        """
        name = arguments.get("step", step)
        if _STEP.fullmatch(name) is None:
            raise InvalidRequest.at("/step", "takes up to 64 letters, digits, _ and -, a letter or _ first")
        return cls(source, version or source.current.number, name, running_job.get().run_id, locale)

    @property
    def derivation(self) -> Derivation:
        return Derivation(self.source.id, self.version, self.run_id, self.step)

    def candidate_keys(self) -> Iterator[str]:
        """Yields the key of the output, and those that it has where another is taken."""
        stem = key_stem(self.source.key)
        name = f".{self.step}" if self.locale is None else f".{self.step}.{self.locale}"
        for number in range(1, MAX_NUMBER + 1):
            suffix = f"{name}.md" if number == 1 else f"{name} ({number}).md"
            yield _cut(stem, MAX_KEY_BYTES - len(suffix)) + suffix


def key_stem(key: str) -> str:
    """Returns a key without the extension of its last segment; a name that is all extension stays."""
    folder, slash, name = key.rpartition("/")
    stem, dot, _ = name.rpartition(".")
    return f"{folder}{slash}{stem}" if dot and stem.strip(".") else key


def _cut(text: str, max_bytes: int) -> str:
    return text.encode()[:max_bytes].decode("utf-8", "ignore")
