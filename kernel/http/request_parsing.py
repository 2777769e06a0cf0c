"""What a caller sent, held against what the row takes: the query first, then the body.

A body that may take a while to read is read on a thread, one at a time and company by company: however many
one of them sends at once, the others get their turn. Small ones never wait for it.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NoReturn

from guildhall_sdk import Body, InvalidRequest, Problem, Route, TooLarge
from guildhall_sdk.errors import InvalidJson
from guildhall_sdk.schema import obj
from kernel.http.context import Context
from kernel.validation import Validator, invalid_request
from libs.fair_slots import BODIES, LONG_BYTES, Steps
from libs.json_validation import Misfit, TooManyParameters, decode_query, parse_query
from libs.request_body import RequestBody
from libs.strict_json import JsonFault, count_marks, decode_json, decode_steps

_WITHOUT_BODY = frozenset({"GET", "OPTIONS"})
_NOTHING = obj({})
# Of what is within both bounds, reading and validating takes a few milliseconds at the worst.
_SMALL_BYTES = 32 * 1024
_SMALL_MARKS = 500


class SlowBody(Problem):
    status = 408
    code = "slow_body"
    title = "The body came too slowly"


class ApiRequestBody(RequestBody):
    def too_large(self, limit: int) -> Exception:
        return TooLarge(f"The body is larger than the {limit} bytes that this route takes.", limit=limit)

    def too_slow(self) -> Exception:
        return SlowBody("The body stopped arriving, or came too slowly; send it again.")


def open_api_body(ctx: Context) -> ApiRequestBody:
    """Returns the body of a request, of which nothing is read yet."""
    headers = ctx.headers
    announced = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    return ApiRequestBody(ctx.receive, unread=announced, on_request="expect" in headers)


class RefusedBody(Mapping[str, Any]):
    """Stands for a body that its row does not take, where the resource has the first word.

    On a judged row the handler learns from the resource whether this caller may do that at all: who may
    not is told so, whatever they sent. Whoever may hears what is wrong with it when it is looked at.
    """

    def __init__(self, fault: Problem) -> None:
        self._fault = fault

    def __getitem__(self, name: str) -> NoReturn:
        raise self._fault

    def __iter__(self) -> Iterator[str]:
        raise self._fault

    def __len__(self) -> int:
        raise self._fault


def validator_of(row: Route) -> Validator | None:
    """Returns what checks the body of a row, or None where it takes any JSON."""
    schema = _NOTHING if row.body is None else row.body
    return Validator(schema) if schema else None


async def read_request(ctx: Context) -> bytes:
    """Fills in the query and the body, and returns the raw one; raises `InvalidRequest` at what is wrong."""
    row = ctx.row
    if ctx.raw_query or row.query:
        ctx.query = _query_of(ctx)
    if row.method in _WITHOUT_BODY or row.body_kind is Body.RAW:
        return b""
    announced = ctx.headers.get("content-length", "0")
    if not (announced.isascii() and announced.isdigit()):
        raise InvalidRequest("Content-Length is not a number.")
    if int(announced) > row.max_body:
        raise ctx.request_body.too_large(row.max_body)  # before a byte of it is read
    if "transfer-encoding" in ctx.headers:
        raw_body = await ctx.request_body.read(row.max_body, partial(ctx.slot.carry, ctx.holder))
    else:
        if int(announced) > LONG_BYTES:
            ctx.slot.carry(ctx.holder, int(announced))
        raw_body = await ctx.request_body.read(row.max_body)
    if row.body_kind is Body.WHOLE:
        ctx.body = raw_body
        return raw_body
    validator = ctx.endpoint.validator
    try:
        if not raw_body:
            ctx.body = None if validator is None else {}
        elif len(raw_body) <= _SMALL_BYTES and count_marks(raw_body) <= _SMALL_MARKS:
            ctx.body = decode_json(raw_body)
        else:
            ctx.body = await BODIES.run_steps(ctx.holder, _check_in_steps(raw_body, validator))
            validator = None
        if validator is not None:
            validator.check(ctx.body)
    except (InvalidRequest, JsonFault) as fault:
        problem = InvalidJson(fault.detail, errors=fault.errors) if isinstance(fault, JsonFault) else fault
        if not _left_to_the_resource(ctx):
            raise problem from None
        ctx.body = RefusedBody(problem)
    return raw_body


def _check_in_steps(raw_body: bytes, validator: Validator | None) -> Steps[Any]:
    """Reads a long body and checks it, with the bodies of other companies in between."""
    body = yield from decode_steps(raw_body)
    yield
    if validator is not None:
        validator.check(body)
    return body


def _query_of(ctx: Context) -> dict[str, Any]:
    """Returns what the row declares; all that was sent where it declares nothing at all."""
    declared = ctx.row.query
    try:
        return decode_query(ctx.raw_query) if declared is None else parse_query(ctx.raw_query, declared)
    except Misfit as misfit:
        raise invalid_request(misfit.complaints) from None
    except TooManyParameters as refusal:
        raise InvalidRequest(str(refusal)) from None


def _left_to_the_resource(ctx: Context) -> bool:
    """Tells whether only the resource may admit the caller; it is asked before the body is read."""
    row = ctx.row
    if row.body is None or row.permission is None:
        return False
    return row.resource_decides and not ctx.principal.may(row.permission)
