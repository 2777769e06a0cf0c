"""What is sent: bodies, queries, methods and request ids that are not as the row says."""

from collections.abc import Iterator, Mapping
from typing import Any
from unittest.mock import patch

from guildhall_sdk import InvalidRequest
from guildhall_sdk.schema import Schema
from guildhall_testing.conformance.failure import ConformanceFailure
from guildhall_testing.conformance.samples import example_body
from guildhall_testing.conformance.trial import Trial
from guildhall_testing.raw import RawAnswer, request_bytes
from guildhall_testing.watch import PROBLEM
from kernel.validation import Validator

_NOT_JSON = (b"{", b"not json", b"\xff\xfe", b'{"a": 1,}', b"[" * 50_000)
_SAMPLES: tuple[Any, ...] = (None, True, 1, 1.5, "x", "", [], ["x"], {}, {"x": 1})
_ROOTS: tuple[Any, ...] = ([], "x", 1, True)
_FOREIGN_FIELDS = {"org_id": "org_0", "team_id": "team_0", "role": "owner", "operator": True}
_METHODS = ("PATCH", "PUT", "DELETE", "POST", "GET", "OPTIONS")
_LONGEST_QUERY = 16_000  # beyond, the request line itself is too long
_INSANE_IDS = ("x" * 129, "two words", "-dash", "semi;colon", "<script>", '"quoted"', "é")


async def bad_body(trial: Trial) -> None:
    """Checks that each bad body is 400 at its place, and together they change nothing."""
    caller, path = await trial.owner_of_path(trial.hall.acme)
    async with trial.nothing_changes():
        for content in _NOT_JSON:
            (await trial.call(caller, path, content=content)).expect(400, "invalid_json")
        for body, pointer in _wrong_bodies(trial):
            answer = await trial.call(caller, path, json=body)
            answer.expect(400, "invalid_request")
            answer.expect_at(pointer)


def _wrong_bodies(trial: Trial) -> Iterator[tuple[Any, str]]:
    """Bodies that the row's schema refuses, each with the place it must name."""
    schema = trial.row.body
    if schema is None:
        yield {"org_id": "org_0"}, "/org_id"
        return
    if not schema:
        return
    example = dict(example_body(trial.row) or {})
    properties: Mapping[str, Schema] = schema.get("properties", {})
    yield from ((root, "") for root in _ROOTS)
    for turn, (name, wanted) in enumerate(properties.items()):
        # The validator is the same for all: of the samples that do not fit, each field gets one of its own.
        if wrong := [sample for sample in _SAMPLES if not _fits(sample, wanted)]:
            yield {**example, name: wrong[turn % len(wrong)]}, f"/{name}"
        for sample in _beyond(wanted):
            if not _fits(sample, wanted):
                yield {**example, name: sample}, f"/{name}"
    for name in schema.get("required", ()):
        yield {key: value for key, value in example.items() if key != name}, f"/{name}"
    if schema.get("additionalProperties", False) is False:
        for name, value in _FOREIGN_FIELDS.items():
            if name not in properties:
                yield {**example, name: value}, f"/{name}"


def _beyond(schema: Schema) -> Iterator[Any]:
    if "maxLength" in schema:
        yield "x" * (schema["maxLength"] + 1)
    if "maximum" in schema:
        yield schema["maximum"] + 1
    if "minimum" in schema:
        yield schema["minimum"] - 1


def _fits(value: Any, schema: Schema) -> bool:
    try:
        Validator(schema).check(value)
    except InvalidRequest:
        return False
    return True


async def oversize_body(trial: Trial) -> None:
    """Checks for 413 by the announced length alone, before any of the body is read."""
    caller, path = await trial.owner_of_path(trial.hall.acme)
    length = trial.row.max_body + 1
    async with trial.nothing_changes():
        sent = request_bytes(
            trial.row.method,
            path,
            token=caller.token,
            headers={"Content-Length": str(length), "Accept": PROBLEM},
            body=b"{",
        )
        with patch("libs.request_body.SKIM_SECONDS", 0):  # the rest never comes
            answer = RawAnswer.parse(await trial.hall.raw(sent))
        if answer.status != 413 or answer.json().get("code") != "too_large":
            raise ConformanceFailure(
                f"a body of {length} bytes was answered {answer.status} {answer.body!r} where 413 was due"
            )


async def bad_query(trial: Trial) -> None:
    """Checks that a parameter that is not as described is 400 and named, and that others are ignored."""
    caller, path = await trial.owner_of_path(trial.hall.acme)
    for name, value in _wrong_queries(trial.row.query or {}):
        params = {**(trial.example_query() or {}), name: value}
        (await trial.call(caller, path, params=params)).expect_at(f"?{name}")
    if trial.reads:
        plain = await trial.call(caller, path)
        params = {**(trial.example_query() or {}), "org_id": "org_0", "nonsense": "1"}
        (await trial.call(caller, path, params=params)).expect(plain.status)


def _wrong_queries(query: Mapping[str, Schema]) -> Iterator[tuple[str, str]]:
    for name, schema in query.items():
        if name == "cursor":
            yield from ((name, value) for value in ("!", "AAAA", "é", " ", "", "\0", "a" * 600))
        if schema.get("type") == "integer":
            yield from ((name, str(value)) for value in ("x", "", "1.0", "1e1", "٣", "9" * 40))
            yield from (
                (name, str(value)) for value in _beyond({k: schema[k] for k in schema if k != "maxLength"})
            )
        elif schema.get("type") == "boolean":
            yield name, "perhaps"
        elif "enum" in schema:
            yield name, "none-of-these"
        if schema.get("maxLength", _LONGEST_QUERY) < _LONGEST_QUERY:
            yield name, "x" * (schema["maxLength"] + 1)


async def other_methods(trial: Trial) -> None:
    """Checks that a method without a row is 405 with those that there are, signed in or not."""
    caller, path = await trial.owner_of_path(trial.hall.acme)
    allowed = {bound.row.method for bound in trial.hall.registry.routes() if _matches(bound.row.path, path)}
    for method in _METHODS:
        if method in allowed:
            continue
        for who in (caller, trial.hall.anonymous):
            response = await who.request(method, path)
            if response.status_code != 405 or response.json()["code"] != "method_not_allowed":
                raise ConformanceFailure(
                    f"{method} {path} answered {response.status_code}, where 405 was due"
                )
            answered = {name.strip() for name in response.headers.get("allow", "").split(",")}
            if answered != allowed:
                raise ConformanceFailure(
                    f"{method} {path} answered Allow: {answered}, where {allowed} was due"
                )


def _matches(pattern: str, path: str) -> bool:
    wanted, given = pattern.split("/"), path.split("/")
    for position, segment in enumerate(wanted):
        if segment.startswith("*"):
            # What takes everything at the root is pages, and nothing of the API is one.
            return len(given) > position and (position > 1 or given[1] != "api")
        if position >= len(given) or not (segment.startswith(":") or segment == given[position]):
            return False
    return len(wanted) == len(given)


async def request_id(trial: Trial) -> None:
    """Checks that a sane request id is echoed and any other replaced, in header and problem alike."""
    path = trial.row.path.replace(":", "").replace("*", "")
    content = None if trial.reads else b"{"
    sane = "Trace_1.2-3"
    answer = await trial.call(trial.hall.anonymous, path, content=content, headers={"X-Request-Id": sane})
    if answer.response.headers["x-request-id"] != sane:
        raise ConformanceFailure(f"{answer} with another X-Request-Id than the sane one it was sent")
    for insane in _INSANE_IDS:
        headers = {"X-Request-Id": insane}
        answer = await trial.call(trial.hall.anonymous, path, content=content, headers=headers)
        made = answer.response.headers["x-request-id"]
        if made == insane or not made.startswith("req_"):
            raise ConformanceFailure(f"{answer} with X-Request-Id {made!r}")
