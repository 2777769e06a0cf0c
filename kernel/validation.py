"""Values of requests, jobs, tools and preferences against the schemas that declare them."""

from collections.abc import Sequence

from guildhall_sdk import InvalidRequest
from guildhall_sdk.ids import parse_rfc3339
from guildhall_sdk.schema import Schema
from libs import json_validation
from libs.json_validation import Complaint

_FORMATS = {"date-time": lambda text: parse_rfc3339(text) is not None}


class Validator(json_validation.Validator):
    """A schema whose `check` raises `InvalidRequest`; `formats` enforces `format` (date-time) too."""

    def __init__(self, schema: Schema, *, formats: bool = False) -> None:
        super().__init__(schema, formats=_FORMATS if formats else None)

    def refusal(self, complaints: Sequence[Complaint]) -> InvalidRequest:
        return invalid_request(complaints)


class Validators:
    """Implements the SDK's `Validators`."""

    def validator(self, schema: Schema) -> Validator:
        return Validator(schema)


def invalid_request(complaints: Sequence[Complaint]) -> InvalidRequest:
    """Returns the refusal of a value with these complaints, of which there is one at least."""
    errors = [{"pointer": pointer, "message": message} for pointer, message in complaints]
    first = f"{errors[0]['pointer'] or 'body'}: {errors[0]['message']}"
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return InvalidRequest(first + more, errors=errors)
