"""The service `Models`: a turn goes to whom an executor or a role names, metered, its answer checked."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from math import isinf
from typing import Any, NamedTuple

from builtin_plugins.ai.metering import TurnMetering, estimated_prompt, estimated_tokens
from builtin_plugins.ai.prompts import check_pictures
from builtin_plugins.ai.settings import role_executor
from builtin_plugins.ai.simulated import SIMULATED
from builtin_plugins.ai.sources import (
    CompanyThreads,
    EndpointSource,
    Opened,
    SimulatedSource,
    Stored,
    WorkerSource,
    embed,
)
from builtin_plugins.ai.traced import traced
from guildhall_sdk import Host, Principal, Reader, UserError
from guildhall_sdk.jobs import running_job
from guildhall_sdk.services.computing import AdmittedSchema, JsonSchemas
from guildhall_sdk.services.models import (
    Embedded,
    Executor,
    Executors,
    ModelChoice,
    ModelDelta,
    ModelFormat,
    ModelReply,
    ModelRole,
    ModelTurn,
    TokenUsage,
    ToolCall,
)
from guildhall_sdk.services.server import Tracing
from libs.fair_slots import BODIES
from libs.model_wire import Completion, sound

# Longer answers are read on a thread.
_SHORT = 32 * 1024
# What is longer would keep others waiting while it is read.
MAX_JSON_CHARACTERS = 256 * 1024
POINTER = "/response_format/json_schema/schema"

LOCAL = "local"


class FormatCheck(NamedTuple):
    """A value that fits, or why there is none."""

    parsed: Any = None
    fault: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class JsonFormat:
    """An answer must be JSON: an object, or whatever the schema says."""

    holder: str
    schema: AdmittedSchema | None

    async def check(self, text: str) -> FormatCheck:
        """Reads an answer; a fence of Markdown around it is let pass."""
        if len(text) > MAX_JSON_CHARACTERS:
            return FormatCheck(fault=f"the answer has more than {MAX_JSON_CHARACTERS:,} characters")
        try:
            if len(text) <= _SHORT:
                value = _parse(text)
            else:
                value = await BODIES.run(self.holder, _parse, text)
        except (ValueError, RecursionError):
            return FormatCheck(fault="the answer is not JSON")
        if self.schema is None:
            return (
                FormatCheck(value) if isinstance(value, dict) else FormatCheck(fault="/: must be an object")
            )
        problems = await self.schema.problems(value)
        # A problem names fields as the model wrote them, and goes back to it.
        return FormatCheck(fault=sound("; ".join(problems))) if problems else FormatCheck(value)


async def admit_format(
    schemas: JsonSchemas, org_id: str, response_format: Mapping[str, Any] | None
) -> JsonFormat | None:
    """Returns the format to check by; None for text. Raises `InvalidRequest` for a schema that is none."""
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
    """Refuses a number beyond what a float holds: no answer can carry it."""
    if isinf(number := float(literal)):
        raise ValueError("a number is too large")
    return number


class MeteredModels:
    """Implements the SDK's `Models`."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._executors = host.service(Executors)
        self._schemas = host.service(JsonSchemas)
        self._metering = TurnMetering(host)
        self._tracing = host.find_service(Tracing)
        self._threads = CompanyThreads(SIMULATED)

    async def choose(
        self,
        reader: Reader,
        principal: Principal,
        *,
        executor: str | None = None,
        role: ModelRole | None = None,
    ) -> ModelChoice:
        return _choice(await self._executor(reader, principal, executor, role))

    async def ask(
        self,
        principal: Principal,
        turn: ModelTurn,
        *,
        executor: str | None = None,
        role: ModelRole | None = None,
        within: str | None = None,
        before_turn: Callable[[], Awaitable[None]] | None = None,
    ) -> ModelReply:
        check_pictures(self._host, turn)
        wanted = await admit_format(self._schemas, principal.org_id, turn.response_format)
        opened = (await self._open(principal, executor, role, within)).asking(turn)
        if self._tracing is not None:
            opened = traced(self._tracing, opened)
        if before_turn is not None:
            await before_turn()
        async with self._metering.turn(
            principal, opened.choice, turn, seconds=2 * self._executors.timeout_seconds
        ) as meter:
            meter.count(TokenUsage(estimated_prompt(turn), 0))
            completion = await opened.source.call(turn)
            usage = _usage(turn, completion)
            meter.count(usage)
            checked = await _check_format(wanted, completion)
            if checked.fault is None:
                return _reply(opened.choice, completion, usage, checked)
            # Once more, with what is wrong: its tokens count, and it is no second request.
            if before_turn is not None:
                await before_turn()
            again = _repair(turn, completion, checked.fault)
            completion = await opened.source.call(again)
            usage += _usage(again, completion)
            meter.count(usage)
            checked = await _check_format(wanted, completion)
            if checked.fault is not None:
                raise ModelFormat(f"The model's answer does not fit response_format: {checked.fault}")
            return replace(_reply(opened.choice, completion, usage, checked), repaired=True)

    async def stream(
        self,
        principal: Principal,
        turn: ModelTurn,
        *,
        executor: str | None = None,
        role: ModelRole | None = None,
        within: str | None = None,
        before_turn: Callable[[], Awaitable[None]] | None = None,
    ) -> AsyncGenerator[ModelDelta | ModelReply, None]:
        check_pictures(self._host, turn)
        wanted = await admit_format(self._schemas, principal.org_id, turn.response_format)
        opened = (await self._open(principal, executor, role, within)).asking(turn)
        if self._tracing is not None:
            opened = traced(self._tracing, opened)
        if before_turn is not None:
            await before_turn()
        async with self._metering.turn(
            principal, opened.choice, turn, seconds=self._executors.timeout_seconds, streamed=True
        ) as meter:
            prompt, produced = estimated_prompt(turn), 0
            meter.count(TokenUsage(prompt, 0))
            completion: Completion | None = None
            async with aclosing(opened.source.stream(turn)) as pieces:
                async for piece in pieces:
                    if meter.is_due:
                        await meter.hold()
                    if isinstance(piece, Completion):
                        completion = piece
                        continue
                    produced += len(piece) if piece.isascii() else len(piece.encode("utf-8", "replace"))
                    meter.count_piece(prompt - (-produced // 4))
                    yield ModelDelta(piece)
            assert completion is not None
            usage = _usage(turn, completion)
            meter.count(usage)
            checked = await _check_format(wanted, completion)
        yield _reply(opened.choice, completion, usage, checked)

    async def embed(
        self,
        principal: Principal,
        texts: Sequence[str],
        *,
        executor: str | None = None,
        stored: Stored | None = None,
    ) -> Embedded:
        opened = await self._open(principal, executor, "embedding", None)
        if self._tracing is not None:
            opened = traced(self._tracing, opened)
        seconds = self._executors.timeout_seconds
        return await embed(self._metering, principal, opened, texts, seconds=seconds, stored=stored)

    async def _executor(
        self, reader: Reader, principal: Principal, executor: str | None, role: ModelRole | None
    ) -> Executor:
        if executor is None and role is not None:
            found = await role_executor(self._host, reader, principal, role)
            if found is not None:
                return found
            if role == "embedding":
                raise UserError(
                    "No executor has the role embedding; PUT /api/model-roles names one.",
                    code="unknown_executor",
                )
        name = executor or LOCAL
        found = await self._executors.named(reader, principal.org_id, name)
        if found is None:
            raise UserError(
                f"There is no executor {name[:80]!r}; GET /api/executors lists those that there are.",
                code="unknown_executor",
            )
        return found

    async def _open(
        self, principal: Principal, executor: str | None, role: ModelRole | None, within: str | None
    ) -> Opened:
        async with self._host.data.read() as reader:
            found = await self._executor(reader, principal, executor, role)
            choice = _choice(found)
            if found.mode == "pull":
                seconds = self._executors.timeout_seconds
                job_id = within or running_job.get().id
                return Opened(choice, WorkerSource(self._host, principal, found, seconds, job_id))
            endpoint = await self._executors.endpoint(reader, principal.org_id, found)
        if endpoint is None:
            return Opened(choice, SimulatedSource(self._threads, principal.org_id))
        return Opened(choice, EndpointSource(endpoint))


def _choice(executor: Executor) -> ModelChoice:
    simulated = executor.mode == LOCAL and executor.model == SIMULATED
    return ModelChoice(
        executor.name,
        executor.id,
        executor.mode,
        executor.model or executor.name,
        simulated,
        company=executor.org_id is not None,
    )


def _usage(turn: ModelTurn, completion: Completion) -> TokenUsage:
    if completion.usage is not None:
        return TokenUsage(completion.usage.prompt, completion.usage.completion)
    said = completion.text + completion.reasoning
    return TokenUsage(estimated_prompt(turn), estimated_tokens(said) if said else 0, estimated=True)


async def _check_format(wanted: JsonFormat | None, completion: Completion) -> FormatCheck:
    return FormatCheck() if wanted is None else await wanted.check(completion.text)


def _repair(turn: ModelTurn, completion: Completion, fault: str) -> ModelTurn:
    asked = (
        f"Your answer does not fit the format that was asked for: {fault}. "
        "Answer again with nothing but the corrected JSON."
    )
    said = {"role": "assistant", "content": completion.text}
    return replace(turn, messages=[*turn.messages, said, {"role": "user", "content": asked}])


def _reply(
    choice: ModelChoice, completion: Completion, usage: TokenUsage, checked: FormatCheck
) -> ModelReply:
    return ModelReply(
        text=completion.text,
        model=choice.model,
        executor=choice.executor,
        simulated=choice.simulated,
        finish_reason=completion.finish_reason,
        usage=usage,
        tool_calls=[ToolCall(one.id, one.name, one.arguments) for one in completion.tool_calls],
        parsed=checked.parsed,
        schema_error=checked.fault,
        reasoning=completion.reasoning,
    )
