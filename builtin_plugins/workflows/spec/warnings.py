"""What a publisher should know about a spec that is right: it is published all the same."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from builtin_plugins.workflows.spec.flow import Flow
from builtin_plugins.workflows.spec.model import ChoiceStep, MapStep, Spec, ToolStep
from builtin_plugins.workflows.spec.problems import Found, quoted
from builtin_plugins.workflows.spec.use import uses

MAX_WARNINGS = 100


@dataclass(frozen=True, slots=True)
class KnownTool:
    """A tool as the team has it: whether it is on, and the schema of its arguments."""

    enabled: bool
    schema: Mapping[str, Any]


def warnings_of(spec: Spec, tools: Mapping[str, KnownTool]) -> list[Found]:
    """Returns warnings about a spec that was judged; `tools` are those that there are, by name."""
    return [*islice(_warnings(spec, tools), MAX_WARNINGS)]


def _warnings(spec: Spec, tools: Mapping[str, KnownTool]) -> Iterator[Found]:
    flow = Flow.of(spec)
    numbers = {step.name: number for number, step in enumerate(spec.steps)}
    found = [use for number, step in enumerate(spec.steps) for use in uses(number, step)]
    used = {(use.reference.root, use.reference.name) for use in found}
    for one in spec.inputs:
        if ("input", one.name) not in used:
            yield Found(("inputs", one.name), "no step uses this input")
        if one.required and one.default is not None:
            message = "is never taken: the input is required; add required: false"
            yield Found(("inputs", one.name, "default"), message)
    for number, step in enumerate(spec.steps):
        if isinstance(step, ChoiceStep):
            if step.then == step.otherwise:
                yield Found(("steps", number, "else"), "leads where then leads too")
            continue
        if number not in flow.ends and ("step", step.name) not in used:
            yield Found(("steps", number), f"no step uses the output of {step.name}")
        yield from _tool_warnings(number, step, tools.get(step.tool))
    for use in found:
        if use.reference.root == "step":
            sure = flow.surely_run_before[use.step] >> numbers[use.reference.name] & 1
            if not sure:
                message = f"step {use.reference.name} does not run on every way here; then this is nothing"
                yield Found(use.place, message)


def _tool_warnings(number: int, step: ToolStep | MapStep, tool: KnownTool | None) -> Iterator[Found]:
    place = ("steps", number, "tool")
    if tool is None:
        yield Found(place, f"there is no tool {step.tool} now; a run fails here")
        return
    if not tool.enabled:
        yield Found(place, f"the tool {step.tool} is off for this team; a run fails here")
    for name in tool.schema.get("required", ()):
        if name not in step.arguments:
            message = f"the tool {step.tool} needs {quoted(str(name))}; a run fails here"
            yield Found(("steps", number, "with", str(name)), message)
    if tool.schema.get("additionalProperties", True) is False:
        for name in step.arguments:
            if name not in tool.schema.get("properties", {}):
                message = f"the tool {step.tool} takes no {quoted(name)}; a run fails here"
                yield Found(("steps", number, "with", name), message)
