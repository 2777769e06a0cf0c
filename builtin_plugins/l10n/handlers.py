"""Localization over HTTP: catalogs, the manager of translations, and drafts."""

from collections.abc import Awaitable, Callable, Mapping

from builtin_plugins.l10n.catalogs.policy import change_policy
from builtin_plugins.l10n.catalogs.served import ServedCatalogs
from builtin_plugins.l10n.catalogs.tags import target_locale
from builtin_plugins.l10n.drafts import queue_drafts
from builtin_plugins.l10n.messages import export, importing, reviewing
from builtin_plugins.l10n.messages.importing import Import, overlay_folder
from builtin_plugins.l10n.messages.message import Wanted, coverage, list_history, list_messages
from builtin_plugins.l10n.messages.reviewing import Submission, find
from guildhall_sdk import Actor, InvalidRequest, Reply, RequestContext, accepted, cut_page, page, page_bounds
from guildhall_sdk.names import spelt_locale
from guildhall_sdk.services import Jobs


async def read_catalog(ctx: RequestContext) -> Reply:
    return await ctx.service(ServedCatalogs).reply(ctx.query.get("locale"))


async def change_localization(ctx: RequestContext) -> Reply:
    served, changes = ctx.service(ServedCatalogs), dict(ctx.body)
    if "default_locale" in changes:
        changes["default_locale"] = spelt_locale(changes["default_locale"])
        if not await served.is_known(changes["default_locale"]):
            problem = "is no language of this instance; POST /api/l10n/import with its tag opens it"
            raise InvalidRequest.at("/default_locale", problem)
    # What an operator does to the instance stands in the instance's own trail.
    actor = Actor(ctx.principal.username, ctx.principal.user_id, request_id=ctx.request_id)
    async with ctx.write(actor) as writer:
        await change_policy(writer, changes)
    await served.settle()
    return Reply((await served.policy()).public())


async def localization_coverage(ctx: RequestContext) -> Reply:
    after, fetched = page_bounds(ctx.query)
    async with ctx.read() as reader:
        rows = await coverage(reader, after, fetched)
    items, next_cursor = cut_page(rows, fetched, lambda row: str(row["locale"]))
    return page(items, next_cursor)


async def list_localization_messages(ctx: RequestContext) -> Reply:
    query = ctx.query
    if "locale" not in query:
        raise InvalidRequest.at("?locale", "is missing: messages are listed for one language, such as nl")
    after, fetched = page_bounds(query)
    wanted = Wanted(
        locale=spelt_locale(query["locale"]),
        status=query.get("status"),
        ns=query.get("ns"),
        phrase=query.get("q"),
    )
    found = await list_messages(ctx.read, ctx.principal.org_id, wanted, after, fetched)
    messages, next_cursor = cut_page(found, fetched, lambda message: message.key)
    return page([message.public() for message in messages], next_cursor)


async def localization_history(ctx: RequestContext) -> Reply:
    before, fetched = page_bounds(ctx.query)
    async with ctx.read() as reader:
        message = await find(reader, ctx.params["id"])
        items, next_cursor = await list_history(reader, message.id, before, fetched)
    return page([*items], next_cursor)


async def submit_translation(ctx: RequestContext) -> Reply:
    submission = Submission(ctx.principal, ctx.params["id"], ctx.body["text"], ctx.check_if_match)
    message, warnings = await submission.submit(ctx.read, ctx.write, ctx.now_ms)
    as_json = [warning.public() for warning in warnings]
    return Reply({**message.public(), "warnings": as_json}, etag=message.etag)


async def review_translation(ctx: RequestContext) -> Reply:
    action = ctx.body["action"]
    async with ctx.write() as writer:
        message = await reviewing.review(
            writer,
            ctx.principal,
            ctx.params["id"],
            action,
            comment=ctx.body.get("comment"),
            check_if_match=ctx.check_if_match,
            now_ms=ctx.now_ms,
        )
    settle = ctx.service(ServedCatalogs).settle if action == reviewing.APPROVE else None
    return Reply(message.public(), etag=message.etag, before_sending=settle)


async def import_catalogs(ctx: RequestContext) -> Reply:
    locale = target_locale(ctx.body) if "locale" in ctx.body else None
    counts = await Import(ctx.host, ctx.principal.org_id, ctx.read, ctx.write).run(locale)
    return Reply(counts.public(), before_sending=ctx.service(ServedCatalogs).settle)


async def export_catalog(ctx: RequestContext) -> Reply:
    locale = target_locale(ctx.body)
    written = await export.export_locale(ctx.read, ctx.write, overlay_folder(ctx.host), locale)
    return Reply({"locale": locale, "written": written}, before_sending=ctx.service(ServedCatalogs).settle)


async def discard_drafts(ctx: RequestContext) -> Reply:
    locale = target_locale(ctx.body)
    async with ctx.write() as writer:
        discarded = await importing.discard_drafts(writer, locale, ctx.now_ms)
    return Reply({"discarded": discarded})


async def draft_messages(ctx: RequestContext) -> Reply:
    locale = target_locale(ctx.body)
    async with ctx.write() as writer:
        queued = await queue_drafts(writer, ctx.service(Jobs), ctx.principal, locale, ctx.now_ms)
    note = {} if queued.open else {"note": f"{locale} is not translated here yet: import it first."}
    return accepted({**queued.public(), **note})


HANDLERS: Mapping[str, Callable[[RequestContext], Awaitable[Reply]]] = {
    handler.__name__: handler
    for handler in (
        read_catalog,
        change_localization,
        localization_coverage,
        list_localization_messages,
        localization_history,
        submit_translation,
        review_translation,
        import_catalogs,
        export_catalog,
        discard_drafts,
        draft_messages,
    )
}
