"""Tools as a server defines them: bounded, and known by a digest of name, description and schema."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MAX_TOOLS = 500
#: Of all descriptions and schemas of one server.
MAX_BYTES = 2 * 1024 * 1024
MAX_NAME = 128
MAX_NESTING = 64


@dataclass(frozen=True, slots=True)
class Definition:
    """A tool under its server's own name. `schema` is the text that the digest was made from."""

    original: str
    description: str
    schema: str
    digest: str

    @classmethod
    def of(cls, original: str, description: str, schema: Mapping[str, Any]) -> "Definition":
        """Raises `ValueError` for what cannot be kept."""
        if not 1 <= len(original) <= MAX_NAME:
            raise ValueError(f"its name must have 1 to {MAX_NAME} characters")
        text = json.dumps(schema, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        whole = json.dumps([original, description, text], ensure_ascii=False)
        if "\\u0000" in whole or "\0" in whole:
            raise ValueError("it has a NUL in its text")
        try:
            return cls(original, description, text, hashlib.sha256(whole.encode()).hexdigest())
        except UnicodeEncodeError:
            raise ValueError("it has half of a character in its text") from None

    @property
    def size(self) -> int:
        return len(self.description) + len(self.schema)

    def arguments(self) -> dict[str, Any]:
        """The schema as tools have it: what takes no arguments may have left out that it is an object."""
        return {"type": "object", **json.loads(self.schema)}

    def public(self) -> dict[str, Any]:
        return {"description": self.description, "schema": json.loads(self.schema)}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A tool that is left out, under its server's own name, with why."""

    original: str
    reason: str


@dataclass(frozen=True, slots=True)
class Listing:
    """What a server offers now."""

    definitions: Mapping[str, Definition]
    refused: Sequence[Refusal] = ()


class ListingBuilder:
    """Takes what there is room for, page by page: of the rest no more than its names is kept."""

    def __init__(self) -> None:
        self._taken: dict[str, Definition] = {}
        self._refused: list[Refusal] = []
        self._left = MAX_BYTES

    def add(self, given: Iterable[tuple[str, str, Mapping[str, Any]]]) -> None:
        for original, description, schema in given:
            short_name = original[:MAX_NAME].encode("utf-8", "replace").decode()
            try:
                one = Definition.of(original, description, schema)
                if original in self._taken:
                    raise ValueError("it is there twice")
                if len(self._taken) >= MAX_TOOLS:
                    raise ValueError(f"a server offers at most {MAX_TOOLS} tools")
                if one.size > self._left:
                    raise ValueError(f"the tools of a server have at most {MAX_BYTES // 2**20} MiB of text")
            except (ValueError, RecursionError) as fault:
                self._refused.append(Refusal(short_name, str(fault) or "it is nested too deeply"))
                continue
            self._left -= one.size
            self._taken[original] = one

    def listing(self, *, cut: bool = False) -> Listing:
        """`cut` says that there was more which was not even asked for."""
        refused = list(self._refused)
        if cut:
            refused.append(
                Refusal("…", f"a server offers at most {MAX_TOOLS} tools; the others were not read")
            )
        return Listing(self._taken, tuple(refused[:MAX_TOOLS]))


def bounded_listing(given: Iterable[tuple[str, str, Mapping[str, Any]]], *, cut: bool = False) -> Listing:
    builder = ListingBuilder()
    builder.add(given)
    return builder.listing(cut=cut)
