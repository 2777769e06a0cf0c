"""The step `transform`: JSON by a JMESPath expression, in a process of its own that can be killed."""

import json
import os
import select
import struct
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

from guildhall_sdk import UserError
from guildhall_sdk.schema import string
from guildhall_sdk.services.workflows import StepCall, StepKind
from libs.fair_slots import FairThread

MAX_BYTES = 1024 * 1024
MAX_EXPRESSION = 4_096
MAX_SECONDS = 1.0
_START_SECONDS = 10.0
_WORKER = Path(__file__).with_name("jmespath_worker.py")
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


class _Worker:
    """The process, started when it is first needed, and again after it was killed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def ask(self, expression: str, data: Any) -> Any:
        """Returns what the expression gives; raises `UserError`. It blocks for a second at most."""
        question = _encode([expression, data]).encode("utf-8", "surrogatepass")
        if len(question) > MAX_BYTES + MAX_EXPRESSION:
            raise UserError("What the transform is given is over 1 MiB.", code="input_too_large")
        try:
            answer = self._exchange(question)
        except TimeoutError:
            self._end()
            raise UserError(
                f"The transform took more than {MAX_SECONDS:g} s.", code="transform_timeout"
            ) from None
        except OSError:
            self._end()
            raise UserError("The transform needed too much memory.", code="transform_too_large") from None
        if (error := answer.get("error")) is not None:
            raise UserError(error[1], code=error[0])
        return json.loads(answer["text"])

    def _exchange(self, question: bytes) -> Mapping[str, Any]:
        # A fork has the pipes of the process that it comes from, and needs its own.
        process = self._process if self._owner == os.getpid() else None
        if process is None or process.poll() is not None:
            process = self._process = self._start()
            self._owner = os.getpid()
        assert process.stdin is not None
        deadline = time.monotonic() + MAX_SECONDS
        process.stdin.write(struct.pack("!I", len(question)) + question)
        process.stdin.flush()
        (length,) = struct.unpack("!I", self._read(process, 4, deadline))
        answer: Mapping[str, Any] = json.loads(self._read(process, length, deadline))
        return answer

    def _start(self) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(  # noqa: S603 - our own file, without anything of a caller
            [sys.executable, "-I", str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            bufsize=0,
        )
        self._read(process, 1, time.monotonic() + _START_SECONDS)
        return process

    @staticmethod
    def _read(process: "subprocess.Popen[bytes]", length: int, deadline: float) -> bytes:
        assert process.stdout is not None
        descriptor, found = process.stdout.fileno(), b""
        while len(found) < length:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                raise TimeoutError
            part = os.read(descriptor, length - len(found))
            if not part:
                raise BrokenPipeError
            found += part
        return found

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


_WORKING = _Worker()
# In turn between companies: one waits for one transform of each other at most.
_THREAD = FairThread("transforms")


async def transformed(org_id: str, expression: str, data: Any) -> Any:
    """Returns what an expression makes of JSON; raises `UserError`."""
    return await _THREAD.run(org_id, _WORKING.ask, expression, data)


async def _transform(call: StepCall) -> Any:
    return await transformed(call.job.org_id, call.fields["expression"], call.fields.get("with"))


def _check(fields: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    try:
        jmespath.compile(fields["expression"])
    except (JMESPathError, RecursionError) as fault:
        yield "expression", f"is no JMESPath: {' '.join(str(fault).split())[:200]}"


TRANSFORM = StepKind(
    name="transform",
    doc="Makes JSON of JSON by a JMESPath expression, which is given what stands in `with`.",
    run=_transform,
    fields={
        "expression": string(min_length=1, max_length=MAX_EXPRESSION),
        "with": {"$ref": "#/$defs/binding"},
    },
    required=("expression",),
    check=_check,
)
