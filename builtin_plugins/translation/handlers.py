"""HTTP in and out."""

from dataclasses import asdict

from builtin_plugins.translation import glossary, history
from guildhall_sdk import Call, Reply, cut_page, no_content, page, page_bounds, rfc3339
from guildhall_sdk.services.localization import Translator
from libs.request_body import unless_gone


async def translate(call: Call) -> Reply:
    """Goes on to the end when the caller leaves: what is done then stands in the history."""
    body, caller = call.body, call.principal
    made = await call.service(Translator).translate(
        caller, body["text"], body["target"], source=body.get("source")
    )
    return Reply(
        {
            "id": made.id,
            "text": made.text,
            "source": made.source,
            "target": made.target,
            "glossary": [asdict(use) for use in made.glossary],
            "missed": [asdict(use) for use in made.missed],
            "simulated": made.simulated,
            "untranslated": made.untranslated,
            "model": made.model,
            "usage": made.usage.public(),
            "by": {"id": caller.user_id, "name": caller.display_name},
            "created_at": rfc3339(made.created_at),
        }
    )


async def translate_catalog(call: Call) -> Reply:
    body = call.body
    made = await unless_gone(
        call,
        call.service(Translator).translate_catalog(
            call.principal, body["messages"], body["target"], source=body.get("source")
        ),
    )
    return Reply(
        {
            "target": made.target,
            "source": body.get("source"),
            "messages": dict(made.messages),
            "problems": [{"key": key, "message": message} for key, message in made.problems.items()],
            "glossary": [asdict(use) for use in made.glossary],
            "missed": [{"key": key, **asdict(use)} for key, uses in made.missed.items() for use in uses],
            "simulated": made.simulated,
            "untranslated": made.untranslated,
            "model": made.model,
            "usage": made.usage.public(),
        }
    )


async def list_translations(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    async with call.read() as reader:
        items, next_cursor = await history.list_page(reader, call.principal, before, fetched)
    return page(items, next_cursor)


async def delete_translation(call: Call) -> Reply:
    async with call.write() as writer:
        await history.delete(writer, call.principal, call.params["id"])
    return no_content()


async def put_term(call: Call) -> Reply:
    async with call.write() as writer:
        return Reply(await glossary.put_term(writer, call.principal, call.body, call.now_ms))


async def list_terms(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    async with call.read() as reader:
        terms = await glossary.list_terms(reader, call.principal, call.query.get("target"), before, fetched)
    items, next_cursor = cut_page(terms, fetched, lambda term: str(term["id"]))
    return page(items, next_cursor)


async def delete_term(call: Call) -> Reply:
    async with call.write() as writer:
        await glossary.delete_term(writer, call.principal, call.params["id"])
    return no_content()


HANDLERS = {
    handler.__name__: handler
    for handler in (
        translate,
        translate_catalog,
        list_translations,
        delete_translation,
        put_term,
        list_terms,
        delete_term,
    )
}
