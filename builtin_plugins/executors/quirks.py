"""What an endpoint does not take of a request, what it is sent instead, and where that is remembered."""

import hashlib
import json
import logging
import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from builtin_plugins.executors.answers import json_of
from guildhall_sdk import Clock, Reader, Row, Writer, load_queries
from guildhall_sdk.data import Data

MAX_COMPLETION_TOKENS = "max_completion_tokens"  # in place of max_tokens
NO_TEMPERATURE = "no_temperature"
NO_STREAM_OPTIONS = "no_stream_options"
NO_JSON_SCHEMA = "no_json_schema"
NO_JSON_OBJECT = "no_json_object"
QUIRKS = (MAX_COMPLETION_TOKENS, NO_TEMPERATURE, NO_STREAM_OPTIONS, NO_JSON_SCHEMA, NO_JSON_OBJECT)

Quirks = frozenset[str]
NO_QUIRKS: Quirks = frozenset()

TOKEN_LIMITS = frozenset({"max_tokens", "max_completion_tokens"})
REFUSALS = frozenset({400, 422})
_MAX_REFUSAL = 8192
_NAMES = re.compile(
    r"\b(?:(?P<max_tokens>max_tokens)|(?P<max_completion_tokens>max_completion_tokens)"
    r"|(?P<temperature>temperature)|(?P<stream_options>stream_options|include_usage)"
    r"|(?P<response_format>response_format|json_schema|json_object|guided_json|structured[ _]outputs?))\b",
    re.IGNORECASE,
)
# Of the value that was sent, not of the parameter: another endpoint's spelling would be refused as well.
_ABOUT_VALUE = re.compile(
    r"too (?:large|long|high|small|low)|context|exceed|at most|at least|less than|greater than|between|limit"
    r"|range|m(?:ax|in)imum|positive|[<>]=? ?\d",
    re.IGNORECASE,
)
_ABOUT_NAME = re.compile(
    r"unsupported|not supported|un(?:known|recogni[sz]ed|expected)|not permitted|deprecated|instead|extra",
    re.IGNORECASE,
)
_ABOUT_SCHEMA = re.compile(r"invalid (?:json )?schema|additionalProperties|\$ref|keyword", re.IGNORECASE)
# What a refusal quotes of the request is not what it says.
_QUOTING = frozenset({"input", "ctx", "url", "request", "body"})

sql = load_queries(Path(__file__).with_name("quirks.sql"))
_log = logging.getLogger("guildhall.executors")


@lru_cache(maxsize=1024)
def fingerprint(url: str, model: str | None) -> str:
    """Returns what quirks were found of: another address or model is another endpoint."""
    return hashlib.sha256(f"{url}\n{model or ''}".encode()).hexdigest()[:32]


def fit(request: Mapping[str, Any], quirks: Collection[str]) -> dict[str, Any]:
    """Returns the request as an endpoint with these quirks takes it."""
    sent = dict(request)
    if MAX_COMPLETION_TOKENS in quirks and "max_tokens" in sent:
        sent["max_completion_tokens"] = sent.pop("max_tokens")
    if NO_TEMPERATURE in quirks:
        sent.pop("temperature", None)
    if NO_STREAM_OPTIONS in quirks:
        sent.pop("stream_options", None)
    if isinstance(sent.get("response_format"), Mapping):
        _fit_format(sent, sent["response_format"], quirks)
    return sent


class Negotiation:
    """One request on its way to be taken: each thing that is refused is given up once."""

    def __init__(self, request: Mapping[str, Any], quirks: Quirks) -> None:
        self._request = request
        self._known = quirks
        self._quirks = set(quirks)
        self._passing: set[str] = set()
        self._given_up: set[str] = set()
        self.in_vain = False  # what was put in the place of something is refused as well
        self.sent = fit(request, quirks)

    @property
    def found(self) -> Quirks:
        """What this endpoint does not take beyond what was known."""
        return frozenset(self._quirks - self._known - self._passing)

    @property
    def gone(self) -> Quirks:
        """What was known of this endpoint and is not so any more."""
        return frozenset(self._known - self._quirks)

    def give_up(self, status: int, body: bytes) -> str | None:
        """Gives up what the answer refuses, and names it; None where nothing that was sent is refused."""
        if status not in REFUSALS:
            return None
        name, text = _refused(_parsed(body), self.sent)
        self.in_vain = name in self._given_up
        if name is None or self.in_vain or not self._change(name, text):
            return None
        self.sent = fit(self._request, self._quirks)
        return name

    def _change(self, name: str, text: str) -> bool:
        if name in TOKEN_LIMITS:
            if _is_about_value(text):
                return False
            # Either may be the one that is not known; the other is tried once.
            self._given_up |= TOKEN_LIMITS
            self._quirks ^= {MAX_COMPLETION_TOKENS}
            return True
        if name == "response_format":
            kind = self.sent["response_format"].get("type")
            quirk = NO_JSON_SCHEMA if kind == "json_schema" else NO_JSON_OBJECT
            passing = kind == "json_schema" and _ABOUT_SCHEMA.search(text) is not None
        else:
            self._given_up.add(name)
            quirk = NO_TEMPERATURE if name == "temperature" else NO_STREAM_OPTIONS
            passing = _is_about_value(text)
        if quirk in self._quirks:
            return False
        self._quirks.add(quirk)
        if passing:
            self._passing.add(quirk)
        return True


def _is_about_value(text: str) -> bool:
    return _ABOUT_VALUE.search(text) is not None and _ABOUT_NAME.search(text) is None


def _fit_format(sent: dict[str, Any], wanted: Mapping[str, Any], quirks: Collection[str]) -> None:
    """Sets the best format that is taken: a schema, any object, or words alone."""
    kind = wanted.get("type")
    if kind == "json_schema" and NO_JSON_SCHEMA not in quirks:
        return
    if kind not in ("json_schema", "json_object"):
        return
    instruction = "Answer with one JSON object and nothing else."
    if kind == "json_schema":
        details = wanted.get("json_schema")
        schema = details.get("schema") if isinstance(details, Mapping) else None
        instruction = (
            f"Answer with JSON and nothing else. It must fit this JSON Schema:\n{json.dumps(schema)}"
        )
    if NO_JSON_OBJECT in quirks:
        del sent["response_format"]
    else:
        sent["response_format"] = {"type": "json_object"}
    if kind == "json_schema" or NO_JSON_OBJECT in quirks or not _speaks_of_json(sent.get("messages")):
        sent["messages"] = _with_instruction(sent.get("messages"), instruction)


def _speaks_of_json(messages: Any) -> bool:
    """Returns whether a message speaks of JSON: some servers take `json_object` only then."""
    for message in messages or ():
        content = message.get("content") if isinstance(message, Mapping) else None
        for part in content if isinstance(content, list) else [{"text": content}]:
            text = part.get("text") if isinstance(part, Mapping) else None
            if isinstance(text, str) and ("json" in text or "JSON" in text):
                return True
    return False


def _with_instruction(messages: Any, text: str) -> list[Any]:
    """Adds an instruction to the first system message: many models take one, at the beginning alone."""
    given = list(messages or ())
    first = given[0] if given else None
    if isinstance(first, Mapping) and first.get("role") == "system" and isinstance(first.get("content"), str):
        return [{**first, "content": f"{first['content']}\n\n{text}"}, *given[1:]]
    return [{"role": "system", "content": text}, *given]


def _refused(answer: Any, sent: Mapping[str, Any]) -> tuple[str | None, str]:
    """Returns the parameter that an answer refuses, among those that were sent, and all its words."""
    text = "\n".join(_texts(answer))[:_MAX_REFUSAL]
    error = answer.get("error", answer) if isinstance(answer, Mapping) else None
    param = error.get("param") if isinstance(error, Mapping) else None
    names = _named(param, sent) if isinstance(param, str) else []
    return next(iter(names or _named(text, sent)), None), text


def _named(text: str, sent: Mapping[str, Any]) -> list[str]:
    """Finds parameters in order: a server that lists what it knows begins with what it does not."""
    found = [match.lastgroup or "" for match in _NAMES.finditer(text)]
    return [name for name in found if name in sent]


def _texts(answer: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(answer, str):
        yield answer[:_MAX_REFUSAL]
    elif isinstance(answer, Mapping) and depth < 8:
        for key, value in list(answer.items())[:64]:
            if key not in _QUOTING:
                yield from _texts(value, depth + 1)
    elif isinstance(answer, list) and depth < 8:
        for value in answer[:64]:
            yield from _texts(value, depth + 1)


def _parsed(body: bytes) -> Any:
    answer = json_of(body)
    return body[:_MAX_REFUSAL].decode("utf-8", "replace") if answer is None else answer


class QuirkMemory(Protocol):
    """The quirks of one endpoint."""

    @property
    def quirks(self) -> Quirks: ...

    async def learn(self, found: Quirks, gone: Quirks) -> None: ...


class OwnMemory:
    """The memory of one process, or of one call."""

    def __init__(self) -> None:
        self.quirks = NO_QUIRKS

    async def learn(self, found: Quirks, gone: Quirks) -> None:
        self.quirks = (self.quirks | found) - gone


class StoredMemory:
    """The memory of an executor, in the database; `quirks` is what a row held when the turn began."""

    def __init__(self, store: "QuirkStore", executor_id: str, print_: str, quirks: Quirks) -> None:
        self._store = store
        self._executor_id = executor_id
        self._fingerprint = print_
        self.quirks = quirks

    async def learn(self, found: Quirks, gone: Quirks) -> None:
        self.quirks = (self.quirks | found) - gone
        try:
            await self._store.update(self._executor_id, self._fingerprint, found, gone)
        except Exception:  # the turn goes on: whoever comes next finds the same
            fields = {"executor": self._executor_id}
            _log.exception("executors.quirks_not_kept", extra={"fields": fields})


class QuirkStore:
    """The quirks of all executors: read with each turn, written when something new is found."""

    def __init__(self, data: Data, clock: Clock) -> None:
        self._data = data
        self._clock = clock

    async def memory(self, reader: Reader, executor_id: str, url: str, model: str | None) -> StoredMemory:
        """Returns what is known of an executor that has this address and model now."""
        row = await reader.one(sql.kept, id=executor_id)
        return self.remembered(executor_id, url, model, quirks_of(row, url, model))

    def remembered(self, executor_id: str, url: str, model: str | None, quirks: Quirks) -> StoredMemory:
        """Returns the memory of an executor whose quirks were read already."""
        return StoredMemory(self, executor_id, fingerprint(url, model), quirks)

    async def forget(self, writer: Writer, executor_id: str) -> None:
        await writer.run(sql.forget, id=executor_id)

    async def update(self, executor_id: str, print_: str, found: Quirks, gone: Quirks) -> None:
        """Adds to what is known of an endpoint; what was known of another address or model goes."""
        async with self._data.write() as writer:
            await writer.serialize("executor-quirks")
            row = await writer.one(sql.kept, id=executor_id)
            known = NO_QUIRKS if row is None or row["fingerprint"] != print_ else _flags(row)
            await self._store(writer, executor_id, print_, (known | found) - gone)

    async def replace(
        self, writer: Writer, executor_id: str, url: str, model: str | None, quirks: Quirks
    ) -> None:
        """Sets what is known of an endpoint, after a look at all of it."""
        await self._store(writer, executor_id, fingerprint(url, model), quirks)

    async def _store(self, writer: Writer, executor_id: str, print_: str, quirks: Quirks) -> None:
        await writer.run(
            sql.store,
            id=executor_id,
            fingerprint=print_,
            flags=json.dumps(sorted(quirks)),
            now=self._clock.now_ms(),
        )


def quirks_of(row: Row | None, url: str | None, model: str | None) -> Quirks:
    """Returns the quirks of a row, unless they were found of another address or model."""
    if row is None or url is None or row["fingerprint"] != fingerprint(url, model):
        return NO_QUIRKS
    return _flags(row)


def _flags(row: Row) -> Quirks:
    """Returns the flags that this version knows: another one may have written the row."""
    return frozenset(json.loads(row["flags"])) & frozenset(QUIRKS)
