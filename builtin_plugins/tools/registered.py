"""A tool in the registry, and whether arguments are what it takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from guildhall_sdk import InvalidRequest, Tool
from guildhall_sdk.services.computing import Validator, Validators
from libs.bounded_schemas import BoundedSchema
from libs.fair_slots import BODIES, Steps, finished

# Of values times the steps for each: what is checked on the spot, and what is not checked at all.
_SMALL = 2_000
_MAX = 1_000_000
_PER_STEP = 5_000


def changes_things(tool: Tool) -> bool:
    """Tells whether a call may change something, by what the tool says or by how it is made."""
    return tool.hosted is not None if tool.writes is None else tool.writes


@dataclass(frozen=True, slots=True, eq=False)
class Registered:
    """A tool, the plugin it comes from, and the check of its arguments, which prepares itself when used.

    `cost` is how many steps checking one value takes, of a schema that was given raw.
    """

    source: str
    tool: Tool
    shape: Mapping[str, Any]
    arguments: Validator
    on: bool
    cost: int = 0

    def public(self, enabled: bool) -> dict[str, Any]:
        """Returns the tool as the API shows it."""
        return {
            "name": self.tool.name,
            "description": self.tool.description,
            "schema": self.shape,
            "permission": self.tool.permission,
            "writes": changes_things(self.tool),
            "source": self.source,
            "enabled": enabled,
        }

    async def check(self, holder: str, arguments: Mapping[str, Any]) -> None:
        """Raises `InvalidRequest`. What may take a while is checked on a thread, in the holder's turn."""
        if not self.cost:
            self.arguments.check(arguments)
            return
        if not await check_bounded(holder, self.cost, self.arguments, arguments):
            raise InvalidRequest("The arguments hold more values than this tool can be asked about at once.")


async def check_bounded(holder: str, cost: int, checker: Validator, value: Any) -> bool:
    """Checks a value against a bounded schema; False where it holds too much to be checked.

    Raises what the checker raises. What may take a while is checked on a thread, in the holder's turn.
    """
    small = _SMALL // cost
    if finished(_count_values(value, small)) <= small:
        checker.check(value)
        return True
    if cost * await BODIES.run_steps(holder, _count_values(value, _MAX // cost)) > _MAX:
        return False
    await BODIES.run_steps(holder, checker.check_in_steps(value))
    return True


def registered(source: str, tool: Tool, validators: Validators, *, on: bool) -> Registered:
    """Raises `ValueError` for a raw schema that cannot be taken."""
    if tool.schema is None:
        shape = tool.function_schema()
        return Registered(source, tool, shape, validators.validator(shape["parameters"]), on)
    try:
        bounded = BoundedSchema.of(tool.schema)
    except ValueError as fault:
        raise ValueError(f"its schema {fault}") from None
    shape = {**tool.function_schema(), "parameters": bounded.given}
    return Registered(source, tool, shape, validators.validator(bounded.checked), on, bounded.cost)


def _count_values(value: Any, limit: int) -> Steps[int]:
    """Counts the values, no further than one beyond the limit."""
    found, waiting = 0, [value]
    while waiting and found <= limit:
        one = waiting.pop()
        found += 1
        if isinstance(one, Mapping):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
        if found % _PER_STEP == 0:
            yield
    return found
