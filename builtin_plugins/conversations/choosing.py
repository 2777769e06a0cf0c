"""Which model answers."""

from typing import NamedTuple

from guildhall_sdk import Host, NotFound, Principal, Reader

DEFAULT = "default"


class ChosenModel(NamedTuple):
    """A model by the name that members know it by, and the executor that runs it; None is the hall's own."""

    name: str
    executor: str | None = None


async def choose_model(host: Host, reader: Reader, principal: Principal, name: str | None) -> ChosenModel:
    """Returns the model of this name; raises `NotFound` `unknown_model` where the caller may use none."""
    if name not in (None, DEFAULT):
        raise NotFound(f"There is no model {name!r} that you may use.", code="unknown_model")
    return ChosenModel(DEFAULT)
