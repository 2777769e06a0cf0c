"""The step `http`: a request to another server, with a secret of the team where one is named."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from guildhall_sdk import JobFailed, UserError
from guildhall_sdk.schema import enum, integer, string
from guildhall_sdk.services.outbound import OutboundAnswer, OutboundHttp, OutboundRequest, TeamSecrets
from guildhall_sdk.services.workflows import StepCall, StepKind
from libs.fair_slots import RESULTS

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
MAX_URL = 4_096
MAX_BODY_BYTES = 1024 * 1024
# The answer stands in the step's output, which takes a MiB with what is around it.
MAX_ANSWER_BYTES = 1024 * 1024 - 64 * 1024
MAX_SECONDS = 300
MARK = "{{secret}}"
_HIDDEN = "[secret]"
_BINDING = {"$ref": "#/$defs/binding"}
# Another try may do better.
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})


async def _send(call: StepCall) -> dict[str, Any]:
    job, fields = call.job, call.fields
    url = fields["url"]
    if not isinstance(url, str):
        raise UserError("url is a text.", code="endpoint_refused")
    headers, content = await RESULTS.run(job.org_id, _prepared, fields)
    secret = await _secret_of(call)
    if secret is not None:
        headers = _with_secret(headers, secret)
    headers.setdefault("idempotency-key", f"{call.run_id}-{call.number}")
    outbound = job.host.find_service(OutboundHttp)
    if outbound is None:
        raise UserError("This server sends no requests: its plugin outbound is off.", code="outbound_missing")
    answer = await outbound.send(
        OutboundRequest(
            plugin="workflows",
            org_id=job.org_id,
            url=url,
            method=fields["method"],
            headers=headers,
            body=content,
            timeout_seconds=fields.get("timeout_seconds", 30),
            max_bytes=MAX_ANSWER_BYTES,
        )
    )
    if answer.status in _PASSING and not call.is_last:
        raise JobFailed("http_status", f"The other server answered {answer.status}.", retry=True)
    return await RESULTS.run(job.org_id, _read, answer, secret)


def _prepared(fields: Mapping[str, Any]) -> tuple[dict[str, str], bytes]:
    """Returns headers, their names in small letters, and the body: a text as it is, anything else as JSON."""
    given = fields.get("headers", {})
    if not isinstance(given, dict) or not all(
        isinstance(value, str | int | float) for value in given.values()
    ):
        raise UserError("headers is an object of texts.", code="endpoint_refused")
    headers = {name.lower(): str(value) for name, value in given.items()}
    if (body := fields.get("body")) is None:
        return headers, b""
    kind = "text/plain; charset=utf-8" if isinstance(body, str) else "application/json"
    headers.setdefault("content-type", kind)
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    content = text.encode("utf-8", "replace")
    if len(content) > MAX_BODY_BYTES:
        raise UserError("The body is over 1 MiB.", code="input_too_large")
    return headers, content


async def _secret_of(call: StepCall) -> str | None:
    name = call.fields.get("secret")
    if name is None:
        return None
    host = call.job.host
    secrets, secret = host.find_service(TeamSecrets), None
    if secrets is not None:
        async with host.data.read() as reader:
            secret = await secrets.get(reader, call.job.team_id, name)
    if secret is None:
        raise UserError(f"The team has no secret {name}.", code="secret_missing")
    return secret


def _with_secret(headers: Mapping[str, str], secret: str) -> dict[str, str]:
    """Puts a secret where a header names it, else sends it as a bearer."""
    if any(MARK in value for value in headers.values()):
        return {name: value.replace(MARK, secret) for name, value in headers.items()}
    return {**headers, "authorization": f"Bearer {secret}"}


def _read(answer: OutboundAnswer, secret: str | None) -> dict[str, Any]:
    """Returns what becomes the result; a secret that the other server repeats is not in it."""

    def hidden(text: str) -> str:
        return text.replace(secret, _HIDDEN) if secret else text

    text = hidden(answer.body.decode("utf-8", "replace"))
    body: Any = text
    if "json" in answer.headers.get("content-type", ""):
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            body = text
    headers = {name: hidden(value) for name, value in answer.headers.items()}
    return {"status": answer.status, "headers": headers, "body": body}


def _check(fields: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    if "secret" in fields and not isinstance(fields["url"], str):
        # Else whoever starts a run could have the secret sent to a server of their own.
        yield "url", "must be a fixed address where a secret is sent"
    headers = fields.get("headers", {})
    if "secret" not in fields and any(MARK in str(value) for value in headers.values()):
        yield "secret", f"is required: a header has {MARK}"
    if isinstance(fields["url"], str) and not fields["url"].startswith(("http://", "https://")):
        yield "url", "must begin with https:// or http://"


HTTP = StepKind(
    name="http",
    doc="Sends a request to another server; its result is {status, headers, body}.",
    run=_send,
    fields={
        "method": enum(*METHODS),
        "url": _BINDING,
        "headers": {"$ref": "#/$defs/arguments"},
        "body": _BINDING,
        "secret": string(min_length=1, max_length=64),
        "timeout_seconds": integer(1, MAX_SECONDS),
    },
    required=("method", "url"),
    check=_check,
)
