"""The rows of models for members, and their handlers."""

import re
import secrets

from builtin_plugins.models import service
from builtin_plugins.models.service import MANAGE, OPERATE, StoredMemberModels
from guildhall_sdk import (
    Call,
    Factory,
    InvalidRequest,
    PermissionDenied,
    Reply,
    Route,
    SampleClient,
    no_content,
    page,
)
from guildhall_sdk.schema import (
    array,
    boolean,
    enum,
    listing,
    nullable,
    number,
    obj,
    shape,
    string,
)
from guildhall_sdk.services.models import EXECUTOR_NAME_MAX

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,63}")
_ids = array(string(min_length=1, max_length=64), maxItems=1_000)
_amount = number(minimum=0, maximum=1_000_000_000)
_PRICE = obj(
    {
        "currency": string(min_length=3, max_length=3, pattern="^[A-Z]{3}$"),
        "input_per_million": _amount,
        "output_per_million": _amount,
    },
    required=["currency", "input_per_million", "output_per_million"],
    description="Of a million tokens that the model reads and writes",
)
PUT = obj(
    {
        "executor": string(
            min_length=1, max_length=EXECUTOR_NAME_MAX, description="What runs it; a new one needs it"
        ),
        "model": nullable(
            string(
                min_length=1, max_length=200, description="What is asked for there; null: the executor's own"
            )
        ),
        "label": string(min_length=1, max_length=100),
        "description": string(max_length=1_000),
        "allowed": obj(
            {"roles": array(string(min_length=1, max_length=64), maxItems=50), "teams": _ids, "users": _ids},
            description="Who may use it: by role, or by id; nobody where it is empty. What is left out stays",
        ),
        "price": nullable(_PRICE),
    },
    example={"executor": "local", "label": "Quick", "allowed": {"roles": ["member"]}},
)
_shown_price = nullable(
    shape({"currency": string(), "input_per_million": number(), "output_per_million": number()})
)
MANAGED = shape(
    {
        "name": string(),
        "label": string(),
        "description": string(),
        "executor": string(),
        "model": nullable(string()),
        "allowed": nullable(
            shape(
                {"roles": array(string()), "teams": array(string()), "users": array(string())},
                optional=["roles", "teams", "users"],
                description="null is everybody who may use models",
            )
        ),
        "price": _shown_price,
        "instance": boolean(description="For the whole instance, and not for the caller's company alone"),
    }
)
_usable = shape(
    {
        "name": string(),
        "label": string(),
        "description": string(),
        "roles": array(string(), description="chat, and the roles that models have in the team"),
        "price": _shown_price,
    }
)
MODELS = listing({"anyOf": [MANAGED, _usable]})

ROUTES = (
    Route(
        "GET",
        "/api/models",
        "list_models",
        "The models that the caller may use; with manage=1 all that are named here, for who names them",
        permission="chat:use",
        query={"manage": enum("0", "1", default="0")},
        reply=MODELS,
    ),
    Route(
        "PUT",
        "/api/models/:name",
        "put_model",
        "Name a model for members: an executor of one's company with org:manage, any with instance:manage",
        permission=MANAGE,
        body=PUT,
        reply=MANAGED,
    ),
    Route(
        "DELETE",
        "/api/models/:name",
        "delete_model",
        "Delete a model for members; default is then as it was without set-up",
        permission=MANAGE,
        status=204,
    ),
)


async def list_models(call: Call) -> Reply:
    models = StoredMemberModels(call.host)
    async with call.read() as reader:
        if call.query.get("manage") == "1":
            if not (call.principal.may(MANAGE) or call.principal.may(OPERATE)):
                raise PermissionDenied(MANAGE)
            offered = await models.offered(reader, call.principal.org_id)
            operates = call.principal.may(OPERATE)
            shown = [offered[name] for name in sorted(offered)]
            return page([one.public(is_own=operates or one.org_id != "") for one in shown], None)
        usable = await models.usable(reader, call.principal)
    items = [
        {
            "name": one.name,
            "label": one.label,
            "description": one.description,
            "roles": list(one.roles),
            "price": one.price,
        }
        for one in usable
    ]
    return page(items, None)


async def put_model(call: Call) -> Reply:
    name = call.params["name"]
    if not _NAME.fullmatch(name):
        raise InvalidRequest("The name takes letters, digits and . _ : @ -, 64 at most.")
    async with call.write() as writer:
        return Reply((await service.put(call, writer, name, call.body)).public())


async def delete_model(call: Call) -> Reply:
    async with call.write() as writer:
        await service.delete(call, writer, call.params["name"])
    return no_content()


HANDLERS = {handler.__name__: handler for handler in (list_models, put_model, delete_model)}


async def make_model(client: SampleClient, canary: str) -> str:
    name = f"sample-{secrets.token_hex(6)}"
    executor = {"name": name, "mode": "pull", "model": "m"}
    await client.call("POST", "/api/org/executors", executor)
    body = {"executor": executor["name"], "label": canary[:100]}
    await client.call("PUT", f"/api/models/{name}", body)
    return name


#: Each company chooses names of its own, so that one name is no secret of another company.
FACTORIES = (Factory("/api/models/:name", make_model, tenant=False),)
