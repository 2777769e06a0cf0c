"""A message: how it is stored, and how the API shows it to somebody who may read it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from builtin_plugins.conversations.conversation import search_words
from guildhall_sdk import Row, Writer, load_queries, new_id, rfc3339

sql = load_queries(Path(__file__).with_name("messages.sql"))

ID_PREFIX = "msg"
#: Of the text of one message, what search compares.
_MAX_WORDS = 20_000
UNDER_WAY = ("queued", "running", "waiting")
# What most have of most; nobody changes it.
_EMPTY: Mapping[str | None, Any] = {None: None, "[]": (), "{}": {}}
# Of a tool's call, what is for the turn alone.
_INNER = ("call_id", "round", "text", "writes")


def encoded(value: Any) -> str:
    """Returns JSON that every database takes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(value, separators=(",", ":"))
    return text


def text_of(parts: Iterable[Mapping[str, Any]]) -> str:
    """Returns the words of a message."""
    return "\n\n".join(part["text"] for part in parts if part["type"] == "text")


def words_of(parts: Iterable[Mapping[str, Any]]) -> str:
    """Returns the words of a message as search compares them."""
    return search_words(text_of(parts)[:_MAX_WORDS])


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message as stored.

    Of an answer `asked` is what the turn was asked with (`sources`, `tools`, `model`), `progress` what the
    model has said turn by turn while it calls tools, and its tokens until now.
    """

    id: str
    conversation_id: str
    org_id: str
    parent_id: str | None
    role: str
    state: str
    author_id: str
    author_name: str
    job_id: str | None
    job_team_id: str | None
    attempt: int
    model: str | None
    created_at: int
    size: int
    usage: Mapping[str, Any] | None
    error: Mapping[str, Any] | None
    asked: Mapping[str, Any]
    progress: Mapping[str, Any]
    tools: Sequence[Mapping[str, Any]]
    citations: Sequence[Mapping[str, Any]]
    parts: Sequence[Mapping[str, Any]]

    @classmethod
    def of(cls, row: Row) -> "Message":
        fields = {name: row[name] for name in cls.__dataclass_fields__}
        for name in ("usage", "error", "asked", "progress", "tools", "citations", "parts"):
            text = fields[name]
            fields[name] = _EMPTY[text] if text in _EMPTY else json.loads(text)
        return cls(**fields)

    @property
    def is_under_way(self) -> bool:
        """Whether it is an answer that is not whole yet."""
        return self.state in UNDER_WAY

    @property
    def text(self) -> str:
        """Its words."""
        return text_of(self.parts)

    def public(
        self,
        reader_id: str,
        readable: frozenset[tuple[str, str]] = frozenset(),
        said: str | None = None,
        siblings: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Returns the message as the API shows it.

        Of `citations` only those of what is `readable` say anything; what tools were given and gave is for
        who asked. `said` is what an answer under way has said beside its parts.
        """
        parts = self.parts if not said else [*self.parts, {"type": "text", "text": said}]
        return {
            "id": self.id,
            "parent_id": self.parent_id,
            "role": self.role,
            "parts": list(parts),
            "model": self.model,
            "usage": self.usage,
            "tools": [public_tool(one, whole=reader_id == self.author_id) for one in self.tools],
            "citations": [_citation(one, readable) for one in self.citations],
            "state": self.state,
            "error": self.error,
            "reasoning": self.progress.get("reasoning"),
            "finish_reason": self.progress.get("finish_reason"),
            "author": {"id": self.author_id, "name": self.author_name},
            "asked": _asked(self.asked) if reader_id == self.author_id else {},
            "job": None if self.job_id is None or reader_id != self.author_id else {"id": self.job_id},
            "siblings": list(siblings) or [self.id],
            "created_at": rfc3339(self.created_at),
        }


def _asked(asked: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in asked.items() if name != "hint"}


def public_tool(call: Mapping[str, Any], *, whole: bool) -> dict[str, Any]:
    """Returns a call of a tool as the API shows it; what it was given and gave only where it is `whole`."""
    if not whole:
        shown = {"name": call["name"], "arguments": None, "result": None, "state": call["state"]}
        return shown | {"after": call["after"]} if "after" in call else shown
    return {name: value for name, value in call.items() if name not in _INNER}


def _citation(citation: Mapping[str, Any], readable: frozenset[tuple[str, str]]) -> dict[str, Any]:
    if (citation["type"], citation["id"]) in readable:
        return dict(citation)
    return {"n": citation["n"], "type": citation["type"], "id": None, "place": {}, "quote": None}


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to store."""

    parent_id: str | None
    role: str
    parts: Sequence[Mapping[str, Any]]
    state: str = "done"
    asked: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    usage: Mapping[str, Any] | None = None
    tools: Sequence[Mapping[str, Any]] = ()
    citations: Sequence[Mapping[str, Any]] = ()
    #: The parts as they are stored, where they were long and made ready before the transaction.
    encoded_parts: str | None = None


async def insert(writer: Writer, where: tuple[str, str], author_id: str, new: NewMessage, now_ms: int) -> str:
    """Stores a message in the company and the conversation of `where`; returns its id."""
    message_id = new_id(ID_PREFIX, now_ms)
    parts = new.encoded_parts or encoded(new.parts)
    tools, citations = encoded(new.tools), encoded(new.citations)
    await writer.run(
        sql.insert_message,
        id=message_id,
        org_id=where[0],
        conversation_id=where[1],
        parent_id=new.parent_id,
        role=new.role,
        state=new.state,
        author_id=author_id,
        model=new.model,
        now=now_ms,
        size=len(parts) + len(tools) + len(citations),
        usage=None if new.usage is None else encoded(new.usage),
        asked=encoded(new.asked),
        tools=tools,
        citations=citations,
        words=words_of(new.parts),
        parts=parts,
    )
    return message_id
