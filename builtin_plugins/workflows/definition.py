"""One version of a workflow."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

from builtin_plugins.workflows.spec.model import Spec
from builtin_plugins.workflows.spec.reading import read_spec
from guildhall_sdk import Row, rfc3339


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One version of a workflow without its spec; `inputs` is JSON, `source` the plugin that ships it."""

    id: str
    slug: str
    version: int
    name: str
    source: str | None
    max_steps: int
    inputs: str
    published_by: str | None
    created_at: int

    @classmethod
    def of(cls, row: Row) -> Self:
        return cls(**row)

    def public(self) -> dict[str, Any]:
        """Returns the workflow as lists show it."""
        return {
            "id": self.id,
            "slug": self.slug,
            "version": self.version,
            "name": self.name,
            "source": self.source,
            "max_steps": self.max_steps,
            "inputs": json.loads(self.inputs),
            "published_by": self.published_by,
            "created_at": rfc3339(self.created_at),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition(Summary):
    """One version of a workflow; `raw` is its spec as JSON."""

    org_id: str
    team_id: str
    raw: str

    @property
    def spec(self) -> Spec:
        """The spec as the engine walks it."""
        return _read(self.raw)

    @property
    def is_new(self) -> bool:
        """Whether a plugin ships it and the team does not have it yet."""
        return not self.id

    def declares_input(self, name: str) -> bool:
        """Tells whether runs take an input of this name."""
        return any(one.name == name for one in self.spec.inputs)

    def public_with_spec(self) -> dict[str, Any]:
        """Returns the workflow as it is shown alone."""
        return {**self.public(), "spec": json.loads(self.raw)}


@lru_cache(maxsize=256)
def _read(raw: str) -> Spec:
    return read_spec(json.loads(raw))
