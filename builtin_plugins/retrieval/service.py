"""The service `Retrieval`: the passages that a question can be answered from, by words and by meaning."""

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any, Literal, NamedTuple

from builtin_plugins.retrieval.sources import NOTE, OBJECT, Named, named_documents
from builtin_plugins.retrieval.words import best_passages, documents_with, kind_of_document
from guildhall_sdk import Host, Principal, Problem, Reader
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.search import (
    DocumentRef,
    NearPassage,
    Notes,
    Passage,
    PassageIndex,
    Search,
    Sources,
)

MAX_LIMIT = 50
MAX_QUESTION = 4_000
_DOCUMENTS = 12
_OF_ONE = 3
_RANK = 60
_MEANT = 20


class Document(NamedTuple):
    """A document as the person may read it now; `text` is None where its passages say it."""

    ref: DocumentRef
    title: str
    key: str | None = None
    version: int | None = None


class PassageRetrieval:
    """Implements the SDK's `Retrieval`."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def check(self, principal: Principal, sources: Sources) -> None:
        await named_documents(self._host, principal, sources)

    async def passages(
        self, principal: Principal, question: str, *, sources: Sources = "workspace", limit: int = 8
    ) -> Sequence[Passage]:
        question, limit = question.strip()[:MAX_QUESTION], max(1, min(limit, MAX_LIMIT))
        named = await named_documents(self._host, principal, sources)
        if not question:
            return ()
        scores = await self._documents(principal, question, named)
        if not scores:
            return ()
        order = sorted(scores, key=lambda one: -scores[one])[: max(_DOCUMENTS, limit)]
        meant = await self._by_meaning(principal, question, order, named)
        found: list[list[Passage]] = []
        for ref in order:
            said = named is not None and ref in named.each
            some = await self._of_document(
                principal, question, ref, meant.get(ref, ()), scores[ref], wait=said
            )
            if some:
                found.append(some)
        # The best of each first, then their second ones.
        rounds = [one[number] for number in range(_OF_ONE) for one in found if number < len(one)]
        return rounds[:limit]

    async def _documents(
        self, principal: Principal, question: str, named: Named | None
    ) -> Mapping[DocumentRef, float]:
        """Returns where to look, with how well each fits: by meaning and by words, made one by rank."""
        search = self._host.service(Search)
        scores: dict[DocumentRef, float] = {}
        by_words = await documents_with(self._host, principal, question)
        for rank, ref in enumerate(sorted(by_words, key=lambda one: -by_words[one]), 1):
            scores[ref] = 1 / (_RANK + rank)
        try:
            by_meaning = await search.find(principal, question[:1_000], limit=_MEANT, mode="meaning")
        except Problem:  # the model is away: the words remain
            pass
        else:
            for rank, item in enumerate(by_meaning.items, 1):
                if "meaning" in item["found_by"]:
                    ref = (item["type"], item["id"])
                    scores[ref] = scores.get(ref, 0.0) + 1 / (_RANK + rank)
        if named is None:
            return scores
        within = {ref: scores.get(ref, 0.0) for ref in named.documents}
        # Of what was named one by one something is given whatever is asked: "sum this up" is in no document.
        return {ref: score for ref, score in within.items() if score > 0 or ref in named.each}

    async def _by_meaning(
        self, principal: Principal, question: str, documents: Sequence[DocumentRef], named: Named | None
    ) -> Mapping[DocumentRef, Sequence[NearPassage]]:
        """Returns the nearest passages of documents that the person may read."""
        index = self._host.find_service(PassageIndex)
        try:
            find_near = None if index is None else await index.question(principal, question)
        except Problem:
            return {}
        if find_near is None:
            return {}
        found: dict[DocumentRef, list[NearPassage]] = {}
        async with self._host.data.read() as reader, aclosing(find_near(reader, documents)) as batches:
            async for batch in batches:
                for one in batch:
                    of_document = found.setdefault(one.document, [])
                    if len(of_document) < _OF_ONE and (one.fits or not of_document):
                        of_document.append(one)
                break
        return found

    async def _of_document(
        self,
        principal: Principal,
        question: str,
        ref: DocumentRef,
        near: Sequence[NearPassage],
        score: float,
        *,
        wait: bool,
    ) -> list[Passage]:
        """Returns the best passages of one document; none where the person may not read it now."""
        async with self._host.data.read() as reader:
            document = await self._readable(reader, principal, ref)
            if document is None:
                return []
            index = self._host.find_service(PassageIndex)
            texts = (
                {} if index is None else await index.texts(reader, principal.org_id, [one.id for one in near])
            )
        meant = [
            self._passage(document, *texts[one.id], max(0.0, one.score), "meaning")
            for one in near
            if one.id in texts and one.fits
        ]
        if meant:
            return meant
        text = await self._text(principal, document, wait=wait)
        if not text.strip():
            return []
        kind = kind_of_document(ref[0], document.key)
        scored = await best_passages(principal.org_id, kind, text, question, _OF_ONE)
        return [
            self._passage(document, one.passage.text, _place(one.passage), score, "words") for one in scored
        ]

    async def _readable(self, reader: Reader, principal: Principal, ref: DocumentRef) -> Document | None:
        type_, id_ = ref
        try:
            if type_ == OBJECT:
                found = await self._host.service(Repository).get(reader, principal, id_)
                return Document(ref, found.current.filename, found.key, found.current.number)
            if type_ == NOTE and (notes := self._host.find_service(Notes)) is not None:
                return Document(ref, (await notes.read(reader, principal, id_)).title)
        except Problem:
            return None
        titles = await self._host.service(Search).readable(principal, [ref])
        return Document(ref, titles[ref]) if ref in titles else None

    async def _text(self, principal: Principal, document: Document, *, wait: bool) -> str:
        """Returns the text of a document; with `wait` one that no job has read yet is read now."""
        type_, id_ = document.ref
        if type_ == OBJECT and wait:
            try:
                return (await self._host.service(Repository).read_text(principal, id_)).text or ""
            except Problem:
                return ""
        async with self._host.data.read() as reader:
            try:
                if type_ == OBJECT:
                    return await self._host.service(Repository).text(reader, principal, id_) or ""
                notes = self._host.find_service(Notes)
                if type_ == NOTE and notes is not None:
                    return (await notes.read(reader, principal, id_)).body
            except Problem:
                return ""
        return document.title

    def _passage(
        self,
        document: Document,
        text: str,
        place: Mapping[str, Any],
        score: float,
        by: Literal["words", "meaning"],
    ) -> Passage:
        type_, id_ = document.ref
        return Passage(
            type=type_,
            id=id_,
            title=document.title,
            url=self._host.service(Search).url(type_, id_),
            text=text,
            place=place,
            score=score,
            found_by=(by,),
            key=document.key,
            version=document.version,
        )


def _place(passage: Any) -> dict[str, Any]:
    places = {name: getattr(passage, name) for name in ("heading", "page", "sheet", "line")}
    return {name: value for name, value in places.items() if value is not None}
