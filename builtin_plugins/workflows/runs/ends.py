"""Jobs of steps that are over, as their runs take them."""

import json
from dataclasses import dataclass
from typing import Any

from builtin_plugins.workflows.runs.kinds import RUN_ENDED
from guildhall_sdk import Job
from libs.strict_json import written

# Made once: `json.dumps` would make one for each value.
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_encode_in_ascii = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
_CANCELLED = ("cancelled", "Its job was cancelled.")


# Not frozen: a frozen one takes four times as long to make, and each step has its own.
@dataclass(slots=True)
class StepEnd:
    """How a job of a step ended; `index` is that of a map's item, `output` JSON."""

    run_id: str
    number: int
    index: int | None
    state: str
    output: str | None
    code: str | None
    message: str | None

    @classmethod
    def of(cls, job: Job) -> "StepEnd":
        payload = job.payload
        state: str = job.state
        code, message = (None, None) if job.error is None else (job.error.code, job.error.message)
        output = None
        if state == "succeeded":
            output, code, message = _output(job.result), None, None
        elif state == "cancelled":
            code, message = _CANCELLED
        elif code == RUN_ENDED:
            state = "cancelled"
        return cls(payload["run_id"], payload["number"], payload.get("index"), state, output, code, message)

    @property
    def size(self) -> int:
        if self.output is None:
            return 0
        return (len(self.output) if self.output.isascii() else len(self.output.encode())) + 1

    def row(self, revision: int) -> tuple[Any, ...]:
        """Returns it as `end_steps` and `end_items` take it, where what is left out is null."""
        row = (self.run_id, self.number, self.index, revision, self.state, self.output)
        return row if self.code is None else (*row, self.code, self.message)


def _output(result: Any) -> str:
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
