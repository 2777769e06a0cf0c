"""What runs compute with: specs read once, inputs and outputs when they are referred to, ends of steps."""

import asyncio
import json
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from builtin_plugins.workflows.definitions import Definition, Definitions
from builtin_plugins.workflows.runs.statements import RUN_ENDED, sql
from builtin_plugins.workflows.spec.bindings import parse_reference, references
from builtin_plugins.workflows.spec.model import (
    ActionStep,
    ChoiceStep,
    MapStep,
    ParallelStep,
    Spec,
    Step,
)
from guildhall_sdk import Host, Job, Reader
from libs.strict_json import capacity_after, written

_MAX_PLANS = 512

# What is longer is read and written on a thread.
LONG = 32 * 1024
# A call and a list of items may put together several outputs of a MiB, but not one of them a thousand times.
MAX_GIVEN = 8 * 1024 * 1024
TOO_MUCH_GIVEN = (
    "input_too_large",
    "The step would be given over 8 MiB in all: keep what is long in the repository, and give its key.",
)
# What is stored has nothing around it that `json.loads` would have to look for.
_decode = json.JSONDecoder().raw_decode
_MAX_VALUES = 2_000
_MAX_LENGTH = 4_096
#: The run and the number of the step whose output it is; 0 is the input of the run.
Place = tuple[str, int]
# Made once: `json.dumps` would make one for each value.
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_encode_in_ascii = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
_CANCELLED = ("cancelled", "Its job was cancelled.")


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
            found = needs_of([_given(step)])
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
            elif isinstance(step, ParallelStep):
                following = [branch[0] for branch in step.branches]
            if step.catch is not None and isinstance(step, ChoiceStep | MapStep | ParallelStep):
                following.append(self.spec.step(step.catch.next))
            for one in following:
                if one is not None and one.name not in seen:
                    seen.add(one.name)
                    todo.append(one)
        return needs


def _given(step: Step) -> Any:
    """Returns the binding of what a step's job is given."""
    if isinstance(step, ActionStep):
        return step.fields
    return [] if isinstance(step, ChoiceStep | ParallelStep) else step.arguments


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


async def decoded(text: str) -> Any:
    """Reads JSON that was stored, on a thread where it is long."""
    return _decode(text)[0] if len(text) <= LONG else await asyncio.to_thread(json.loads, text)


def is_long(value: Any) -> bool:
    """Tells whether a value is long, without walking through more of it than that takes."""
    return capacity_after(value, LONG) <= 0


class KnownValues:
    """The inputs and outputs of some runs, as far as they are needed."""

    def __init__(self) -> None:
        self.inputs: dict[str, Mapping[str, Any]] = {}
        self.outputs: dict[str, dict[str, Mapping[str, Any]]] = {}
        self._sizes: Counter[str] = Counter()

    def are_long(self, run_id: str, needs: Needs) -> bool:
        """Tells whether computing with the values of a run takes long enough for a thread."""
        return self._sizes[run_id] * max(needs.references, 1) > LONG

    def add_input(self, run_id: str, inputs: Mapping[str, Any], size: int) -> None:
        """Adds the input of a run that need not be read any more."""
        self.inputs[run_id] = inputs
        self._sizes[run_id] += size

    async def add_stored(self, run_id: str, name: str | None, text: str) -> None:
        """Adds the output of a step, or the input of a run for None, that is known as it is stored."""
        if name is None:
            self.inputs[run_id] = await decoded(text)
        else:
            self.outputs.setdefault(run_id, {})[name] = await decoded(text)
        self._sizes[run_id] += len(text)

    async def load(self, reader: Reader, wanted: Iterable[tuple[str, Needs]]) -> None:
        """Reads what runs need, by their ids, in two statements at most."""
        wanted = list(wanted)
        ids = [run_id for run_id, needs in wanted if needs.input and run_id not in self.inputs]
        if ids:
            for row in await reader.all(sql.inputs, ids=json.dumps(ids)):
                await self.add_stored(row["id"], None, row["input"])
        pairs = [
            [run_id, name]
            for run_id, needs in wanted
            for name in sorted(needs.steps)
            if name not in self.outputs.get(run_id, ())
        ]
        if pairs:
            for row in await reader.all(sql.outputs, wanted=json.dumps(pairs)):
                if row["output"] is not None:
                    await self.add_stored(row["run_id"], row["name"], row["output"])


class RecentValues:
    """The inputs and outputs that transactions of this process have committed, as JSON, until they are used.

    None of them ever changes: whoever commits one is the only one who ever will.
    """

    def __init__(self) -> None:
        self._values: OrderedDict[Place, tuple[str, str]] = OrderedDict()

    def store(self, values: Iterable[tuple[Place, str, str]]) -> None:
        """Keeps values that are committed, each with the name of its step."""
        for place, name, text in values:
            if len(text) <= _MAX_LENGTH:
                self._values[place] = name, text
        while len(self._values) > _MAX_VALUES:
            self._values.popitem(last=False)

    def take(self, place: Place) -> tuple[str, str] | None:
        """Returns a value with the name of its step, once."""
        return self._values.pop(place, None)


# Not frozen: a frozen one takes four times as long to make, and each step has its own.
@dataclass(slots=True, kw_only=True)
class StepEnd:
    """How a job of a step ended; `index` is that of a map's item, `output` JSON."""

    run_id: str
    number: int
    state: str
    index: int | None = None
    output: str | None = None
    code: str | None = None
    message: str | None = None
    #: What a step of a declared kind waits for, in state `waiting`.
    wait: Mapping[str, Any] | None = None
    #: The word of `ActionStep.turns` by which the run goes on.
    turn: str | None = None

    @classmethod
    def of(cls, job: Job) -> "StepEnd":
        payload = job.payload
        state: str = job.state
        code, message = (None, None) if job.error is None else (job.error.code, job.error.message)
        output, wait = None, None
        if state == "succeeded":
            result, code, message = job.result, None, None
            if "kind" in payload:
                # A declared kind says in the result whether it waits.
                wait, result = result.get("wait"), result.get("result")
            if wait is None:
                output = output_of(result)
            else:
                state = "waiting"
                output = None if wait["output"] is None else output_of(wait["output"])
        elif state == "cancelled":
            code, message = _CANCELLED
        elif code == RUN_ENDED:
            state = "cancelled"
        return cls(
            run_id=payload["run_id"],
            number=payload["number"],
            index=payload.get("index"),
            state=state,
            output=output,
            code=code,
            message=message,
            wait=wait,
        )

    @property
    def size(self) -> int:
        if self.output is None:
            return 0
        return (len(self.output) if self.output.isascii() else len(self.output.encode())) + 1

    def row(self, revision: int) -> tuple[Any, ...]:
        """Returns it as `end_steps` and `end_items` take it, where what is left out is null."""
        row = (self.run_id, self.number, self.index, revision, self.state, self.output)
        return row if self.code is None else (*row, self.code, self.message)


def output_of(result: Any) -> str:
    """Returns the output of a step with this result, as it is stored."""
    if result is None or type(result) is int:
        return '{"result":null}' if result is None else f'{{"result":{result}}}'
    return encoded({"result": result})


def encoded(value: Any) -> str:
    """Writes JSON as it is stored."""
    text = written(value, _encode)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which no database takes
        return written(value, _encode_in_ascii)
    return text
