"""Rows of the route table: data, nothing else."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum
from typing import Any

from guildhall_sdk.context import Call
from guildhall_sdk.schema import Schema

Handler = Callable[[Call], Awaitable[Any]]

DEFAULT_MAX_BODY = 1024 * 1024
# Of what nobody has signed in for.
PUBLIC_MAX_BODY = 64 * 1024


class Auth(Enum):
    """The class of a route: who may call it at all."""

    PUBLIC = "P"
    BEARER = "B"
    PROVISION = "PV"
    SUPERADMIN = "SA"
    ORG_ADMIN = "OA"


class Body(Enum):
    """The form in which the body reaches the handler."""

    JSON = "json"
    #: As it arrives, by `call.stream()`.
    RAW = "raw"
    #: All of it as bytes in `call.body`, within `max_body`: a message of another protocol.
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Route:
    """A row of the route table.

    `handler` is `async (call: Call) -> Reply`, or the name of one that `declare_handlers` gives; what it
    returns that is no `Reply` is answered as JSON with `status`. A `path` without a leading `/` is mounted
    under `/api/x/<plugin id>/`, behind sign-in and a permission, and matched after all others.
    `resource_decides` says that the resource itself may admit a caller whom the role would not (its owner, a
    grant): the permission gate then only checks the credential's scope, and the service decides. On a row
    without a permission a credential with a scope only reads; on a judged one it writes too, and the service
    keeps it to what it made itself. `unscoped` asks for a session or a token without a scope. `query` None
    gives the handler every parameter as text; else it gets the described ones, checked. `also_statuses` are
    those that it may answer with instead of `status`: 204 for nothing, 206 for a part. `also_answers` names
    content types that a caller can ask for instead, by `Accept`. `raw_wildcard` gives the handler of a
    `*name` whatever was sent there, to be judged by it: nothing at all, U+0000, and bytes that are no UTF-8
    as lone surrogates. Else such a path names nothing: 404. `max_body` is the most bytes that it takes;
    untold, 64 KiB on a public row and 1 MiB on any other. `while_suspended` lets a write through while the
    company or the tenant is suspended (login, 2FA …). `cors` lets pages of every other origin call it and
    read each answer, refusals too; the preflight is answered for it. They send no cookies, which nothing here
    uses: a caller is who holds a token. `limit` is for public rows: so many calls a minute from one address,
    in all server processes together. `instead` is a sentence for who tries another method on the path. A row
    that stands `last` is matched after all others, and after such rows of a longer path.
    """

    method: str
    path: str
    handler: Any
    doc: str
    auth: Auth = Auth.BEARER
    _: KW_ONLY
    permission: str | None = None
    feature: str | None = None
    body: Schema | None = None
    body_kind: Body = Body.JSON
    query: Mapping[str, Schema] | None = field(default_factory=dict)
    reply: Schema | None = None
    status: int = 200
    max_body: int = 0
    resource_decides: bool = False
    while_suspended: bool = False
    session_only: bool = False
    unscoped: bool = False
    content_type: str = "application/json"
    also_answers: Sequence[str] = ()
    also_statuses: Sequence[int] = ()
    raw_wildcard: bool = False
    cors: bool = False
    limit: int = 0
    instead: str = ""
    last: bool = False

    def __post_init__(self) -> None:
        if not self.max_body:
            max_body = PUBLIC_MAX_BODY if self.auth is Auth.PUBLIC else DEFAULT_MAX_BODY
            object.__setattr__(self, "max_body", max_body)


_WORDS_BELOW_API = """
    2fa activate admin agent ai audit beta bootstrap branding config doc-triggers docs documents
    executors features glossary i18n instance jobs kg l10n login logout mcp members metrics
    model-roles notes oop openapi.json org orgs password plugins profile provision quota repo
    repo-obj runs s3 search sessions share-targets tokens tools translate ui usage whoami workers
    workflows x
"""
_WORDS = "activate api beta beta-sdk.js frame health index.html login ready"

#: A plugin that does not ship with Guildhall declares no row below these.
RESERVED_PREFIXES = frozenset(
    {
        "/",
        *(f"/{word}" for word in _WORDS.split()),
        *(f"/api/{word}" for word in _WORDS_BELOW_API.split()),
    }
)


def prefix_of(path: str) -> str:
    """Returns the first word of a path, or the first two where the first is `api`."""
    segments = path.split("/")[1:]
    return "/" + "/".join(segments[: 2 if segments[0] == "api" else 1])
