"""Which values the steps of a workflow use, and where."""

from collections.abc import Iterator
from dataclasses import dataclass

from builtin_plugins.workflows.spec.bindings import Reference, parse_reference, references
from builtin_plugins.workflows.spec.model import ChoiceStep, MapStep, Step
from builtin_plugins.workflows.spec.problems import Place


@dataclass(frozen=True, slots=True)
class Use:
    """A reference in the step of this number; `in_map` where there is an item."""

    step: int
    place: Place
    reference: Reference
    in_map: bool


def uses(number: int, step: Step) -> Iterator[Use]:
    """Yields what a step refers to, in the order in which it stands there."""
    place: Place = ("steps", number)
    if isinstance(step, ChoiceStep):
        yield from _found(number, step.when, (*place, "when"), in_map=False)
        return
    if isinstance(step, MapStep):
        yield from _found(number, step.over, (*place, "over"), in_map=False)
    yield from _found(number, step.arguments, (*place, "with"), in_map=isinstance(step, MapStep))


def _found(number: int, binding: object, place: Place, *, in_map: bool) -> Iterator[Use]:
    for at, text in references(binding, place):
        yield Use(number, at, parse_reference(text), in_map)
