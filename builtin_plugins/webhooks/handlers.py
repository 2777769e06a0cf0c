"""HTTP in and out."""

from typing import Any

from builtin_plugins.webhooks.hook import incoming_json
from builtin_plugins.webhooks.incoming import HooksIn
from builtin_plugins.webhooks.outgoing import Webhooks
from builtin_plugins.webhooks.receiving import Message, Receiver, form_of
from guildhall_sdk import Call, Reply, created, no_content, page, page_bounds
from guildhall_sdk.replies import accepted
from guildhall_sdk.services.outbound import OutboundHttp
from libs.fair_slots import BODIES
from libs.strict_json import JsonFault, decode_steps


async def list_webhooks(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    async with call.read() as reader:
        found, cursor = await call.service(Webhooks).page(reader, call.principal, before, fetched)
    return page([webhook.public() for webhook in found], cursor)


async def create_webhook(call: Call) -> Reply:
    url = await call.service(OutboundHttp).check(call.body["url"])
    async with call.write() as writer:
        webhook, secret = await call.service(Webhooks).create(writer, call.principal, call.body, url)
    location = f"/api/webhooks/{webhook.id}"
    return created({**webhook.public(), "secret": secret}, location, secret_id=webhook.id)


async def get_webhook(call: Call) -> Reply:
    async with call.read() as reader:
        webhook = await call.service(Webhooks).find(reader, call.principal, call.params["id"])
    return Reply(webhook.public())


async def change_webhook(call: Call) -> Reply:
    fields = dict(call.body)
    if "url" in fields:
        fields["url"] = await call.service(OutboundHttp).check(fields["url"])
    async with call.write() as writer:
        changed = await call.service(Webhooks).change(writer, call.principal, call.params["id"], fields)
    return Reply(changed.public())


async def delete_webhook(call: Call) -> Reply:
    async with call.write() as writer:
        await call.service(Webhooks).delete(writer, call.principal, call.params["id"])
    return no_content()


async def rotate_webhook(call: Call) -> Reply:
    async with call.write() as writer:
        webhook, secret = await call.service(Webhooks).rotate(writer, call.principal, call.params["id"])
    return Reply({**webhook.public(), "secret": secret}, secret_id=webhook.id)


async def test_webhook(call: Call) -> Reply:
    async with call.write() as writer:
        return accepted(await call.service(Webhooks).test(writer, call.principal, call.params["id"]))


async def list_webhook_deliveries(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    async with call.read() as reader:
        items, cursor = await call.service(Webhooks).deliveries(
            reader, call.principal, call.params["id"], before, fetched
        )
    return page(items, cursor)


async def redeliver(call: Call) -> Reply:
    async with call.write() as writer:
        return accepted(
            await call.service(Webhooks).redeliver(
                writer, call.principal, call.params["id"], call.params["delivery_id"]
            )
        )


async def list_webhook_events(call: Call) -> Reply:
    return Reply({"items": call.service(Webhooks).events(), "next_cursor": None})


async def list_hooks_in(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    async with call.read() as reader:
        found, cursor = await call.service(HooksIn).page(reader, call.principal, before, fetched)
    return page([hook.public(call.host.settings.base_url) for hook in found], cursor)


async def create_hook_in(call: Call) -> Reply:
    await call.service(HooksIn).check(call.principal, call.body)
    async with call.write() as writer:
        hook, secret = await call.service(HooksIn).create(writer, call.principal, call.body)
    shown = {**hook.public(call.host.settings.base_url), "secret": secret}
    return created(shown, f"/api/hooks-in/{hook.id}", secret_id=hook.id)


async def get_hook_in(call: Call) -> Reply:
    async with call.read() as reader:
        hook = await call.service(HooksIn).find(reader, call.principal, call.params["id"])
    return Reply(hook.public(call.host.settings.base_url))


async def change_hook_in(call: Call) -> Reply:
    await call.service(HooksIn).check(call.principal, call.body)
    async with call.write() as writer:
        hook, secret = await call.service(HooksIn).change(
            writer, call.principal, call.params["id"], call.body
        )
    shown: dict[str, Any] = hook.public(call.host.settings.base_url)
    if secret is None:
        return Reply(shown)
    return Reply({**shown, "secret": secret}, secret_id=hook.id)


async def delete_hook_in(call: Call) -> Reply:
    async with call.write() as writer:
        await call.service(HooksIn).delete(writer, call.principal, call.params["id"])
    return no_content()


async def list_hook_in_deliveries(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    async with call.read() as reader:
        items, cursor = await call.service(HooksIn).deliveries(
            reader, call.principal, call.params["id"], before, fetched
        )
    return page(items, cursor)


async def get_hook_in_delivery(call: Call) -> Reply:
    async with call.read() as reader:
        row = await call.service(HooksIn).delivery(
            reader, call.principal, call.params["id"], call.params["delivery_id"]
        )
    return Reply(incoming_json(row, with_body=True))


async def replay_hook_in_delivery(call: Call) -> Reply:
    hooks, caller = call.service(HooksIn), call.principal
    async with call.read() as reader:
        hook = await hooks.find(reader, caller, call.params["id"])
        row = await hooks.delivery(reader, caller, hook.id, call.params["delivery_id"])
    try:
        content = await BODIES.run_steps(caller.org_id, decode_steps(row["body"].encode()))
    except JsonFault:  # a form, which was read as one when it came
        content = await BODIES.run(caller.org_id, form_of, row["body"].encode())
    message = Message(row["body"], content, None)
    started = await call.service(Receiver).start(hook, message, replay_of=row["id"])
    answer = {"delivery_id": started.delivery_id, "run_id": started.run_id}
    return accepted(answer, f"/api/runs/{started.run_id}")


async def receive_hook(call: Call) -> Reply:
    return await call.service(Receiver).receive(call)


HANDLERS = {
    handler.__name__: handler
    for handler in (
        *(list_webhooks, create_webhook, get_webhook, change_webhook, delete_webhook, rotate_webhook),
        *(test_webhook, list_webhook_deliveries, redeliver, list_webhook_events),
        *(list_hooks_in, create_hook_in, get_hook_in, change_hook_in, delete_hook_in),
        *(list_hook_in_deliveries, get_hook_in_delivery, replay_hook_in_delivery, receive_hook),
    )
}
