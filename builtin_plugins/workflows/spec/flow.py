"""The ways through a workflow, the values that its steps use, and warnings to a publisher."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import islice
from typing import Any, NamedTuple

from builtin_plugins.workflows.spec.bindings import Reference, parse_reference, references
from builtin_plugins.workflows.spec.model import (
    ActionStep,
    ChoiceStep,
    MapStep,
    ParallelStep,
    Spec,
    Step,
    ToolStep,
)
from builtin_plugins.workflows.spec.problems import Found, Place, quoted

MAX_WARNINGS = 100


@dataclass(frozen=True)
class Flow:
    """The steps of a spec by their numbers; sets of them are the bits of an integer.

    `following` are the steps that may come next, `ends` those after which the run may be over.
    """

    start: int
    following: Sequence[tuple[int, ...]]
    ends: frozenset[int]
    choices: frozenset[int]
    #: The fewest jobs that each step can take.
    jobs: Sequence[int]
    #: Of each step those of `following` that come when it has failed: it has no output there.
    caught: Sequence[frozenset[int]]

    @classmethod
    def of(cls, spec: Spec) -> "Flow":
        """Reads the flow of a spec whose names of steps are all different and all there."""
        numbers = {step.name: number for number, step in enumerate(spec.every)}
        behind = _behind_branches(spec)
        following: list[tuple[int, ...]] = []
        caught: list[frozenset[int]] = []
        for step in spec.every:
            after = [numbers[name] for name in _following(spec, step, behind)]
            catch = frozenset() if step.catch is None else {numbers[step.catch.next]} - {*after}
            following.append((*after, *catch))
            caught.append(frozenset(catch))
        choices = frozenset(n for n, step in enumerate(spec.every) if isinstance(step, ChoiceStep))
        ends = frozenset(
            number for number, after in enumerate(following) if not (set(after) - caught[number])
        )
        jobs = [_fewest_jobs(step) for step in spec.every]
        return cls(numbers[spec.start], following, ends, choices, jobs, caught)

    @cached_property
    def reached(self) -> frozenset[int]:
        """The steps that some way leads to."""
        return frozenset(self._order)

    @cached_property
    def _order(self) -> Sequence[int]:
        """The steps that are reached, each before those that it leads to wherever no circle forbids that."""
        found = {self.start}
        left: list[int] = []
        path = [(self.start, iter(self.following[self.start]))]
        while path:
            number, others = path[-1]
            other = next((one for one in others if one not in found), None)
            if other is None:
                left.append(number)
                path.pop()
            else:
                found.add(other)
                path.append((other, iter(self.following[other])))
        return left[::-1]

    @cached_property
    def stuck(self) -> frozenset[int]:
        """The steps that can be reached, and from which no way leads to an end."""
        before: list[list[int]] = [[] for _ in self.following]
        for number, after in enumerate(self.following):
            for other in after:
                before[other].append(number)
        return self.reached - _spread(self.ends, before)

    @cached_property
    def may_run_before(self) -> Sequence[int]:
        """Of each step, the steps that have run on some way to it."""
        found = [0] * len(self.following)
        while True:
            previous = list(found)
            for number in self._order:
                out = found[number] | 1 << number
                for other in self.following[number]:
                    found[other] |= out
            if found == previous:
                return found

    @cached_property
    def surely_run_before(self) -> Sequence[int]:
        """Of each step, the steps that have run on every way to it."""
        found = [(1 << len(self.following)) - 1] * len(self.following)
        found[self.start] = 0
        while True:
            previous = list(found)
            for number in self._order:
                out = found[number] | 1 << number
                for other in self.following[number]:
                    found[other] &= found[number] if other in self.caught[number] else out
            if found == previous:
                return found

    @cached_property
    def choices_in_circles(self) -> frozenset[int]:
        """The choices that lead back to themselves through choices alone: nothing changes on such a way."""
        within = {n: [o for o in self.following[n] if o in self.choices] for n in self.choices}
        back: dict[int, list[int]] = {number: [] for number in self.choices}
        for number, others in within.items():
            for other in others:
                back[other].append(number)
        return frozenset(_peeled(_peeled(self.choices, within), back))

    def fewest_jobs(self) -> int | None:
        """Returns the jobs on the shortest way to an end, or None where there is none."""
        best = {self.start: self.jobs[self.start]}
        waiting = [(best[self.start], self.start)]
        while waiting:
            cost, number = heappop(waiting)
            if number in self.ends:
                return cost
            for other in self.following[number]:
                further = cost + self.jobs[other]
                if further < best.get(other, further + 1):
                    best[other] = further
                    heappush(waiting, (further, other))
        return None


def _behind_branches(spec: Spec) -> dict[str, str | None]:
    """Returns what follows the last step of a branch, by the names of the steps inside branches."""
    behind: dict[str, str | None] = {}
    for step in spec.every:
        if isinstance(step, ParallelStep):
            after = spec.after(step)
            name = behind.get(step.name) if after is None else after.name
            behind |= {below.name: name for branch in step.branches for below in branch}
    return behind


def _following(spec: Spec, step: Step, behind: Mapping[str, str | None]) -> list[str]:
    """Returns the names of the steps that may come after one that succeeds."""
    if isinstance(step, ChoiceStep):
        return [step.then, step.otherwise]
    if isinstance(step, ParallelStep):
        return [branch[0].name for branch in step.branches]
    after = spec.after(step)
    name = behind.get(step.name) if after is None else after.name
    turns = [*step.turns.values()] if isinstance(step, ActionStep) else []
    return [*([] if name is None else [name]), *turns]


def _spread(begin: Iterable[int], following: Sequence[Sequence[int]]) -> frozenset[int]:
    found = set(begin)
    todo = list(found)
    while todo:
        for other in following[todo.pop()]:
            if other not in found:
                found.add(other)
                todo.append(other)
    return frozenset(found)


def _peeled(nodes: Iterable[int], following: Mapping[int, Sequence[int]]) -> set[int]:
    """Returns what is left once each node is taken away that no other leads to, over and over."""
    left = set(nodes)
    led_to = Counter(other for number in left for other in following[number] if other in left)
    free = [number for number in left if not led_to[number]]
    while free:
        number = free.pop()
        left.discard(number)
        for other in following[number]:
            led_to[other] -= 1
            if other in left and not led_to[other]:
                free.append(other)
    return left


def _fewest_jobs(step: Step) -> int:
    """Counts the fewest jobs of a step: none of a choice, of a map those of a list that the spec names."""
    if isinstance(step, MapStep):
        return len(step.over) if isinstance(step.over, list) else 0
    return 0 if isinstance(step, ChoiceStep | ParallelStep) else 1


class Use(NamedTuple):
    """A reference in the step of this number; `in_map` where there is an item."""

    step: int
    place: Place
    reference: Reference
    in_map: bool


def uses(number: int, step: Step, place: Place) -> Iterator[Use]:
    """Yields what a step that stands at `place` refers to, in the order in which it stands there."""
    if isinstance(step, ChoiceStep):
        yield from _found(number, step.when, (*place, "when"), in_map=False)
    elif isinstance(step, ActionStep):
        yield from _found(number, step.fields, place, in_map=False)
    elif not isinstance(step, ParallelStep):
        if isinstance(step, MapStep):
            yield from _found(number, step.over, (*place, "over"), in_map=False)
        yield from _found(number, step.arguments, (*place, "with"), in_map=isinstance(step, MapStep))


def _found(number: int, binding: object, place: Place, *, in_map: bool) -> Iterator[Use]:
    for at, text in references(binding, place):
        yield Use(number, at, parse_reference(text), in_map)


class KnownTool(NamedTuple):
    """A tool as the team has it: whether it is on, and the schema of its arguments."""

    enabled: bool
    schema: Mapping[str, Any]


def warnings_of(spec: Spec, tools: Mapping[str, KnownTool]) -> list[Found]:
    """Returns warnings about a spec that was checked; `tools` are those that there are, by name."""
    return [*islice(_warnings(spec, tools), MAX_WARNINGS)]


def _warnings(spec: Spec, tools: Mapping[str, KnownTool]) -> Iterator[Found]:
    flow = Flow.of(spec)
    numbers = {step.name: number for number, step in enumerate(spec.every)}
    places = spec.places
    found = [use for number, step in enumerate(spec.every) for use in uses(number, step, places[number])]
    used = {(use.reference.root, use.reference.name) for use in found}
    for one in spec.inputs:
        if ("input", one.name) not in used:
            yield Found(("inputs", one.name), "no step uses this input")
        if one.required and one.default is not None:
            message = "is never taken: the input is required; add required: false"
            yield Found(("inputs", one.name, "default"), message)
    for number, step in enumerate(spec.every):
        if isinstance(step, ChoiceStep):
            if step.then == step.otherwise:
                yield Found((*places[number], "else"), "leads where then leads too")
        elif isinstance(step, ToolStep | MapStep):
            # Of a branch the last output is in that of the step which holds it.
            is_last = number in flow.ends or (len(places[number]) > 2 and spec.after(step) is None)
            if not is_last and ("step", step.name) not in used:
                yield Found(places[number], f"no step uses the output of {step.name}")
            yield from _tool_warnings(places[number], step, tools.get(step.tool))
    for use in found:
        if use.reference.root == "step":
            before = numbers[use.reference.name]
            # All branches have run where they join, which no single way shows.
            sure = flow.surely_run_before[use.step] >> before & 1 or len(places[before]) > 2
            if not sure:
                message = f"step {use.reference.name} does not run on every way here; then this is nothing"
                yield Found(use.place, message)


def _tool_warnings(at: Place, step: ToolStep | MapStep, tool: KnownTool | None) -> Iterator[Found]:
    place = (*at, "tool")
    if tool is None:
        yield Found(place, f"there is no tool {step.tool} now; a run fails here")
        return
    if not tool.enabled:
        yield Found(place, f"the tool {step.tool} is off for this team; a run fails here")
    for name in tool.schema.get("required", ()):
        if name not in step.arguments:
            message = f"the tool {step.tool} needs {quoted(str(name))}; a run fails here"
            yield Found((*at, "with", str(name)), message)
    if tool.schema.get("additionalProperties", True) is False:
        for name in step.arguments:
            if name not in tool.schema.get("properties", {}):
                message = f"the tool {step.tool} takes no {quoted(name)}; a run fails here"
                yield Found((*at, "with", name), message)
