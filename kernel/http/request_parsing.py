"""What a caller sent, held against what the row takes: the query first, then the body.

A body that may take a while to read is read on a thread, one at a time and company by company: however many
one of them sends at once, the others get their turn. Small ones never wait for it.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NoReturn

from guildhall_sdk import Body, InvalidRequest, Problem, TooLarge
from guildhall_sdk.errors import InvalidJson
from guildhall_sdk.routes import Receive
from guildhall_sdk.schema import obj
from kernel.http.context import Context
from kernel.registry import BoundRoute
from kernel.validation import Validator, invalid_request
from libs.fair_slots import BODIES, Slot, Steps
from libs.json_validation import Misfit, TooManyParameters, decode_query, parse_query
from libs.request_body import RequestBody
from libs.strict_json import JsonFault, count_marks, decode_json, decode_steps

_WITHOUT_BODY = frozenset({"GET", "OPTIONS"})
_NOTHING = obj({})
# Of what is within both bounds, reading and judging takes a few milliseconds at the worst.
_SMALL_BYTES = 32 * 1024
_SMALL_MARKS = 500


class SlowBody(Problem):
    status = 408
    code = "slow_body"
    title = "The body came too slowly"


class ApiRequestBody(RequestBody):
    def __init__(self, receive: Receive, headers: Mapping[str, str]) -> None:
        announced = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
        super().__init__(receive, announced=announced, on_request="expect" in headers)

    def too_large(self, limit: int) -> Exception:
        return _too_large(limit)

    def too_slow(self) -> Exception:
        return SlowBody("The body stopped arriving, or came too slowly; send it again.")


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


class RequestParser:
    """Fills in a context's query and body; keeps the prepared schemas."""

    def __init__(self) -> None:
        self._validators: dict[str, Validator] = {}

    async def read(self, ctx: Context, slot: Slot) -> bytes:
        """Raises `InvalidRequest` at what is wrong; gives the raw body."""
        row = ctx.bound.row
        if ctx.raw_query or row.query:
            ctx.query = _query_of(ctx)
        if row.method in _WITHOUT_BODY or row.body_kind is Body.RAW:
            return b""
        _refuse_by_length(ctx.headers, row.max_body)
        account = partial(slot.carry, ctx.holder)
        if "transfer-encoding" in ctx.headers:
            raw_body = await ctx.request_body.read(row.max_body, account)
        else:
            account(int(ctx.headers.get("content-length", "0")))
            raw_body = await ctx.request_body.read(row.max_body)
        if row.body_kind is Body.WHOLE:
            ctx.body = raw_body
            return raw_body
        try:
            ctx.body = await self._validate(ctx, raw_body)
        except (InvalidRequest, JsonFault) as fault:
            problem = _problem_of(fault)
            if not _left_to_the_resource(ctx):
                raise problem from None
            ctx.body = RefusedBody(problem)
        return raw_body

    async def _validate(self, ctx: Context, raw_body: bytes) -> Any:
        if len(raw_body) <= _SMALL_BYTES and count_marks(raw_body) <= _SMALL_MARKS:
            return self._checked(ctx.bound, raw_body)
        return await BODIES.run_steps(ctx.holder, self._check_in_steps(ctx.bound, raw_body))

    def _checked(self, bound: BoundRoute, raw_body: bytes) -> Any:
        schema = _NOTHING if bound.row.body is None else bound.row.body
        if not schema:
            return decode_json(raw_body) if raw_body else None
        body = decode_json(raw_body) if raw_body else {}
        self._validator(bound, schema).check(body)
        return body

    def _check_in_steps(self, bound: BoundRoute, raw_body: bytes) -> Steps[Any]:
        """Reads a long body and checks it, with the bodies of other companies in between."""
        body = yield from decode_steps(raw_body)
        yield
        schema = _NOTHING if bound.row.body is None else bound.row.body
        if schema:
            self._validator(bound, schema).check(body)
        return body

    def _validator(self, bound: BoundRoute, schema: Mapping[str, Any]) -> Validator:
        validator = self._validators.get(bound.name)
        if validator is None:
            validator = self._validators[bound.name] = Validator(schema)
        return validator


def _problem_of(fault: InvalidRequest | JsonFault) -> InvalidRequest:
    return InvalidJson(fault.detail, errors=fault.errors) if isinstance(fault, JsonFault) else fault


def _query_of(ctx: Context) -> dict[str, Any]:
    """Returns what the row declares; all that was sent where it declares nothing at all."""
    declared = ctx.bound.row.query
    try:
        return decode_query(ctx.raw_query) if declared is None else parse_query(ctx.raw_query, declared)
    except Misfit as misfit:
        raise invalid_request(misfit.complaints) from None
    except TooManyParameters as refusal:
        raise InvalidRequest(str(refusal)) from None


def _left_to_the_resource(ctx: Context) -> bool:
    """Tells whether only the resource may admit the caller; it is asked before the body is read."""
    row = ctx.bound.row
    if row.body is None or row.permission is None:
        return False
    return row.resource_decides and not ctx.principal.may(row.permission)


def _refuse_by_length(headers: Mapping[str, str], limit: int) -> None:
    """Refuses a body by its announced length, before a byte of it is read."""
    announced = headers.get("content-length", "0")
    if not (announced.isascii() and announced.isdigit()):
        raise InvalidRequest("Content-Length is not a number.")
    if int(announced) > limit:
        raise _too_large(limit)


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The body is larger than the {limit} bytes that this route takes.", limit=limit)
