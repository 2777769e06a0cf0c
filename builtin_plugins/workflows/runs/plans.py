"""Specs as runs use them: read once, with what each step refers to."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from builtin_plugins.workflows.definitions import Definition, Definitions
from builtin_plugins.workflows.spec.bindings import parse_reference, references
from builtin_plugins.workflows.spec.model import ChoiceStep, MapStep, Spec, Step
from guildhall_sdk import Host, Reader

_MAX_PLANS = 512


@dataclass(frozen=True, slots=True)
class Needs:
    """What has to be read before something can be resolved: the run's input, and outputs of steps."""

    input: bool = False
    steps: frozenset[str] = frozenset()
    #: How often it refers to these.
    references: int = 0

    def __or__(self, other: "Needs") -> "Needs":
        return Needs(self.input or other.input, self.steps | other.steps, self.references + other.references)


@dataclass(slots=True)
class Plan:
    """A spec with what its steps need."""

    spec: Spec
    _calls: dict[str, Needs] = field(default_factory=dict)
    _entries: dict[str, Needs] = field(default_factory=dict)

    def call_needs(self, step: Step) -> Needs:
        """Returns what the arguments of a step refer to."""
        found = self._calls.get(step.name)
        if found is None:
            found = needs_of([]) if isinstance(step, ChoiceStep) else needs_of([step.arguments])
            self._calls[step.name] = found
        return found

    def entry_needs(self, step: Step) -> Needs:
        """Returns what decides how the run goes on from a step until the next job: choices and lists."""
        found = self._entries.get(step.name)
        if found is None:
            found = self._entries[step.name] = self._walk(step)
        return found

    def _walk(self, start: Step) -> Needs:
        needs, seen, todo = Needs(), {start.name}, [start]
        while todo:
            step = todo.pop()
            following: list[Step | None] = []
            if isinstance(step, ChoiceStep):
                needs |= needs_of([step.when])
                following = [self.spec.step(step.then), self.spec.step(step.otherwise)]
            elif isinstance(step, MapStep):
                needs |= needs_of([step.over])
                # It may have no items.
                following = [self.spec.after(step)]
            for one in following:
                if one is not None and one.name not in seen:
                    seen.add(one.name)
                    todo.append(one)
        return needs


def needs_of(bindings: Iterable[Any]) -> Needs:
    """Returns what bindings refer to."""
    parsed = [parse_reference(text) for binding in bindings for _, text in references(binding)]
    return Needs(
        any(one.root == "input" for one in parsed),
        frozenset(one.name for one in parsed if one.root == "step"),
        len(parsed),
    )


class Plans:
    """The plans of the versions that run; these never change, and so neither do their plans."""

    def __init__(self, host: Host) -> None:
        self._definitions = Definitions(host)
        self._known: OrderedDict[tuple[str, str, int], Plan] = OrderedDict()

    def of(self, definition: Definition) -> Plan:
        """Returns the plan of a definition."""
        key = (definition.team_id, definition.slug, definition.version)
        if (found := self._known.get(key)) is None:
            found = self._known[key] = Plan(definition.spec)
            if len(self._known) > _MAX_PLANS:
                self._known.popitem(last=False)
        return found

    async def at_version(self, reader: Reader, team_id: str, slug: str, version: int) -> Plan:
        """Returns the plan of the version that a run began with."""
        if (found := self._known.get((team_id, slug, version))) is not None:
            return found
        definition = await self._definitions.at_version(reader, team_id, slug, version)
        if definition is None:
            raise LookupError(f"the version {version} of {slug} is gone")
        return self.of(definition)
