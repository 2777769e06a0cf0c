"""`response_format`: taken before a turn, and the answer judged by it before anybody gets that."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isinf
from typing import Any

from guildhall_sdk.services.computing import JsonSchemas, JudgedSchema
from libs.fair_slots import BODIES
from libs.model_wire import sound

# Longer answers are read on a thread.
_SHORT = 32 * 1024
# What is longer would keep others waiting while it is read.
MAX_JSON_CHARACTERS = 256 * 1024
POINTER = "/response_format/json_schema/schema"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A value that fits, or why there is none."""

    parsed: Any = None
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """An answer must be JSON: an object, or whatever the schema says."""

    holder: str
    schema: JudgedSchema | None

    async def judge(self, text: str) -> Judgement:
        """Reads an answer; a fence of Markdown around it is let pass."""
        if len(text) > MAX_JSON_CHARACTERS:
            return Judgement(fault=f"the answer has more than {MAX_JSON_CHARACTERS:,} characters")
        try:
            if len(text) <= _SHORT:
                value = _parse(text)
            else:
                value = await BODIES.run(self.holder, _parse, text)
        except (ValueError, RecursionError):
            return Judgement(fault="the answer is not JSON")
        if self.schema is None:
            return Judgement(value) if isinstance(value, dict) else Judgement(fault="/: must be an object")
        problems = await self.schema.problems(value)
        # A problem names fields as the model wrote them, and goes back to it.
        return Judgement(fault=sound("; ".join(problems))) if problems else Judgement(value)


async def admit_format(
    schemas: JsonSchemas, org_id: str, response_format: Mapping[str, Any] | None
) -> JsonFormat | None:
    """The format to judge by; None for text. Raises `InvalidRequest` for a schema that is none."""
    kind = "text" if response_format is None else response_format["type"]
    if response_format is None or kind == "text":
        return None
    if kind == "json_object":
        return JsonFormat(org_id, None)
    schema = response_format["json_schema"]["schema"]
    return JsonFormat(org_id, await schemas.admit(org_id, schema, pointer=POINTER))


def _parse(text: str) -> Any:
    return json.loads(_unfenced(text), parse_constant=_refuse, parse_float=_finite)


def _unfenced(text: str) -> str:
    stripped = text.strip()
    if not (stripped.startswith("```") and stripped.endswith("```") and "\n" in stripped):
        return stripped
    return stripped[stripped.index("\n") + 1 : -3].strip()


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _finite(literal: str) -> float:
    """A number beyond what a float holds would be one that no answer can carry."""
    if isinf(number := float(literal)):
        raise ValueError("a number is too large")
    return number
