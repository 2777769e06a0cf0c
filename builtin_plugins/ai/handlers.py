"""HTTP in and out."""

from builtin_plugins.ai.metering import CONCURRENCY, REQUESTS, TOKENS, Tokens, estimated_tokens
from guildhall_sdk import Reply, RequestContext
from guildhall_sdk.services import Quotas

_LONGEST_ECHO_MS = 60_000


async def echo(ctx: RequestContext) -> Reply:
    """There is no model to wait for, so that reserving and settling fit in one transaction."""
    text: str = ctx.body["text"]
    caller, quotas = ctx.principal, ctx.service(Quotas)
    tokens = Tokens(prompt=estimated_tokens(text), completion=estimated_tokens(text))
    async with ctx.write() as writer:
        reservation = await quotas.reserve(
            writer,
            caller.org_id,
            caller.team_id,
            {REQUESTS: 1, TOKENS: tokens.total, CONCURRENCY: 1},
            _LONGEST_ECHO_MS,
        )
        await quotas.settle(writer, reservation)
    return Reply({"text": text, "usage": tokens.public()})


HANDLERS = {echo.__name__: echo}
