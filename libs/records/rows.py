"""Records of rows: a dataclass from the columns that are named as its fields."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any, TypeVar, cast

Made = TypeVar("Made")


def record_of(made: Callable[..., Made], row: Mapping[str, Any], **given: Any) -> Made:
    """Makes a record of a row: each field is the column of its name, unless it is given.

    A field that is a `bool` is one whatever number the database has for it. Columns of other names are passed
    by; one that is missing is a `KeyError`.
    """
    read = {name: convert(row[name]) for name, convert in _columns(made) if name not in given}
    return made(**read, **given)


def record_or_none(made: Callable[..., Made], row: Mapping[str, Any] | None) -> Made | None:
    """Makes a record of a row, if there is one."""
    return None if row is None else record_of(made, row)


@lru_cache
def _columns(made: Callable[..., object]) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    return tuple(
        (one.name, bool if one.type in (bool, "bool") else _as_it_is) for one in fields(cast(Any, made))
    )


def _as_it_is(value: Any) -> Any:
    return value
