"""One tool call of the loop: checked as the caller is now, run outside every scope, audited, rendered."""

import asyncio
import json
import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from builtin_plugins.ai.agent.offering import Offer
from builtin_plugins.ai.agent.turns import OutOfTime, finish_within
from builtin_plugins.ai.agent.types import AgentStep, StepError
from builtin_plugins.ai.authority import Authority
from guildhall_sdk import Actor, Forbidden, Host, InvalidRequest, Principal, Problem, Reader
from guildhall_sdk.errors import InvalidJson
from guildhall_sdk.services.identity import AuthorityEnded
from guildhall_sdk.services.models import ToolCall
from guildhall_sdk.tools import AdmittedTool, Artifact, Tools
from libs.fair_slots import TEXTS
from libs.model_wire import sound
from libs.strict_json import JsonFault, decode_json

MAX_ARGUMENT_BYTES = 256 * 1024

MAX_MODEL_BYTES = 32 * 1024
_MAX_MESSAGE = 2_000
_MAX_PROBLEMS = 5
TOOL_SECONDS = 60.0
_MAX_NAME = 128
_MAX_WRITTEN = 1_000
_UNFIT_IN_NAME = re.compile("[^A-Za-z0-9_-]")
# Longer texts are gone through on a thread.
_SMALL = 64 * 1024
_OK, _CANCELLED = "ok", "cancelled"
_log = logging.getLogger("guildhall.ai.agent")


def parse_arguments(text: str) -> dict[str, Any]:
    """Reads an object; nothing at all is an empty one. Raises `InvalidJson` or `InvalidRequest`."""
    raw = text.encode("utf-8", "replace")
    if len(raw) > MAX_ARGUMENT_BYTES:
        raise InvalidRequest(f"The arguments have more than {MAX_ARGUMENT_BYTES // 1024} KiB; send less.")
    if not raw.strip():
        return {}
    try:
        value = decode_json(raw)
    except JsonFault as fault:
        raise InvalidJson(f"The arguments are not JSON: {fault.detail}") from None
    if not isinstance(value, dict):
        raise InvalidRequest("The arguments must be a JSON object.")
    return value


class UnfitResult(TypeError):
    """A tool gave something that is no JSON; that is the fault of whoever wrote it."""


class RenderedResult(NamedTuple):
    """`text` is for the model, no longer than it should be; `size` is the bytes that `value` comes to."""

    text: str
    value: Any
    size: int
    artifact: Mapping[str, Any] | None = None
    cut: bool = False


def render_result(given: Any) -> RenderedResult:
    """Renders a result: a text as it is, an artifact in one line, anything else as JSON.

    Raises `UnfitResult`.
    """
    if isinstance(given, Artifact):
        line, artifact = " ".join(sound(given.line()).split()), _plain(given.public())
        text, cut = cut_text(line)
        return RenderedResult(text, text, len(_json(artifact)), artifact, cut)
    value = sound(given) if isinstance(given, str) else _plain(given)
    whole = value if isinstance(value, str) else _json(value)
    text, cut = cut_text(whole)
    return RenderedResult(text, value, len(whole), None, cut)


def render_error(error: StepError) -> str:
    """Renders an error for the model, as JSON so that it reads as no result."""
    return _json({"error": error.public()})


def step_error(problem: Problem) -> StepError:
    """Returns the error of a step whose tool was refused or failed by its own word."""
    places = [f"{one['pointer'] or '/'}: {one['message']}" for one in problem.errors[:_MAX_PROBLEMS]]
    return StepError(problem.code, sound("; ".join(places) or problem.detail)[:_MAX_MESSAGE])


def cut_text(text: str) -> tuple[str, bool]:
    """Returns the text, or its beginning with a note that there is more."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= MAX_MODEL_BYTES:
        return text, False
    beginning = encoded[:MAX_MODEL_BYTES].decode("utf-8", "ignore")
    return f"{beginning}\n[cut here: {MAX_MODEL_BYTES} of {len(encoded)} bytes]", True


def _plain(value: Any) -> Any:
    return json.loads(_json(value))


def _json(value: Any) -> str:
    try:
        return sound(json.dumps(value, ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as fault:
        raise UnfitResult(f"its result is no JSON: {type(fault).__name__}") from None


class EndedCall(NamedTuple):
    """A call that ended, well or not: `text` is what the model reads, `size` what the step holds in bytes.

    `call` is how it is repeated to the model, which wants a name and arguments that any server can read.
    """

    call: ToolCall
    step: AgentStep
    text: str
    size: int


class ToolCaller:
    """Makes the calls of one run."""

    def __init__(
        self, host: Host, principal: Principal, offer: Offer, *, deadline: float, request_id: str | None
    ) -> None:
        """Takes a `deadline` by the clock of the event loop."""
        self._host = host
        self._principal = principal
        self._authority = Authority.of(host, principal)
        self._offer = offer
        self._deadline = deadline
        self._actor = Actor(
            principal.username, principal.user_id, principal.org_id, principal.team_id, request_id
        )

    async def run(self, call: ToolCall) -> EndedCall:
        """Makes a call; what is wrong with it becomes the step's error.

        Raises `AuthorityEnded`, and what keeps the call out of the audit trail.
        """
        repeated = replace(_plain_name(call), arguments="{}")
        step = AgentStep(tool=call.name[:_MAX_NAME], arguments=call.arguments[:_MAX_WRITTEN])
        try:
            arguments = await self._arguments(call.arguments)
            repeated = replace(repeated, arguments=call.arguments.strip() or "{}")
            step = replace(step, arguments=arguments)
            admitted = await self._admit(call.name, arguments)
            rendered = await self._result(admitted)
        except asyncio.CancelledError:
            # Whoever leaves may have had something done already.
            await asyncio.shield(asyncio.create_task(self._audit(call.name, _CANCELLED)))
            raise
        except AuthorityEnded:
            raise
        except Exception as error:
            failure = self._error_of(call, error)
            await self._audit(call.name, failure.code)
            step = replace(step, error=failure)
            return EndedCall(repeated, step, render_error(failure), len(call.arguments))
        await self._audit(call.name, _OK)
        step = replace(step, result=rendered.value, artifact=rendered.artifact, cut=rendered.cut)
        return EndedCall(repeated, step, rendered.text, rendered.size + len(call.arguments))

    async def _arguments(self, text: str) -> dict[str, Any]:
        if len(text) <= _SMALL:
            return parse_arguments(text)
        return await TEXTS.run(self._principal.org_id, parse_arguments, text)

    async def _admit(self, name: str, arguments: Mapping[str, Any]) -> AdmittedTool:
        async with self._host.data.read() as reader:
            caller = await self._caller_now(reader)
            admitted = await self._host.service(Tools).admit(reader, caller, name, arguments)
        if name not in self._offer.functions:
            raise Forbidden(f"The tool {name} was not offered in this run.", code="tool_not_offered")
        return admitted

    async def _caller_now(self, reader: Reader) -> Principal:
        """Returns the caller with the rights that they had when they asked and still have."""
        principal = self._principal
        now = await self._authority.principal(reader)
        return replace(
            now, credential=principal.credential, permissions=principal.permissions & now.permissions
        )

    async def _result(self, admitted: AdmittedTool) -> RenderedResult:
        left = self._deadline - asyncio.get_running_loop().time()
        given = await finish_within(min(TOOL_SECONDS, left), admitted.run)
        if isinstance(given, str) and len(given) <= _SMALL:
            return render_result(given)
        # How large a value is nobody knows before it was gone through.
        return await TEXTS.run(self._principal.org_id, render_result, given)

    def _error_of(self, call: ToolCall, error: Exception) -> StepError:
        if isinstance(error, Problem):
            if error.code == "unknown_tool":
                return StepError("unknown_tool", "There is no tool of this name.")
            return step_error(error)
        if isinstance(error, OutOfTime):
            return StepError(
                "tool_timeout", f"The tool was ended: it took too long ({TOOL_SECONDS:g} s at most)."
            )
        fields = {"tool": self._known(call.name)}
        _log.error("tool.failed", exc_info=error, extra={"fields": fields})
        return StepError("internal", "The tool failed; the server's log says why.")

    async def _audit(self, name: str, outcome: str) -> None:
        """Records the call without its arguments; a name that the model made up could be anything."""
        known = self._known(name)
        async with self._host.data.write(self._actor) as writer:
            writer.audit(
                "tool.called", None if known is None else ("tool", known), detail={"outcome": outcome}
            )

    def _known(self, name: str) -> str | None:
        return name if name in self._offer.listed else None


def refused_call(call: ToolCall, error: StepError) -> EndedCall:
    """Returns a call that is not made at all."""
    step = AgentStep(tool=call.name[:_MAX_NAME], arguments=call.arguments[:_MAX_WRITTEN], error=error)
    return EndedCall(replace(_plain_name(call), arguments="{}"), step, render_error(error), _MAX_WRITTEN)


def _plain_name(call: ToolCall) -> ToolCall:
    return replace(call, name=_UNFIT_IN_NAME.sub("_", call.name[:64]))
