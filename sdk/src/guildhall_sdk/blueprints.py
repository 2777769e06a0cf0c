"""Quart blueprints of plugins, behind the gates of rows."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from guildhall_sdk.context import Call
from guildhall_sdk.routes import DEFAULT_MAX_BODY

if TYPE_CHECKING:
    from quart import Blueprint


@dataclass(frozen=True, slots=True, kw_only=True)
class BlueprintRoutes:
    """A Quart blueprint, mounted under `/api/x/<plugin id>/`; for `declare_routes`, among rows.

    Each of its rules becomes a row of the table, with this permission and feature: a handler runs after the
    same gates as any other. The first line of its docstring is the row's doc line.
    """

    blueprint: "Blueprint"
    permission: str
    feature: str | None = None
    max_body: int = DEFAULT_MAX_BODY


def current_call() -> Call:
    """Returns the call that a handler of a blueprint answers; outside of one it raises `RuntimeError`."""
    from quart import g

    return cast(Call, g.call)
