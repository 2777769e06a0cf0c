"""What a caller sent, held against what the row takes: the query first, then the body.

A body that may take a while to read is read on a thread, one at a time and company by company: however many
one of them sends at once, the others get their turn. Small ones never wait for it.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from guildhall_sdk import Body, InvalidRequest
from guildhall_sdk.fair_thread import BODIES
from guildhall_sdk.in_flight import Slot
from guildhall_sdk.schema import obj
from kernel.http.body import refuse_by_length
from kernel.http.context import Context
from kernel.http.decoding import decode_json
from kernel.http.members import count_marks
from kernel.http.refused_body import RefusedBody
from kernel.http.validation import Validator, decode_query, parse_query
from kernel.registry import BoundRoute

_WITHOUT_BODY = frozenset({"GET", "OPTIONS"})
_NOTHING = obj({})
# Of what is within both bounds, reading and judging takes a few milliseconds at the worst.
_SMALL_BYTES = 32 * 1024
_SMALL_MARKS = 500


def _left_to_the_resource(ctx: Context) -> bool:
    """Whether the role alone would not admit the caller: then the resource is asked before the body is."""
    row = ctx.bound.row
    if row.body is None or row.permission is None:
        return False
    return row.judged and not ctx.principal.may(row.permission)


class Inputs:
    """Fills in a context's query and body; keeps the prepared schemas."""

    def __init__(self) -> None:
        self._validators: dict[str, Validator] = {}

    async def read(self, ctx: Context, slot: Slot) -> bytes:
        """Raises `InvalidRequest` at what is wrong; gives the raw body."""
        row = ctx.bound.row
        ctx.query = (
            decode_query(ctx.raw_query) if row.query is None else parse_query(ctx.raw_query, row.query)
        )
        if row.method in _WITHOUT_BODY or row.body_kind is Body.RAW:
            return b""
        refuse_by_length(ctx.headers, row.max_body)
        account = partial(slot.carry, ctx.holder)
        if "transfer-encoding" in ctx.headers:
            raw_body = await ctx.inbox.read(row.max_body, account)
        else:
            account(int(ctx.headers.get("content-length", "0")))
            raw_body = await ctx.inbox.read(row.max_body)
        try:
            ctx.body = await self._judged(ctx, raw_body)
        except InvalidRequest as fault:
            if not _left_to_the_resource(ctx):
                raise
            ctx.body = RefusedBody(fault)
        return raw_body

    async def _judged(self, ctx: Context, raw_body: bytes) -> Any:
        if len(raw_body) <= _SMALL_BYTES and count_marks(raw_body) <= _SMALL_MARKS:
            return self._checked(ctx.bound, raw_body)
        return await BODIES.run(ctx.holder, self._checked, ctx.bound, raw_body)

    def _checked(self, bound: BoundRoute, raw_body: bytes) -> Any:
        schema = _NOTHING if bound.row.body is None else bound.row.body
        if not schema:
            return decode_json(raw_body) if raw_body else None
        body = decode_json(raw_body) if raw_body else {}
        self._validator(bound, schema).check(body)
        return body

    def _validator(self, bound: BoundRoute, schema: Mapping[str, Any]) -> Validator:
        validator = self._validators.get(bound.name)
        if validator is None:
            validator = self._validators[bound.name] = Validator.compile(schema)
        return validator
