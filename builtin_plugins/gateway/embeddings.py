"""Embeddings: vectors of texts as OpenAI's API gives them, as numbers or in base64."""

import base64
import struct
from collections.abc import Sequence
from typing import Any

from builtin_plugins.gateway.wire import headers_of, model_named
from guildhall_sdk import Call, Reply, UserError
from guildhall_sdk.services.models import MemberModel, Models
from guildhall_sdk.services.search import Embeddings
from libs.fair_slots import BODIES
from libs.request_body import unless_gone

_AT_ONCE = 64


async def embed(call: Call) -> Reply:
    """Answers the vectors of one text or of several."""
    body = call.body
    model = await model_named(call, body["model"])
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    vectors, tokens = await unless_gone(call, _vectors(call, model, texts))
    data: list[dict[str, Any]] = []
    for first in range(0, len(vectors), _AT_ONCE):
        some = vectors[first : first + _AT_ONCE]
        shown: Sequence[Any] = some
        if body.get("encoding_format") == "base64":
            shown = await BODIES.run(call.principal.org_id, _packed, some)
        data += [
            {"object": "embedding", "index": number, "embedding": one if isinstance(one, str) else list(one)}
            for number, one in enumerate(shown, first)
        ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    answer = {"object": "list", "data": data, "model": model.name, "usage": usage}
    return Reply(answer, headers=await headers_of(call))


async def _vectors(
    call: Call, model: MemberModel, texts: Sequence[str]
) -> tuple[Sequence[Sequence[float]], int]:
    """Returns the vectors and the tokens that they cost; the hall's own model is whichever embeds here."""
    if model.executor is not None:
        made = await call.service(Models).embed(call.principal, texts, executor=model.executor)
        return made.vectors, made.usage.total
    embeddings = call.host.find_service(Embeddings)
    if embeddings is None:
        raise UserError("No model makes embeddings here; ask an operator for one.", code="no_embeddings")
    made = await embeddings.embed(call.principal, texts)
    return made.vectors, made.usage.total


def _packed(vectors: Sequence[Sequence[float]]) -> list[str]:
    return [base64.b64encode(struct.pack(f"<{len(one)}f", *one)).decode() for one in vectors]
