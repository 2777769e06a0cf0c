"""What every answer of the gateway has in OpenAI's way: errors, tokens, and how much is left of a quota."""

from collections.abc import Mapping
from typing import Any

from guildhall_sdk import Call, Problem
from guildhall_sdk.dimensions import Quotas, Usage
from guildhall_sdk.services.models import MemberModel, MemberModels, TokenUsage

_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
}
_COUNTED = (("requests", "ai.requests"), ("tokens", "ai.tokens.total"))


def refusal(problem: Problem) -> dict[str, Any]:
    """Returns a problem as OpenAI's clients read it, with our code."""
    kind = "invalid_request_error" if problem.status < 500 else "server_error"
    param = None
    if problem.errors:
        param = problem.errors[0]["pointer"].strip("/?").replace("/", ".") or None
    return {
        "error": {
            "message": problem.detail,
            "type": _TYPES.get(problem.status, kind),
            "code": problem.code,
            "param": param,
        }
    }


async def model_named(call: Call, name: str) -> MemberModel:
    """Returns the model that a client asks for; raises `NotFound` `unknown_model`."""
    async with call.read() as reader:
        return await call.service(MemberModels).named(reader, call.principal, name)


def tokens_used(usage: TokenUsage) -> dict[str, int]:
    """Returns the tokens of a chat completion."""
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.total,
    }


async def headers_of(call: Call, asked: int = 0) -> dict[str, str]:
    """Returns how much is left of a quota, by the nearest limit; `asked` are requests not counted yet."""
    caller = call.principal
    async with call.read() as reader:
        rows = [
            *await call.service(Quotas).usage(reader, caller.org_id, caller.team_id),
            *await call.service(Quotas).usage(reader, caller.org_id),
        ]
    headers: dict[str, str] = {}
    for name, dimension in _COUNTED:
        limited = [row for row in rows if row.dimension == dimension and row.limit is not None]
        if limited:
            nearest = min(limited, key=_left)
            headers[f"x-ratelimit-limit-{name}"] = str(nearest.limit)
            left = _left(nearest) - (asked if name == "requests" else 0)
            headers[f"x-ratelimit-remaining-{name}"] = str(max(0, left))
            if nearest.resets_at is not None:
                seconds = max(0, nearest.resets_at - call.now_ms) / 1000
                headers[f"x-ratelimit-reset-{name}"] = f"{seconds:g}s"
    return headers


def _left(row: Usage) -> int:
    return max(0, (row.limit or 0) - row.used)


def plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields that are there."""
    return {name: value for name, value in fields.items() if value is not None}
