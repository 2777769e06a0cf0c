"""Contributions: data that one plugin declares and another uses; the kernel knows none of the types."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepts:
    """A type of frozen dataclass that other plugins may return from `declare_contributions`.

    `check(row)` returns what is wrong with one and where, or None; a wrong one keeps its plugin out.
    `name(row)` is what no two of them may share. `label` is what one is called in a refusal. Where the type
    has a field `feature`, a row is there for the teams that have that feature on.
    """

    type: type[Any]
    label: str
    check: Callable[[Any], str | None] | None = None
    name: Callable[[Any], str] | None = None
