"""Data of any kind that one plugin brings and another uses; the kernel knows none of the types."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepts:
    """A frozen dataclass that plugins may give in `declare_contributions`, for this plugin to use.

    `check(row)` says what is wrong with one, and where in it, or gives None; a bad one keeps its author out.
    `name(row)` is what no two of them may share. `label` is what one is called in a refusal. Where the type
    has a field `feature`, a row is there for the teams that have that feature on.
    """

    type: type[Any]
    label: str
    check: Callable[[Any], str | None] | None = None
    name: Callable[[Any], str] | None = None
