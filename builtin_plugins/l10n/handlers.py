"""Localization over HTTP: catalogs, the manager of translations, and drafts."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from functools import partial

from builtin_plugins.l10n.catalogs.policy import change_policy
from builtin_plugins.l10n.catalogs.served import ServedCatalogs
from builtin_plugins.l10n.catalogs.tags import target_locale
from builtin_plugins.l10n.drafts import queue_drafts
from builtin_plugins.l10n.messages import export, importing, reviewing
from builtin_plugins.l10n.messages.importing import Import, overlay_folder
from builtin_plugins.l10n.messages.message import MESSAGES, Wanted, coverage, list_history, list_messages
from builtin_plugins.l10n.messages.reviewing import Submission, find
from guildhall_sdk import Actor, Call, InvalidRequest, Reply, cut_page, page, page_bounds
from guildhall_sdk.replies import accepted
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.pages import LiveLists
from libs.names import spelt_locale


async def read_catalog(call: Call) -> Reply:
    return await call.service(ServedCatalogs).reply(call.query.get("locale"))


async def change_localization(call: Call) -> Reply:
    served, changes = call.service(ServedCatalogs), dict(call.body)
    if "default_locale" in changes:
        changes["default_locale"] = spelt_locale(changes["default_locale"])
        if not await served.is_known(changes["default_locale"]):
            problem = "is no language of this instance; POST /api/l10n/import with its tag opens it"
            raise InvalidRequest.at("/default_locale", problem)
    # What an operator does to the instance stands in the instance's own trail.
    actor = Actor(call.principal.username, call.principal.user_id, request_id=call.request_id)
    async with call.write(actor) as writer:
        await change_policy(writer, changes)
    await served.settle()
    return Reply(asdict(await served.policy()))


async def localization_coverage(call: Call) -> Reply:
    after, fetched = page_bounds(call.query)
    async with call.read() as reader:
        rows = await coverage(reader, after, fetched)
    items, next_cursor = cut_page(rows, fetched, lambda row: str(row["locale"]))
    return page(items, next_cursor)


async def list_localization_messages(call: Call) -> Reply:
    query = call.query
    if "locale" not in query:
        raise InvalidRequest.at("?locale", "is missing: messages are listed for one language, such as nl")
    after, fetched = page_bounds(query)
    wanted = Wanted(
        locale=spelt_locale(query["locale"]),
        status=query.get("status"),
        ns=query.get("ns"),
        phrase=query.get("q"),
    )
    found = await list_messages(call.read, call.principal.org_id, wanted, after, fetched)
    messages, next_cursor = cut_page(found, fetched, lambda message: message.key)
    return page([message.public() for message in messages], next_cursor)


async def localization_history(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    async with call.read() as reader:
        message = await find(reader, call.params["id"])
        items, next_cursor = await list_history(reader, message.id, before, fetched)
    return page([*items], next_cursor)


async def submit_translation(call: Call) -> Reply:
    lists, message_id = call.service(LiveLists), call.params["id"]
    submission = Submission(call.principal, message_id, call.body["text"], call.check_if_match, lists)
    message, warnings = await submission.submit(call.read, call.write, call.now_ms)
    as_json = [warning.public() for warning in warnings]
    return Reply({**message.public(), "warnings": as_json}, etag=message.etag)


async def review_translation(call: Call) -> Reply:
    action = call.body["action"]
    async with call.write() as writer:
        message = await reviewing.review(
            writer,
            call.principal,
            call.params["id"],
            action,
            comment=call.body.get("comment"),
            check_if_match=call.check_if_match,
            now_ms=call.now_ms,
        )
        writer.after_commit(partial(call.service(LiveLists).changed, MESSAGES))
    settle = call.service(ServedCatalogs).settle if action == reviewing.APPROVE else None
    return Reply(message.public(), etag=message.etag, before_sending=settle)


async def import_catalogs(call: Call) -> Reply:
    locale = target_locale(call.body) if "locale" in call.body else None
    counts = await Import(call.host, call.principal.org_id, call.read, call.write).run(locale)
    return Reply(counts.public(), before_sending=call.service(ServedCatalogs).settle)


async def export_catalog(call: Call) -> Reply:
    locale = target_locale(call.body)
    written = await export.export_locale(call.read, call.write, overlay_folder(call.host), locale)
    return Reply({"locale": locale, "written": written}, before_sending=call.service(ServedCatalogs).settle)


async def discard_drafts(call: Call) -> Reply:
    locale = target_locale(call.body)
    async with call.write() as writer:
        discarded = await importing.discard_drafts(writer, locale, call.now_ms)
        writer.after_commit(partial(call.service(LiveLists).changed, MESSAGES))
    return Reply({"discarded": discarded})


async def draft_messages(call: Call) -> Reply:
    locale = target_locale(call.body)
    async with call.write() as writer:
        queued = await queue_drafts(writer, call.service(Jobs), call.principal, locale, call.now_ms)
    note = {} if queued.open else {"note": f"{locale} is not translated here yet: import it first."}
    return accepted({**queued.public(), **note})


HANDLERS: Mapping[str, Callable[[Call], Awaitable[Reply]]] = {
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
