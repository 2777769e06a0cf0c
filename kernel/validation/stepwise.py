"""Values against JSON Schema in short steps, for a thread that others use too.

The library finds problems lazily, by generators that call one another. A pause goes up the same way, as a
problem that is none: whoever counts problems hands it on.
For schemas that `libs.bounded_schemas` has reduced: without references and regular expressions.
"""

import json
import threading
from collections.abc import Callable, Generator, Iterator
from time import monotonic
from typing import Any

from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from guildhall_sdk.schema import Schema
from kernel.validation.json_schema import Judge, StrictValidator, complain
from kernel.validation.messages import MAX_ERRORS, Complaint, refuse
from libs.fair_slots import Steps

STEP_SECONDS = 0.01
_step = threading.local()


class _Pause(ValidationError):
    """Not a problem: others may have their turn."""


Pauses = Iterator[ValidationError]


def _pause_if_due() -> Pauses:
    if monotonic() >= _step.end:
        yield _Pause("")


def _paced(judge: Judge) -> Judge:
    """Wraps a keyword so that it begins with a pause where the step has been long enough."""

    def paced(validator: Any, wanted: Any, value: Any, schema: Schema) -> Pauses:
        if monotonic() >= _step.end:
            yield _Pause("")
        yield from judge(validator, wanted, value, schema) or ()

    return paced


def _problems(
    validator: Any, value: Any, form: Any, most: int, number: int | None = None
) -> Generator[ValidationError, None, list[ValidationError]]:
    """Returns the first problems of a value under a form; yields the pauses that this takes."""
    yield from _pause_if_due()
    if isinstance(form, bool):
        place = () if number is None else (number,)
        return [] if form else [ValidationError("nothing is allowed", schema_path=place)]
    found: list[ValidationError] = []
    for problem in validator.descend(value, form, schema_path=number):
        if isinstance(problem, _Pause):
            yield problem
        else:
            found.append(problem)
            if len(found) == most:
                break
    return found


def _any_of(validator: Any, forms: Any, value: Any, _schema: Schema) -> Pauses:
    found: list[ValidationError] = []
    for number, form in enumerate(forms):
        below = yield from _problems(validator, value, form, MAX_ERRORS, number)
        if not below:
            return
        found += below
    yield ValidationError("fits no form", context=found)


def _one_of(validator: Any, forms: Any, value: Any, schema: Schema) -> Pauses:
    yield from _any_of(validator, forms, value, schema)
    fitting = 0
    for form in forms:
        fitting += not (yield from _problems(validator, value, form, 1))
    if fitting > 1:
        yield ValidationError("fits more than one form")


def _not(validator: Any, form: Any, value: Any, _schema: Schema) -> Pauses:
    if not (yield from _problems(validator, value, form, 1)):
        yield ValidationError("fits what it must not")


def _if(validator: Any, form: Any, value: Any, schema: Schema) -> Pauses:
    branch = "else" if (yield from _problems(validator, value, form, 1)) else "then"
    if branch in schema:
        yield from validator.descend(value, schema[branch], schema_path=branch)


def _contains(validator: Any, form: Any, value: Any, _schema: Schema) -> Pauses:
    if not isinstance(value, list):
        return
    for item in value:
        if not (yield from _problems(validator, item, form, 1)):
            return
    yield ValidationError("has no item that fits")


def _unique_items(_validator: Any, wanted: bool, value: Any, _schema: Schema) -> Pauses:
    if not wanted or not isinstance(value, list):
        return
    seen: set[str] = set()
    for item in value:
        seen.add(json.dumps(item, sort_keys=True))
        yield from _pause_if_due()
    if len(seen) != len(value):
        yield ValidationError("has an item twice")


_KEYWORDS = {
    **StrictValidator.VALIDATORS,
    "anyOf": _any_of,
    "contains": _contains,
    "if": _if,
    "not": _not,
    "oneOf": _one_of,
    "uniqueItems": _unique_items,
}
_PacedValidator: Any = extend(  # type: ignore[no-untyped-call]
    StrictValidator, {name: _paced(judge) for name, judge in _KEYWORDS.items()}
)


def prepare_steps(schema: Schema) -> Callable[[Any], Steps[None]]:
    """Returns a function from a value to the steps of its check, which raise `InvalidRequest`."""
    validator = _PacedValidator(dict(schema))

    def check(value: Any) -> Steps[None]:
        found: list[ValidationError] = []
        _step.end = monotonic() + STEP_SECONDS
        for problem in validator.iter_errors(value):
            if isinstance(problem, _Pause):
                yield
                _step.end = monotonic() + STEP_SECONDS
                continue
            found.append(problem)
            if len(found) == MAX_ERRORS:
                break
        complaints: list[Complaint] = []
        for problem in found:
            complaints += complain(problem)
            yield
        refuse(complaints)

    return check
