"""Pages from elsewhere: what browsers ask on their behalf, and which answers they are let see."""

from dataclasses import replace

from builtin_plugins.s3 import cors
from builtin_plugins.s3.answering import Answer
from builtin_plugins.s3.wire.cors import VARY, Preflight, allowed
from builtin_plugins.s3.wire.request import S3Request
from guildhall_sdk import Host, Problem

_TOO_BUSY = 503


async def answer_preflight(host: Host, request: S3Request) -> Answer:
    """Raises `AccessForbidden` of a bucket that does not exist as of one without a rule for it."""
    preflight = Preflight.parse(request.headers)
    async with host.data.read() as reader:
        rules = await cors.rules_of_bucket(reader, request.bucket)
    return Answer(200, preflight.answer(rules))


async def let_see(host: Host, request: S3Request, answer: Answer) -> Answer:
    """The answer, a refusal too, with headers for the page if its origin may use the method there."""
    origin = request.headers.get("origin")
    if not origin or not request.bucket or request.method == "OPTIONS" or answer.status == _TOO_BUSY:
        return answer
    try:
        async with host.data.read() as reader:
            rules = await cors.rules_of_bucket(reader, request.bucket)
    except Problem:
        return answer  # the database is busy; what was done is done, and answered
    headers = allowed(rules, origin, request.method)
    if not headers:
        return answer
    return replace(answer, headers={**answer.headers, **headers, "Vary": f"Authorization, {VARY}"})
