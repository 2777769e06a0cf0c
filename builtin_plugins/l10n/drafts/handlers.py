"""HTTP in and out."""

from builtin_plugins.l10n.catalogs.tags import target_locale
from builtin_plugins.l10n.drafts.queueing import queue_drafts
from guildhall_sdk import Call, Reply
from guildhall_sdk.replies import accepted
from guildhall_sdk.services.jobs import Jobs


async def draft_messages(call: Call) -> Reply:
    locale = target_locale(call.body)
    async with call.write() as writer:
        queued = await queue_drafts(writer, call.service(Jobs), call.principal, locale, call.now_ms)
    note = {} if queued.open else {"note": f"{locale} is not translated here yet: import it first."}
    return accepted({**queued.public(), **note})


HANDLERS = {"draft_messages": draft_messages}
