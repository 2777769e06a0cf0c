"""A plugin for the bench: a tool and a kind of job that do nothing, and workflows of that tool.

It counts how often either was called.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from guildhall_sdk import JobCall, JobKind, Parameter, Plugin, Principal, Reader, Tool, Workflow, hookimpl

PLUGIN = Plugin(id="flows", name="Flows", version="1", description="Work that does nothing.")
KIND = "x.flows.nothing"
TOOL = "flows_nothing"
THREE_STEPS, EACH = "three-steps", "each"
TRANSFORMS, WAITS = "two-transforms", "two-waits"
MAX_ITEMS = 10_000

_AT_FIRST = {"number": {"$from": "input.number"}}
_calls = 0


def calls() -> int:
    return _calls


async def do_nothing(_reader: Reader, _principal: Principal, arguments: Mapping[str, Any]) -> int:
    global _calls
    _calls += 1
    number: int = arguments["number"]
    return number


async def do_nothing_in_a_job(_: JobCall) -> None:
    global _calls
    _calls += 1


def _after(step: str) -> dict[str, Any]:
    return {"number": {"$from": f"steps.{step}.output.result"}}


@hookimpl
def declare_tools() -> Sequence[Tool]:
    parameters = [Parameter("number", "integer")]
    return [Tool(TOOL, "Returns its number.", "files:read", do_nothing, parameters=parameters)]


@hookimpl
def declare_job_kinds() -> Sequence[JobKind]:
    return [JobKind(KIND, "Nothing", handler=do_nothing_in_a_job)]


@hookimpl
def declare_workflows() -> Sequence[Workflow]:
    call = {"kind": "tool", "tool": TOOL}
    three: dict[str, Any] = {
        "slug": THREE_STEPS,
        "version": 1,
        "name": "Three steps",
        "inputs": {"number": {"type": "integer"}},
        "start": "a",
        "max_steps": 3,
        "steps": [
            {"name": "a", **call, "with": _AT_FIRST},
            {"name": "b", **call, "with": _after("a")},
            {"name": "c", **call, "with": _after("b"), "end": True},
        ],
    }
    each: dict[str, Any] = {
        "slug": EACH,
        "version": 1,
        "name": "Each",
        "inputs": {"numbers": {"type": "array"}},
        "start": "all",
        "max_steps": MAX_ITEMS,
        "steps": [
            {
                "name": "all",
                "kind": "map",
                "over": {"$from": "input.numbers"},
                "tool": TOOL,
                "with": {"number": {"$from": "item"}},
                "end": True,
            }
        ],
    }
    transforms = _before_a_tool(TRANSFORMS, {"kind": "transform", "expression": "@", "with": _AT_FIRST})
    waits = _before_a_tool(WAITS, {"kind": "wait", "seconds": 0.001})
    return [Workflow(three), Workflow(each), Workflow(transforms), Workflow(waits)]


def _before_a_tool(slug: str, step: Mapping[str, Any]) -> dict[str, Any]:
    """A workflow of a step twice, and then the tool."""
    return {
        "slug": slug,
        "version": 1,
        "inputs": {"number": {"type": "integer"}},
        "start": "a",
        "max_steps": 3,
        "steps": [
            {"name": "a", **step},
            {"name": "b", **step},
            {"name": "c", "kind": "tool", "tool": TOOL, "with": _AT_FIRST},
        ],
    }
