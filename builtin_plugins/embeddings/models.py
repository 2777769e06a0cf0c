"""Who makes vectors for a team: the executor that has the role, else the model inside the server."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from builtin_plugins.embeddings.static_model import MODEL, StaticModel, loaded, package_folder
from builtin_plugins.embeddings.vectors import Space, measured_space
from guildhall_sdk import Host, Principal, Reader, Setting, UserError, Writer, load_queries
from guildhall_sdk.services.models import NO_TOKENS, Embedded, Models
from guildhall_sdk.settings import boolean
from libs.fair_slots import FairThread, Steps

sql = load_queries(Path(__file__).with_name("queries.sql"))

EMBEDDINGS: Setting[bool] = Setting(
    name="embeddings",
    variable="SERVICE_EMBEDDINGS",
    help="find by meaning: 1, or 0 for words alone",
    default=True,
    parse=boolean,
)

#: Texts that are sent to a model at once. Their answer is read in one step.
AT_ONCE = 16
# Texts of the model inside that are one step of its thread.
_STEP = 2
#: Of one text, in characters: no model of a workspace reads more.
MAX_TEXT = 8_000
_PAUSE_SECONDS = 0.0003
_SHORT = 200
# Once it is loaded.
_kept: "dict[str, StaticModel]" = {}
_THREAD = FairThread("embeddings")

Stored = Callable[[Writer, Sequence[Sequence[float]]], Awaitable[None]]


class Chosen(NamedTuple):
    """The model of a team; `executor` is None for the one inside the server."""

    key: str
    executor: str | None
    name: str


class EmbeddingModels:
    """Implements the SDK's `Embeddings`."""

    def __init__(self, host: Host) -> None:
        self._host = host
        #: Whether the operator wants it.
        self.on = host.setting(EMBEDDINGS)

    async def chosen(self, reader: Reader, principal: Principal) -> Chosen | None:
        """Returns the model of the caller's team; None where there is none."""
        if not self.on:
            return None
        models = self._host.find_service(Models)
        if models is not None:
            try:
                choice = await models.choose(reader, principal, role="embedding")
            except UserError:
                pass
            else:
                return Chosen(f"{choice.executor_id}:{choice.model}", choice.executor, choice.model)
        return Chosen(MODEL, None, MODEL) if package_folder() is not None else None

    async def embed(self, principal: Principal, texts: Sequence[str]) -> Embedded:
        async with self._host.data.read() as reader:
            chosen = await self.chosen(reader, principal)
        if chosen is None:
            raise UserError(
                "There is no model for embeddings: give an executor the role embedding, or install "
                "guildhall-server[semantic].",
                code="no_embeddings",
            )
        if chosen.executor is None:
            made: Sequence[Any] = await embed_inside(principal.org_id, texts)
            inside = [one.tolist() for one in made]  # numpy's are no JSON
            return Embedded(inside, chosen.name, "", NO_TOKENS)
        vectors: list[Sequence[float]] = []
        usage = NO_TOKENS
        for start in range(0, len(texts), AT_ONCE):
            found = await self._ask(principal, chosen.executor, texts[start : start + AT_ONCE])
            vectors += found.vectors
            usage += found.usage
        return Embedded(vectors, chosen.name, chosen.executor, usage)

    async def embed_for(
        self, principal: Principal, executor: str | None, texts: Sequence[str], stored: Stored | None = None
    ) -> Sequence[Sequence[float]]:
        """Embeds with one model; `stored` keeps the vectors in the transaction that settles their cost."""
        if executor is not None:
            return (await self._ask(principal, executor, texts, stored)).vectors
        vectors = await embed_inside(principal.org_id, texts)
        if stored is not None:
            async with self._host.data.write(within=principal.org_id) as writer:
                await stored(writer, vectors)
        return vectors

    async def space(self, principal: Principal, chosen: Chosen) -> Space:
        """Returns the space of a model, which is measured when it is first used."""
        while True:
            async with self._host.data.read() as reader:
                row = await reader.one(sql.space_of, model=chosen.key)
            if row is not None:
                return Space.of(row)
            await self._measure(principal, chosen)

    async def _measure(self, principal: Principal, chosen: Chosen) -> None:
        vectors: list[Sequence[float]] = []
        texts = [*QUESTIONS, *ANSWERS]
        for start in range(0, len(texts), AT_ONCE):
            vectors += await self.embed_for(principal, chosen.executor, texts[start : start + AT_ONCE])
        mean, floor = measured_space(vectors[: len(QUESTIONS)], vectors[len(QUESTIONS) :])
        async with self._host.data.write(within=principal.org_id) as writer:
            await writer.run(
                sql.insert_space,
                model=chosen.key,
                executor=chosen.executor,
                dimensions=len(vectors[0]),
                mean=mean,
                floor=floor,
            )

    async def _ask(
        self, principal: Principal, executor: str, texts: Sequence[str], stored: Stored | None = None
    ) -> Embedded:
        async def keep(writer: Writer, embedded: Embedded) -> None:
            assert stored is not None
            await stored(writer, embedded.vectors)

        return await self._host.service(Models).embed(
            principal,
            [text[:MAX_TEXT] for text in texts],
            executor=executor,
            stored=None if stored is None else keep,
        )


# Questions and answers of which none fits another: how near a model holds what has nothing in common.
QUESTIONS = (
    "When does the ferry leave on Sundays?",
    "Who repairs the boiler in the cellar?",
    "How many eggs go into the dough?",
    "Which form do I need for parental leave?",
    "What did the auditors say about the stock?",
    "Wanneer wordt het oud papier opgehaald?",
    "Why was the match stopped after half an hour?",
    "Hoe lang blijft een wachtwoord geldig?",
    "Where can visitors leave their car?",
    "What does the telescope see at night?",
    "Wie betaalt de reparatie van de lift?",
    "How is a wound on the knee cleaned?",
)
ANSWERS = (
    "Bees return to the hive before rain. Their dance tells the others how far away the lime trees are "
    "that have begun to flower, and in which direction from the sun.",
    "De dijk werd in drie zomers verhoogd. Klei kwam per schip uit het oosten, en aan de landzijde "
    "legde men een strook gras waar 's winters schapen op lopen.",
    "The violin was built in a small workshop. Its belly is of spruce, its back of maple, and the "
    "varnish has lost most of its red where the player's hand has rested.",
    "A loan with a fixed rate costs the same each month until its term ends. Whoever pays it off "
    "earlier owes the bank a part of the interest that it loses.",
    "The new compiler removes branches that are never taken. Programs with many small functions gain "
    "most, as calls between them disappear altogether.",
    "In de zestiende eeuw dreef de stad handel in laken. De kooplieden lieten hallen bouwen waarvan de "
    "gewels nu als markt en als concertzaal worden gebruikt.",
    "Granite forms deep below the surface, where molten rock cools for a long time. Its crystals are "
    "large enough to be told apart with the naked eye.",
    "The novel follows two sisters over forty years. One of them stays on the farm, the other becomes a "
    "pilot, and letters are nearly all that they know of each other.",
    "Kittens open their eyes after about nine days. In the weeks that follow they learn from one "
    "another how hard they may bite without ending the game.",
    "Bij vorst wordt het asfalt stroef gehouden met zout. De wagens rijden voor de spits uit, en "
    "fietspaden krijgen een pekeloplossing omdat die beter blijft liggen.",
    "The court held that the sign was not misleading. A customer who reads it with ordinary care knows "
    "that the price is for one person and excludes the tax.",
    "Our knitting group meets in the library. Wool and needles are there to be borrowed, and those who "
    "have never held any are shown the first stitches.",
)


async def embed_inside(org_id: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
    """Embeds with the model inside the server, on a thread in turn with other companies."""
    model = _kept.get("model") or await asyncio.to_thread(loaded)
    if model is None:
        raise UserError(
            "The embedded model is not installed: install guildhall-server[semantic].", code="no_embeddings"
        )
    if model is not _kept.get("model") and isinstance(model, StaticModel):
        _kept["model"] = model
    if len(texts) == 1 and len(texts[0]) <= _SHORT:  # a question: a thread's turn would take longer
        return list(model.embed(texts))
    return await _THREAD.run_steps(org_id, _vectors(model.embed, texts))


def _vectors(embed: Callable[[Sequence[str]], Any], texts: Sequence[str]) -> Steps[Sequence[Sequence[float]]]:
    vectors: list[Sequence[float]] = []
    for number, text in enumerate(texts, start=1):
        vectors += list(embed([text[:MAX_TEXT]]))
        time.sleep(_PAUSE_SECONDS)  # the event loop has its turn: it waits for the interpreter's lock
        if number % _STEP == 0:
            yield
    return vectors
