"""The rows of the API: sign-in, permission and body are checked before a handler runs."""

from collections.abc import Sequence

from guildhall_sdk import Call, Permission, Reply, Route, hookimpl
from guildhall_sdk.schema import obj, shape, string

USE = "sample-plugin:use"

NAME = string(min_length=1, max_length=100)
WHO = obj({"name": NAME}, required=["name"], example={"name": "Ada"})
GREETING = shape({"text": string()})


async def greet(call: Call) -> Reply:
    return Reply({"text": f"Welcome to the hall, {call.body['name']}."})


async def read_greeting(call: Call) -> Reply:
    return Reply({"text": f"Welcome to the hall, {call.principal.username}."})


@hookimpl
def declare_permissions() -> Sequence[Permission]:
    return [Permission(name=USE, description="Be greeted", roles=["viewer"])]


@hookimpl
def declare_routes() -> Sequence[Route]:
    return [
        Route("GET", "greeting", read_greeting, "Greet the caller", permission=USE, reply=GREETING),
        Route("POST", "greeting", greet, "Greet somebody", permission=USE, body=WHO, reply=GREETING),
    ]
