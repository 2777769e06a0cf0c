"""Preflights of the rows that other origins may call: browsers ask by OPTIONS before they send."""

from collections.abc import Iterable

from guildhall_sdk import Auth, Reply, RequestContext, Route
from kernel.registry import BoundRoute

#: On every answer of such a row, refusals too.
CORS_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": (
        "Accept-Ranges, Content-Disposition, Content-Range, ETag, Link, Location, Retry-After, X-Request-Id"
    ),
}
_ALLOWED_HEADERS = (
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Range, X-Request-Id"
)
_REMEMBERED_SECONDS = 600


def with_preflights(rows: Iterable[BoundRoute]) -> tuple[BoundRoute, ...]:
    """The rows, and an OPTIONS row behind each path that has `cors` and none of its own."""
    given = tuple(rows)
    answered = {bound.row.path for bound in given if bound.row.method == "OPTIONS"}
    methods: dict[str, list[BoundRoute]] = {}
    for bound in given:
        if bound.row.cors and bound.row.path not in answered:
            methods.setdefault(bound.row.path, []).append(bound)
    return (*given, *(_preflight(path, bounds) for path, bounds in methods.items()))


def _preflight(path: str, bounds: list[BoundRoute]) -> BoundRoute:
    headers = {
        "Access-Control-Allow-Methods": ", ".join(bound.row.method for bound in bounds),
        "Access-Control-Allow-Headers": _ALLOWED_HEADERS,
        "Access-Control-Max-Age": str(_REMEMBERED_SECONDS),
    }

    async def answer(ctx: RequestContext) -> Reply:
        return Reply(status=204, headers=headers)

    first = bounds[0]
    row = Route(
        "OPTIONS",
        path,
        "preflight",
        "What pages of other origins may send here",
        Auth.PUBLIC,
        query=None,
        status=204,
        rest_as_sent=first.row.rest_as_sent,
        cors=True,
    )
    return BoundRoute(first.plugin_id, row, answer)
