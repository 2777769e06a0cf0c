"""JSON Schemas that callers send: the SDK's `JsonSchemas`, with the bounds that tools have."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from builtin_plugins.tools.registered import check_bounded
from guildhall_sdk import InvalidRequest
from guildhall_sdk.services.computing import AdmittedSchema, Validator, Validators
from libs.bounded_schemas import BoundedSchema, SchemaRefused
from libs.fair_slots import BODIES

_MAX_SHOWN = 5


@dataclass(frozen=True, slots=True, eq=False)
class _Admitted:
    """Implements the SDK's `AdmittedSchema`."""

    holder: str
    cost: int
    checker: Validator

    async def problems(self, value: Any) -> Sequence[str]:
        try:
            if await check_bounded(self.holder, self.cost, self.checker, value):
                return ()
        except InvalidRequest as refusal:
            return [f"{error['pointer'] or '/'}: {error['message']}" for error in refusal.errors[:_MAX_SHOWN]]
        return ["/: holds more values than can be judged at once"]


class BoundedSchemas:
    """Implements the SDK's `JsonSchemas`. Regular expressions are not checked: some never end."""

    def __init__(self, validators: Validators) -> None:
        self._validators = validators

    async def admit(self, holder: str, schema: Any, *, pointer: str = "") -> AdmittedSchema:
        try:
            bounded = await BODIES.run(holder, BoundedSchema.of_value, schema)
        except SchemaRefused as fault:
            raise InvalidRequest.at(pointer, f"this schema {fault}") from None
        return _Admitted(holder, max(1, bounded.cost), self._validators.validator(bounded.checked))
