"""The rows of the gateway: OpenAI's API, with a token of the hall as its key."""

from collections.abc import Callable
from functools import partial
from typing import Any

from builtin_plugins.gateway import schemas
from builtin_plugins.gateway.chat import complete_chat
from builtin_plugins.gateway.embeddings import embed
from builtin_plugins.gateway.responses import respond
from builtin_plugins.gateway.wire import model_named, refusal
from guildhall_sdk import Call, Factory, Reply, Route, SampleClient
from guildhall_sdk.replies import EVENT_STREAM
from guildhall_sdk.schema import anything, array, integer, shape, string
from guildhall_sdk.services.models import MemberModel, MemberModels

_row: Callable[..., Route] = partial(Route, permission="chat:use", feature="chat", refusal=refusal)
_MODEL = shape({"id": string(), "object": string(), "created": integer(), "owned_by": string()})
_USAGE = shape({"total_tokens": integer(0)})

ROUTES = (
    _row(
        "GET",
        "/v1/models",
        "list_gateway_models",
        "The models that the caller may use, as OpenAI's API lists them",
        reply=shape({"object": string(), "data": array(_MODEL)}),
    ),
    _row(
        "GET",
        "/v1/models/:model",
        "get_gateway_model",
        "A model that the caller may use",
        reply=_MODEL,
    ),
    _row(
        "POST",
        "/v1/chat/completions",
        "complete_chat",
        "A turn of a model as OpenAI's chat completions, whole or streamed",
        body=schemas.CHAT,
        reply=shape(
            {
                "id": string(),
                "object": string(),
                "created": integer(),
                "model": string(),
                "choices": array(anything(type="object")),
                "usage": _USAGE,
            }
        ),
        also_answers=(EVENT_STREAM,),
        max_body=schemas.MAX_BODY,
    ),
    _row(
        "POST",
        "/v1/embeddings",
        "embed",
        "Vectors of texts, by a model that makes them",
        body=schemas.EMBEDDINGS,
        reply=shape(
            {
                "object": string(),
                "data": array(anything(type="object")),
                "model": string(),
                "usage": _USAGE,
            }
        ),
        max_body=schemas.MAX_BODY,
    ),
    _row(
        "POST",
        "/v1/responses",
        "respond",
        "A turn of a model as OpenAI's responses, as far as chat goes; nothing is stored",
        body=schemas.RESPONSES,
        reply=shape(
            {
                "id": string(),
                "object": string(),
                "status": string(),
                "model": string(),
                "output": array(anything(type="object")),
                "usage": _USAGE,
            }
        ),
        also_answers=(EVENT_STREAM,),
        max_body=schemas.MAX_BODY,
    ),
)


def _shown(model: MemberModel) -> dict[str, Any]:
    return {"id": model.name, "object": "model", "created": 0, "owned_by": "guildhall"}


async def list_gateway_models(call: Call) -> Reply:
    async with call.read() as reader:
        found = await call.service(MemberModels).usable(reader, call.principal)
    return Reply({"object": "list", "data": [_shown(model) for model in found]})


async def get_gateway_model(call: Call) -> Reply:
    return Reply(_shown(await model_named(call, call.params["model"])))


HANDLERS = {
    handler.__name__: handler
    for handler in (list_gateway_models, get_gateway_model, complete_chat, embed, respond)
}


async def default_model(client: SampleClient, canary: str) -> str:
    return "default"


FACTORIES = (Factory("/v1/models/:model", default_model, tenant=False),)
