"""HTTP in and out."""

from builtin_plugins.translation import glossary, history
from guildhall_sdk import Reply, RequestContext, cut_page, no_content, page, page_bounds, rfc3339
from guildhall_sdk.callers import unless_gone
from guildhall_sdk.services import Translator


async def translate(ctx: RequestContext) -> Reply:
    """Goes on to the end when the caller leaves: what is done then stands in the history."""
    body, caller = ctx.body, ctx.principal
    made = await ctx.service(Translator).translate(
        caller, body["text"], body["target"], source=body.get("source")
    )
    return Reply(
        {
            "id": made.id,
            "text": made.text,
            "source": made.source,
            "target": made.target,
            "glossary": [use.public() for use in made.glossary],
            "missed": [use.public() for use in made.missed],
            "simulated": made.simulated,
            "untranslated": made.untranslated,
            "model": made.model,
            "usage": made.usage.public(),
            "by": {"id": caller.user_id, "name": caller.display_name},
            "created_at": rfc3339(made.created_at),
        }
    )


async def translate_catalog(ctx: RequestContext) -> Reply:
    body = ctx.body
    made = await unless_gone(
        ctx,
        ctx.service(Translator).translate_catalog(
            ctx.principal, body["messages"], body["target"], source=body.get("source")
        ),
    )
    return Reply(
        {
            "target": made.target,
            "source": body.get("source"),
            "messages": dict(made.messages),
            "problems": [{"key": one.key, "message": one.message} for one in made.problems],
            "glossary": [use.public() for use in made.glossary],
            "missed": [{"key": key, **use.public()} for key, uses in made.missed.items() for use in uses],
            "simulated": made.simulated,
            "untranslated": made.untranslated,
            "model": made.model,
            "usage": made.usage.public(),
        }
    )


async def list_translations(ctx: RequestContext) -> Reply:
    before, fetched = page_bounds(ctx.query)
    async with ctx.read() as reader:
        items, next_cursor = await history.list_page(reader, ctx.principal, before, fetched)
    return page(items, next_cursor)


async def delete_translation(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        await history.delete(writer, ctx.principal, ctx.params["id"])
    return no_content()


async def put_term(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        return Reply(await glossary.put_term(writer, ctx.principal, ctx.body, ctx.now_ms))


async def list_terms(ctx: RequestContext) -> Reply:
    before, fetched = page_bounds(ctx.query)
    async with ctx.read() as reader:
        terms = await glossary.list_terms(reader, ctx.principal, ctx.query.get("target"), before, fetched)
    items, next_cursor = cut_page(terms, fetched, lambda term: str(term["id"]))
    return page(items, next_cursor)


async def delete_term(ctx: RequestContext) -> Reply:
    async with ctx.write() as writer:
        await glossary.delete_term(writer, ctx.principal, ctx.params["id"])
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
