"""HTTP in and out."""

from builtin_plugins.l10n.catalogs.tags import target_locale
from builtin_plugins.l10n.drafts.queueing import queue_drafts
from guildhall_sdk import Reply, RequestContext, accepted
from guildhall_sdk.services import Jobs


async def draft_messages(ctx: RequestContext) -> Reply:
    locale = target_locale(ctx.body)
    async with ctx.write() as writer:
        queued = await queue_drafts(writer, ctx.service(Jobs), ctx.principal, locale, ctx.now_ms)
    note = {} if queued.open else {"note": f"{locale} is not translated here yet: import it first."}
    return accepted({**queued.public(), **note})


HANDLERS = {"draft_messages": draft_messages}
