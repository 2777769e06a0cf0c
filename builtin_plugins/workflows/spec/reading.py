"""From the JSON of a judged spec to what the engine walks."""

from collections.abc import Mapping
from typing import Any

from builtin_plugins.workflows.spec.model import ChoiceStep, Input, MapStep, Spec, Step, ToolStep

DEFAULT_MAX_STEPS = 100


def read_spec(raw: Mapping[str, Any]) -> Spec:
    """Reads a spec that was found right; anything else raises what it happens to raise."""
    return Spec(
        slug=raw["slug"],
        name=raw.get("name", raw["slug"]),
        inputs=tuple(_read_input(name, one) for name, one in raw.get("inputs", {}).items()),
        start=raw["start"],
        max_steps=raw.get("max_steps", DEFAULT_MAX_STEPS),
        steps=tuple(_read_step(step) for step in raw["steps"]),
    )


def _read_input(name: str, raw: Mapping[str, Any]) -> Input:
    return Input(name, raw["type"], raw.get("required", True), raw.get("default"))


def _read_step(raw: Mapping[str, Any]) -> Step:
    name = raw["name"]
    if raw["kind"] == "choice":
        return ChoiceStep(name, raw["when"], raw["then"], raw["else"])
    arguments, retry, end = raw.get("with", {}), raw.get("retry", 0), raw.get("end", False)
    if raw["kind"] == "map":
        return MapStep(name, raw["over"], raw["tool"], arguments, retry, end)
    return ToolStep(name, raw["tool"], arguments, retry, end)
