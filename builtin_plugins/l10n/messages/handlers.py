"""HTTP in and out."""

from builtin_plugins.l10n.catalogs.served import ServedCatalogs
from builtin_plugins.l10n.catalogs.tags import target_locale
from builtin_plugins.l10n.messages import discarding, export, history, listing, reviewing
from builtin_plugins.l10n.messages.importing import Import, overlay_folder
from builtin_plugins.l10n.messages.submitting import Submission, find
from guildhall_sdk import Call, InvalidRequest, Reply, cut_page, page, page_bounds
from libs.names import spelt_locale


async def localization_coverage(call: Call) -> Reply:
    after, fetched = page_bounds(call.query)
    async with call.read() as reader:
        rows = await listing.coverage(reader, after, fetched)
    items, next_cursor = cut_page(rows, fetched, lambda row: str(row["locale"]))
    return page(items, next_cursor)


async def list_localization_messages(call: Call) -> Reply:
    query = call.query
    if "locale" not in query:
        raise InvalidRequest.at("?locale", "is missing: messages are listed for one language, such as nl")
    after, fetched = page_bounds(query)
    wanted = listing.Wanted(
        locale=spelt_locale(query["locale"]),
        status=query.get("status"),
        ns=query.get("ns"),
        phrase=query.get("q"),
    )
    found = await listing.list_messages(call.read, call.principal.org_id, wanted, after, fetched)
    messages, next_cursor = cut_page(found, fetched, lambda message: message.key)
    return page([message.public() for message in messages], next_cursor)


async def localization_history(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    async with call.read() as reader:
        message = await find(reader, call.params["id"])
        items, next_cursor = await history.list_page(reader, message.id, before, fetched)
    return page([*items], next_cursor)


async def submit_translation(call: Call) -> Reply:
    submission = Submission(call.principal, call.params["id"], call.body["text"], call.check_if_match)
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
            call.body.get("comment"),
            call.check_if_match,
            call.now_ms,
        )
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
        discarded = await discarding.discard_drafts(writer, locale, call.now_ms)
    return Reply({"discarded": discarded})


HANDLERS = {
    handler.__name__: handler
    for handler in (
        localization_coverage,
        list_localization_messages,
        localization_history,
        submit_translation,
        review_translation,
        import_catalogs,
        export_catalog,
        discard_drafts,
    )
}
