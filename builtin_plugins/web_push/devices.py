"""The browsers in which somebody wants to be told: their rows, and what they take and answer."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from builtin_plugins.web_push.encryption import SenderKey, key_fault, secret_fault
from guildhall_sdk import (
    Call,
    Factory,
    Host,
    InvalidRequest,
    NotFound,
    Reply,
    Route,
    Row,
    SampleClient,
    created,
    load_queries,
    new_id,
    no_content,
    page,
    rfc3339,
)
from guildhall_sdk.errors import Unauthenticated
from guildhall_sdk.schema import boolean, listing, nullable, obj, shape, string, time
from guildhall_sdk.services.identity import Credentials, Vault
from guildhall_sdk.services.outbound import OutboundHttp
from libs.names import NAME_MAX

DEVICES = "/api/push-devices"
#: Of one person; the oldest go.
MAX_DEVICES = 10
_MAX_ENDPOINT = 1_000
sql = load_queries(Path(__file__).with_name("queries.sql"))


def sender_key(host: Host) -> SenderKey:
    """Returns the instance's key, the same on every process."""
    return SenderKey(host.service(Vault).derive("web-push"), host.settings.base_url)


def _public(row: Row, call: Call) -> Mapping[str, Any]:
    is_here = row["session_id"] == call.principal.credential.id
    created_at = rfc3339(row["created_at"])
    return {"id": row["id"], "name": row["name"], "created_at": created_at, "current": is_here}


async def list_devices(call: Call) -> Reply:
    who = call.principal
    async with call.read() as reader:
        rows = await reader.all(sql.devices, user_id=who.user_id, org_id=who.org_id, limit=MAX_DEVICES)
    return page([_public(row, call) for row in rows], None, public_key=call.service(SenderKey).public)


async def add_device(call: Call) -> Reply:
    """Notes where messages for this browser go; its push service is one that this server may speak to."""
    who, keys = call.principal, call.body["keys"]
    for name, fault in (("p256dh", key_fault(keys["p256dh"])), ("auth", secret_fault(keys["auth"]))):
        if fault is not None:
            raise InvalidRequest.at(f"/keys/{name}", fault)
    endpoint = await call.service(OutboundHttp).check(call.body["endpoint"])
    async with call.write() as writer:
        await writer.serialize(f"push-devices:{who.user_id}")
        if not await call.service(Credentials).alive(writer, who.credential.id):
            raise Unauthenticated("Your session has ended; sign in again.")
        endpoint_hash = hashlib.sha256(endpoint.encode()).hexdigest()
        await writer.run(sql.take_over, endpoint_hash=endpoint_hash, user_id=who.user_id)
        row = await writer.one(
            sql.put_device,
            id=new_id("push", call.now_ms),
            org_id=who.org_id,
            user_id=who.user_id,
            session_id=who.credential.id,
            endpoint=endpoint,
            endpoint_hash=endpoint_hash,
            public_key=keys["p256dh"],
            secret=keys["auth"],
            name=call.body.get("name"),
            now=call.now_ms,
        )
        await writer.run(sql.drop_oldest, user_id=who.user_id, org_id=who.org_id, most=MAX_DEVICES)
    assert row is not None
    return created(_public(row, call), f"{DEVICES}/{row['id']}")


async def delete_device(call: Call) -> Reply:
    who = call.principal
    async with call.write() as writer:
        binds = {"id": call.params["id"], "user_id": who.user_id, "org_id": who.org_id}
        if await writer.one(sql.delete_device, **binds) is None:
            raise NotFound("You have no such device.")
    return no_content()


_DEVICE = shape(
    {
        "id": string(),
        "name": nullable(string()),
        "created_at": time(),
        "current": boolean(description="Of this session"),
    }
)
EXAMPLE = {
    "endpoint": "https://push.example.invalid/send/abc",
    "keys": {
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg",
    },
}
ROUTES = (
    Route(
        "GET",
        DEVICES,
        list_devices,
        "The browsers in which the caller is told, and the key that a browser subscribes with.",
        reply=listing(_DEVICE, public_key=string(description="For `applicationServerKey`")),
        session_only=True,
    ),
    Route(
        "POST",
        DEVICES,
        add_device,
        "Have this browser tell the caller: a `PushSubscription` as it is, until its session is gone.",
        body=obj(
            {
                "endpoint": string(min_length=1, max_length=_MAX_ENDPOINT),
                "keys": obj(
                    {"p256dh": string(max_length=200), "auth": string(max_length=100)},
                    required=["p256dh", "auth"],
                ),
                "name": nullable(string(max_length=NAME_MAX, description="What its person calls it")),
                "expirationTime": {"description": "What a browser says beside it; it is not looked at"},
            },
            required=["endpoint", "keys"],
            example=EXAMPLE,
        ),
        reply=_DEVICE,
        status=201,
        session_only=True,
    ),
    Route(
        "DELETE",
        f"{DEVICES}/:id",
        delete_device,
        "Have a browser tell the caller nothing any more.",
        status=204,
        session_only=True,
    ),
)


async def make_device(client: SampleClient, canary: str) -> str:
    endpoint = f"https://93.184.216.34/{hashlib.sha256(canary.encode()).hexdigest()}"
    _, answer = await client.call("POST", DEVICES, {**EXAMPLE, "endpoint": endpoint, "name": canary})
    return str(answer["id"])


FACTORIES = (Factory(f"{DEVICES}/:id", make_device),)
