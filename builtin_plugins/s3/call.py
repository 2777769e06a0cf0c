"""One signed request past its gates: what the operations are given."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import cached_property

from builtin_plugins.s3.keys import AccessKeys, Caller
from builtin_plugins.s3.wire.errors import (
    AccessControlListNotSupported,
    AccessDenied,
    NoSuchVersion,
    Unimplemented,
)
from builtin_plugins.s3.wire.form import UploadForm
from builtin_plugins.s3.wire.presign import MADE_WITH
from builtin_plugins.s3.wire.request import Headers, S3Request
from builtin_plugins.s3.wire.sigv4 import Signature
from guildhall_sdk import Actor, Host, Principal, Reader, Writer
from guildhall_sdk.data import checked_write
from guildhall_sdk.request_body import RequestBody
from guildhall_sdk.services.identity import Credentials
from guildhall_sdk.services.repository import Repository

FIRES_TRIGGERS = "workflows:run"
TRUE_LISTS = frozenset({"private", "bucket-owner-full-control", "bucket-owner-read"})
_REFUSED = (
    "x-amz-object-lock-",
    "x-amz-server-side-encryption",
    "x-amz-copy-source-server-side-encryption",
    "x-amz-website-redirect-location",
    "x-amz-write-offset-bytes",
)
_WRITE = "files:write"


@dataclass(frozen=True)
class S3Call:
    """One request of S3 with its caller. `header_lines` are the headers as they came.

    `form` is there if the request is one.
    """

    host: Host
    request: S3Request
    header_lines: Sequence[tuple[bytes, bytes]]
    signature: Signature
    caller: Caller
    request_body: RequestBody
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
        version_id = self.arguments.get("versionId")
        if version_id is not None and "\0" in version_id:
            raise NoSuchVersion()
        return version_id or None

    def read(self) -> AbstractAsyncContextManager[Reader]:
        return self.host.data.read()

    def write(self) -> AbstractAsyncContextManager[Writer]:
        """Opens a transaction; refused while the company is suspended, or if the key has been revoked."""
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


async def check_maker(host: Host, reader: Reader, request: S3Request) -> None:
    """Refuses a link that was made with an API token which is gone."""
    token_id = request.arguments.get(MADE_WITH)
    if token_id is None:
        return
    if "\0" in token_id or not await host.service(Credentials).alive(reader, token_id):
        raise AccessDenied("The token that this link was made with has been revoked.")


def check_promises(call: S3Call) -> None:
    """Refuses headers that ask for something, unless it is true anyway; they are never ignored."""
    extensions = call.request.extensions
    check_access_list(call)
    storage_class = extensions.get("x-amz-storage-class", "STANDARD")
    if storage_class != "STANDARD":
        raise Unimplemented("The only storage class is STANDARD.")
    for name in extensions:
        if name.startswith(_REFUSED):
            raise Unimplemented(f"{name} is not offered here.")


def check_access_list(call: S3Call) -> None:
    """Refuses an access list, unless it says what is always so: who may read is said in Guildhall."""
    extensions = call.request.extensions
    if extensions.get("x-amz-acl", "private") not in TRUE_LISTS or any(
        name.startswith("x-amz-grant-") for name in extensions
    ):
        raise AccessControlListNotSupported()


async def check_writable(call: S3Call, key: str, *, short: bool = False) -> None:
    """Checks the right before any bytes are taken; the repository judges again when it writes."""
    call.check_reach(key)
    call.repository.check_key(key)
    who = call.principal
    if who.org_suspended or not who.scope_allows(_WRITE):
        raise AccessDenied()
    if not short:
        async with call.read() as reader:
            await call.repository.check_right(reader, who, call.team_id, key)
