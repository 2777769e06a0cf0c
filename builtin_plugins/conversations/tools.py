"""Tools in a turn: which are offered, which wait for a confirmation, and calls of them as whoever asked."""

import asyncio
import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from builtin_plugins.conversations.acting import Acting
from guildhall_sdk import Host, InvalidRequest, Principal, Problem
from guildhall_sdk.errors import FeatureDisabled, ToolDisabled
from guildhall_sdk.plugin import Features
from guildhall_sdk.services.identity import AuthorityEnded
from guildhall_sdk.services.models import ToolCall
from guildhall_sdk.tools import Artifact, Tools
from libs.fair_slots import TEXTS
from libs.model_wire import sound
from libs.strict_json import JsonFault, decode_json

FEATURE = "agent"
AUTO = "auto"
MAX_OFFERED, MAX_NAMED = 32, 128
MAX_ARGUMENT_BYTES = 64 * 1024
#: Of a result, what a model reads and a message keeps.
MAX_RESULT_BYTES = 32 * 1024
#: What the calls of one answer hold in all; of what comes later the beginning alone.
MAX_HELD_BYTES = 512 * 1024
_SHORT = 500
TOOL_SECONDS = 60.0
_MAX_MESSAGE = 2_000
_UNFIT_IN_NAME = re.compile("[^A-Za-z0-9_-]")
_STEM = re.compile(r"[^\W_]{3,}")
_log = logging.getLogger("guildhall.conversations")

Call = dict[str, Any]


class Offer(NamedTuple):
    """What a model may call, as it is told, and the names of those that write."""

    functions: Mapping[str, Mapping[str, Any]]
    writing: frozenset[str]

    def tools(self) -> list[dict[str, Any]]:
        """Returns what a turn is given as its `tools`."""
        return [{"type": "function", "function": function} for function in self.functions.values()]


NO_TOOLS = Offer({}, frozenset())


async def check_named(host: Host, principal: Principal, tools: str | Sequence[str]) -> None:
    """Raises what a turn with these tools would be refused for: the feature is off, or one is not there."""
    await choose(host, principal, tools, "")


async def choose(host: Host, principal: Principal, wanted: str | Sequence[str], prompt: str) -> Offer:
    """Returns the tools that are named, or with "auto" those whose words stand in the prompt first."""
    if not wanted:
        return NO_TOOLS
    if not host.service(Features).of(principal).feature(FEATURE):
        raise FeatureDisabled(FEATURE)
    async with host.data.read() as reader:
        listed = {tool["name"]: tool for tool in await host.service(Tools).listing(reader, principal.team_id)}
    if wanted == AUTO:
        permitted = [one for one in listed.values() if one["enabled"] and principal.may(one["permission"])]
        taken = permitted if len(permitted) <= MAX_OFFERED else _nearest(permitted, prompt)
    else:
        for place, name in enumerate(wanted):
            if name not in listed:
                if (why := host.service(Tools).missing(name)).code != "unknown_tool":
                    raise why
                raise InvalidRequest(
                    f"There is no tool {name[:80]!r}; GET /api/tools lists those that there are.",
                    code="unknown_tool",
                    errors=[{"pointer": f"/tools/{place}", "message": "there is no such tool"}],
                )
            if not listed[name]["enabled"]:
                raise ToolDisabled(name)
        taken = [listed[name] for name in dict.fromkeys(wanted)]
    return Offer(
        {one["name"]: one["schema"] for one in taken},
        frozenset(one["name"] for one in taken if one["writes"]),
    )


def _nearest(tools: Sequence[Mapping[str, Any]], prompt: str) -> Sequence[Mapping[str, Any]]:
    words = {word[:5] for word in _STEM.findall(prompt[:20_000].casefold())}

    def score(tool: Mapping[str, Any]) -> int:
        named = {word[:5] for word in _STEM.findall(tool["name"].replace("_", " "))}
        described = {word[:5] for word in _STEM.findall(tool["description"][:1_000].casefold())}
        return 3 * len(words & named) + len(words & described)

    return sorted(tools, key=lambda tool: (-score(tool), tool["name"]))[:MAX_OFFERED]


def new_call(call: ToolCall, number: int, round_: int, offer: Offer, allowed: frozenset[str]) -> Call:
    """Returns a call as a message keeps it, before it is made: `waiting` where somebody must confirm it."""
    arguments: Any = call.arguments[:_SHORT]
    error: dict[str, str] | None = None
    state = "waiting" if call.name in offer.writing and call.name not in allowed else "queued"
    try:
        arguments = _arguments(call.arguments)
    except InvalidRequest as fault:
        error = _error(fault.code, fault.detail)
    made: Call = {
        "name": _UNFIT_IN_NAME.sub("_", call.name[:64]),
        "arguments": arguments,
        "result": None,
        "state": state,
        "call_id": f"{call.id}_{round_}_{number}",
        "round": round_,
        "writes": call.name in offer.writing,
    }
    return made if error is None else _failed(made, error)


def _arguments(text: str) -> dict[str, Any]:
    raw = text.encode("utf-8", "replace")
    if len(raw) > MAX_ARGUMENT_BYTES:
        raise InvalidRequest(f"The arguments have more than {MAX_ARGUMENT_BYTES // 1024} KiB; send less.")
    if not raw.strip():
        return {}
    try:
        value = decode_json(raw)
    except JsonFault as fault:
        raise InvalidRequest(f"The arguments are not JSON: {fault.detail}", code="invalid_json") from None
    if not isinstance(value, dict):
        raise InvalidRequest("The arguments must be a JSON object.")
    return value


def _error(code: str, message: str) -> dict[str, str]:
    return {"code": code, "message": sound(message)[:_MAX_MESSAGE]}


def _failed(call: Call, error: Mapping[str, str], state: str = "failed") -> Call:
    return {**call, "state": state, "error": dict(error), "text": json.dumps({"error": error})}


def refused(call: Call) -> Call:
    """Returns a call that somebody did not allow."""
    return _failed(call, _error("denied", "The person did not allow this call."), "denied")


def interrupted(call: Call) -> Call:
    """Returns a call that writes and was under way when the server stopped: it is not made again."""
    return _failed(
        call, _error("interrupted", "The server stopped during this call; it may have been carried out.")
    )


def ended(call: Call) -> Call:
    """Returns a call that was not made any more, as the answer was stopped or failed."""
    if call["state"] in ("queued", "waiting", "allowed", "running"):
        return _failed(call, _error("stopped", "The answer ended before this call did."), "stopped")
    return call


def messages_of(rounds: Sequence[str], calls: Sequence[Call]) -> list[dict[str, Any]]:
    """Returns what the model said and what came of its calls, as it is told them again."""
    messages: list[dict[str, Any]] = []
    for number, text in enumerate(rounds):
        own = [call for call in calls if call["round"] == number]
        told = [
            ToolCall(call["call_id"], call["name"], json.dumps(call["arguments"])).message() for call in own
        ]
        messages.append({"role": "assistant", "content": text or None, "tool_calls": told})
        messages += [
            {"role": "tool", "tool_call_id": call["call_id"], "content": call.get("text", "")} for call in own
        ]
    return messages


@dataclass(slots=True, eq=False)
class ToolRunner:
    """Makes the calls of one answer, each as its asker is then."""

    host: Host
    acting: Acting
    offer: Offer
    held_bytes: int = 0

    async def run(self, call: Call) -> Call:
        """Makes a call and returns how it ended. Raises `AuthorityEnded`."""
        name = call["name"]
        try:
            principal, admitted = await self._admit(call)
            async with asyncio.timeout(TOOL_SECONDS):
                given = await admitted.run()
            ended_call = await self._rendered(principal.org_id, call, given)
        except asyncio.CancelledError:
            # Whoever leaves may have had something done already.
            await asyncio.shield(asyncio.create_task(self._audit(name, "cancelled")))
            raise
        except AuthorityEnded:
            raise
        except Exception as error:
            ended_call = _failed(call, self._error_of(name, error))
        await self._audit(name, ended_call.get("error", {}).get("code", "ok"))
        return ended_call

    async def _admit(self, call: Call) -> tuple[Principal, Any]:
        async with self.host.data.read() as reader:
            principal = await self.acting.principal(reader)
            admitted = await self.host.service(Tools).admit(
                reader, principal, call["name"], call["arguments"]
            )
        if call["name"] not in self.offer.functions:
            raise InvalidRequest(f"The tool {call['name']} was not offered.", code="tool_not_offered")
        return principal, admitted

    async def _rendered(self, holder: str, call: Call, given: Any) -> Call:
        done = await TEXTS.run(holder, _render, call, given)
        self.held_bytes += len(done["text"])
        if self.held_bytes > MAX_HELD_BYTES:
            done = {**done, "result": done["text"][:_SHORT], "text": done["text"][:_SHORT], "cut": True}
            done.pop("artifact", None)
        return done

    def _error_of(self, name: str, error: Exception) -> dict[str, str]:
        if isinstance(error, Problem):
            places = [f"{one['pointer'] or '/'}: {one['message']}" for one in error.errors[:5]]
            return _error(error.code, "; ".join(places) or error.detail)
        if isinstance(error, TimeoutError):
            return _error("tool_timeout", f"The tool was ended: it took longer than {TOOL_SECONDS:g} s.")
        _log.error("tool.failed", exc_info=error, extra={"fields": {"tool": name}})
        return _error("internal", "The tool failed; the server's log says why.")

    async def _audit(self, name: str, outcome: str) -> None:
        """Records the call without its arguments; a name that the model made up could be anything."""
        known = name if name in self.offer.functions else None
        async with self.host.data.write(self.acting.actor) as writer:
            writer.audit(
                "tool.called", None if known is None else ("tool", known), detail={"outcome": outcome}
            )


def _render(call: Call, given: Any) -> Call:
    """Renders a result: a text as it is, an artifact in one line, anything else as JSON."""
    done = {**call, "state": "done"}
    if isinstance(given, Artifact):
        done["artifact"] = json.loads(json.dumps(given.public(), allow_nan=False))
        given = " ".join(given.line().split())
    text = (
        sound(given)
        if isinstance(given, str)
        else sound(json.dumps(given, ensure_ascii=False, allow_nan=False))
    )
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= MAX_RESULT_BYTES:
        return {**done, "text": text, "result": text if isinstance(given, str) else json.loads(text)}
    beginning = encoded[:MAX_RESULT_BYTES].decode("utf-8", "ignore")
    cut = f"{beginning}\n[cut here: {MAX_RESULT_BYTES} of {len(encoded)} bytes]"
    return {**done, "text": cut, "result": beginning, "cut": True}
