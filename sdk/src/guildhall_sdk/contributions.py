"""Contributions: data that one plugin declares and another uses; the kernel knows none of the types."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from guildhall_sdk.routes import Route


@dataclass(frozen=True, slots=True, kw_only=True)
class Contributor:
    """The plugin that a contribution comes from, with its own rows at full paths and all it contributes."""

    id: str
    routes: Sequence[Route]
    contributions: Sequence[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepts:
    """A type of frozen dataclass that other plugins may return from `declare_contributions`.

    `check(row)` returns what is wrong with one and where, or None; a wrong one keeps its plugin out. What can
    be judged beside the rest of its plugin alone is left to `check_within(row, contributor)`.
    `name(row)` is what no two of them may share; with `named_as_plugin` it is the id of the plugin that
    brings it. `label` is what one is called in a refusal. Where the type has a field `feature`, a row is
    there for the teams that have that feature on.
    """

    type: type[Any]
    label: str
    check: Callable[[Any], str | None] | None = None
    check_within: Callable[[Any, Contributor], str | None] | None = None
    name: Callable[[Any], str] | None = None
    named_as_plugin: bool = False
