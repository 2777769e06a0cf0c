"""One signed request past its gates: what the operations are given."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from builtin_plugins.s3.keys import AccessKeys, Caller
from builtin_plugins.s3.wire.errors import AccessDenied, NoSuchVersion
from builtin_plugins.s3.wire.form import UploadForm
from builtin_plugins.s3.wire.payload import Payload
from builtin_plugins.s3.wire.presign import MADE_WITH
from builtin_plugins.s3.wire.request import Headers, S3Request
from builtin_plugins.s3.wire.sigv4 import Signature
from guildhall_sdk import Actor, Host, Principal, Reader, Writer
from guildhall_sdk.data import checked_write
from guildhall_sdk.inbox import Inbox
from guildhall_sdk.services import Credentials, Repository

FIRES_TRIGGERS = "workflows:run"
_WORTH_A_THREAD = 256 * 1024
_CRUMBS = 100


@dataclass(frozen=True)
class Call:
    """`header_lines` are the headers as they came; `form` is there if the request is one."""

    host: Host
    request: S3Request
    header_lines: Sequence[tuple[bytes, bytes]]
    signature: Signature
    caller: Caller
    inbox: Inbox
    request_id: str
    form: UploadForm | None = None

    @property
    def principal(self) -> Principal:
        return self.caller.principal

    @property
    def team_id(self) -> str:
        return self.principal.team_id

    @property
    def bucket(self) -> str:
        return self.caller.bucket

    @property
    def key(self) -> str:
        return self.request.key

    @property
    def arguments(self) -> Mapping[str, str]:
        return self.request.arguments

    @cached_property
    def repository(self) -> Repository:
        return self.host.service(Repository)

    @cached_property
    def raw_headers(self) -> Mapping[str, str]:
        """In Latin-1, lines of one name joined, and with the x-amz ones that a link has in its query."""
        hoisted = {name: value.encode().decode("latin-1") for name, value in self.request.extensions.items()}
        lines = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in self.header_lines)
        return hoisted | dict(Headers(lines))

    @property
    def fires_triggers(self) -> bool:
        return self.principal.scope_allows(FIRES_TRIGGERS)

    @property
    def now_ms(self) -> int:
        return self.host.clock.now_ms()

    @property
    def version_id(self) -> str | None:
        told = self.arguments.get("versionId")
        if told is not None and "\0" in told:
            raise NoSuchVersion()
        return told or None

    def read(self) -> AbstractAsyncContextManager[Reader]:
        return self.host.data.read()

    def write(self) -> AbstractAsyncContextManager[Writer]:
        """Refused while the company is suspended, and when the key was revoked since the request began."""
        who = self.principal
        actor = Actor(who.username, who.user_id, who.org_id, who.team_id, self.request_id)
        return checked_write(self.host.data.write(actor, within=who.org_id), self._check_caller)

    async def _check_caller(self, reader: Reader) -> None:
        keys = self.host.service(AccessKeys)
        self.principal.check_unchanged(await keys.principal_of(reader, self.signature.access_key_id))
        await check_maker(self.host, reader, self.request)

    def check_reach(self, key: str) -> None:
        if not self.caller.reaches(key):
            raise AccessDenied("The access key is limited to another prefix.")

    async def content(self, payload: Payload, most: int) -> AsyncIterator[bytes]:
        """The body without its framing; provisional until `payload.finish` has agreed."""
        # What surrounds the content is little; a client that sends more of it than content is refused too.
        pieces: Any = self.inbox.stream(most + most // 16 + 64 * 1024)
        async for piece in pieces:
            if len(piece) > _WORTH_A_THREAD:
                content = await asyncio.to_thread(payload.feed, piece)
            else:
                content = await _fed(payload, piece)
            for chunk in content:
                yield chunk


async def check_maker(host: Host, reader: Reader, request: S3Request) -> None:
    """A link that was made with an API token is dead without it."""
    token_id = request.arguments.get(MADE_WITH)
    if token_id is None:
        return
    if "\0" in token_id or not await host.service(Credentials).alive(reader, token_id):
        raise AccessDenied("The token that this link was made with has been revoked.")


async def _fed(payload: Payload, piece: bytes) -> list[bytes]:
    """The content of a piece, in one. Of one that is framed in crumbs, others get their turn in between."""
    content: list[bytes] = []
    for start in range(0, len(piece), payload.at_once):
        fed = payload.feed(piece[start : start + payload.at_once])
        content += fed
        if len(fed) > _CRUMBS:
            await asyncio.sleep(0)
    return content if len(content) < 2 else [b"".join(content)]
