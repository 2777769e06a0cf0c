"""Preferences: what a team or a company decides about a plugin, as JSON of a known shape."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

from guildhall_sdk.hooks import declares
from guildhall_sdk.schema import Schema

Value = TypeVar("Value")

#: How long a value may be as JSON in UTF-8.
MAX_PREFERENCE_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Preference(Generic[Value]):
    """A value that each team has, or each company; the service `Preferences` reads and writes it."""

    #: Small letters, digits and `_`, once in a plugin.
    name: str
    #: One line that says what it is for.
    help: str
    schema: Schema
    #: What holds until somebody writes another; JSON that fits the schema.
    default: Value
    #: The permission to write it.
    write_permission: str
    #: The permission to read it; None lets everybody of the team or the company.
    read_permission: str | None = None
    holder: Literal["team", "company"] = "team"


class PreferenceHooks(Protocol):
    """The hook of the plugin `preferences`."""

    @declares(Preference, label="preference")
    def declare_preferences(self) -> Sequence[Preference[Any]]:
        """Declares what each team or company decides about this plugin, by the service `Preferences`."""
