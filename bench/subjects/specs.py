"""Judging a workflow spec of fifty steps, against `jsonschema` alone with the schema that is served."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from jsonschema import Draft202012Validator

from bench.report import Aim, Report
from bench.rounds import take_turns
from builtin_plugins.workflows.spec.flow import KnownTool, warnings_of
from builtin_plugins.workflows.spec.validation import FORMAT, validate_spec

NAME = "specs"
ROUNDS = 25
REPEATS = 3
STEPS = 50
TOOLS = {"count": KnownTool(enabled=True, schema={})}


def run(report: Report) -> None:
    spec, validator = long_spec(STEPS), Draft202012Validator(FORMAT.schema)
    taken = take_turns(
        {
            "judged": lambda: _milliseconds(lambda: validate_spec(spec, tools=TOOLS)),
            "judged, with warnings": lambda: _milliseconds(
                lambda: warnings_of(validate_spec(spec, tools=TOOLS), TOOLS)
            ),
            "jsonschema": lambda: _milliseconds(lambda: validator.validate(spec)),
        },
        ROUNDS,
    )
    for what in ("judged", "judged, with warnings"):
        line = f"a spec of {STEPS} steps, {what}"
        report.compare(NAME, line, taken[what], "jsonschema alone", taken["jsonschema"], Aim(2.0))
    for what, series in taken.items():
        report.reading(NAME, what, series, "ms")


def long_spec(count: int) -> Mapping[str, Any]:
    """Returns a spec of so many steps: tools that use what the last did, each tenth a choice, a map last."""
    last, before = f"s{count - 1}", ""
    steps: list[dict[str, Any]] = []
    for number in range(count - 1):
        name = f"s{number}"
        text = {"$from": f"steps.{before}.output.result.text" if before else "input.text"}
        if number % 10 == 9:
            when = {"contains": [text, "x"]}
            steps.append(
                {"name": name, "kind": "choice", "when": when, "then": f"s{number + 1}", "else": last}
            )
        else:
            arguments: dict[str, Any] = {
                "text": text,
                "run": {"$from": "run.id"},
                "options": {"fold": True, "words": [1, 2]},
            }
            steps.append({"name": name, "kind": "tool", "tool": "count", "with": arguments, "retry": 1})
            before = name
    over, item = {"$from": "input.list"}, {"text": {"$from": "item"}}
    steps.append({"name": last, "kind": "map", "over": over, "tool": "count", "with": item, "end": True})
    inputs = {"text": {"type": "string"}, "list": {"type": "array"}}
    return {"slug": "long", "start": "s0", "max_steps": count, "inputs": inputs, "steps": steps}


def _milliseconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    for _ in range(REPEATS):
        work()
    return (time.process_time() - began) * 1000 / REPEATS
