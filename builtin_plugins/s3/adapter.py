"""S3 as a protocol of the server: how requests are read, who signed them, which operation is meant."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from builtin_plugins.s3.bodies import MAX_CONTENT
from builtin_plugins.s3.call import S3Call, check_maker, header_lines, refused
from builtin_plugins.s3.keys import AccessKeys
from builtin_plugins.s3.operations import buckets, completing, multipart, posting, reading, writing
from builtin_plugins.s3.operations.buckets import answer_preflight, let_see
from builtin_plugins.s3.settings import DOMAIN
from builtin_plugins.s3.wire.errors import (
    AccessDenied,
    EntityTooLarge,
    InvalidAccessKeyId,
    MethodNotAllowed,
    RequestTimeout,
    Unimplemented,
)
from builtin_plugins.s3.wire.form import UploadForm, is_form
from builtin_plugins.s3.wire.post_policy import FormClaim, read_form_claim
from builtin_plugins.s3.wire.request import S3Request, parse_request
from builtin_plugins.s3.wire.sigv4 import MADE_WITH, SignatureClaim, read_claim, verify
from guildhall_sdk import Call, Host, Principal, Problem, Reader, Reply
from guildhall_sdk.routes import Claim, Operation, ProtocolAdapter, RequestBody, Verified
from guildhall_sdk.services.repository import Repository

Run = Callable[[S3Call], Awaitable[Reply]]

# Words in a query that make it another operation. What stands here and in no row below is not offered.
_SUBRESOURCES = frozenset(
    [
        "accelerate",
        "acl",
        "analytics",
        "append",
        "attributes",
        "cors",
        "delete",
        "encryption",
        "intelligent-tiering",
        "inventory",
        "legal-hold",
        "lifecycle",
        "location",
        "logging",
        "metadataConfiguration",
        "metadataTable",
        "metrics",
        "notification",
        "object-lock",
        "ownershipControls",
        "policy",
        "policyStatus",
        "publicAccessBlock",
        "renameObject",
        "replication",
        "requestPayment",
        "restore",
        "retention",
        "select",
        "session",
        "tagging",
        "torrent",
        "uploadId",
        "uploads",
        "versioning",
        "versions",
        "website",
    ]
)


# They take only what is so anyway, and change nothing.
_CHANGING_NOTHING = frozenset({"create_bucket", "put_bucket_acl", "put_bucket_versioning", "put_object_acl"})


def _operation(run: Run, name: str = "") -> Operation:
    """Makes an operation, by the name that Amazon has for it."""

    async def run_in_own_bucket(call: Call, parsed: S3Call) -> Reply:
        parsed.enter(call)
        return await run(parsed)

    words = run.__name__.split("_")
    writes = words[0] not in ("get", "head", "list") and run.__name__ not in _CHANGING_NOTHING
    named = name or "".join(word.title() for word in words)
    return Operation(name=named, run=run_in_own_bucket, writes=writes)


# By method, by what the path names, and by the subresource if any.
_RUNS: Mapping[str, Run] = {
    "GET service": buckets.list_buckets,
    "GET bucket": reading.list_objects,
    "GET bucket versions": reading.list_object_versions,
    "GET bucket location": buckets.get_bucket_location,
    "GET bucket versioning": buckets.get_bucket_versioning,
    "GET bucket acl": buckets.get_bucket_acl,
    "PUT bucket": buckets.create_bucket,
    "PUT bucket versioning": buckets.put_bucket_versioning,
    "PUT bucket acl": buckets.put_bucket_acl,
    "GET bucket cors": buckets.get_bucket_cors,
    "PUT bucket cors": buckets.put_bucket_cors,
    "DELETE bucket cors": buckets.delete_bucket_cors,
    "GET bucket lifecycle": buckets.get_bucket_lifecycle_configuration,
    "PUT bucket lifecycle": buckets.put_bucket_lifecycle_configuration,
    "DELETE bucket lifecycle": buckets.delete_bucket_lifecycle,
    "GET bucket uploads": multipart.list_multipart_uploads,
    "HEAD bucket": buckets.head_bucket,
    "POST bucket": posting.post_object,
    "POST bucket delete": writing.delete_objects,
    "GET object": reading.get_object,
    "GET object acl": buckets.get_object_acl,
    "GET object attributes": reading.get_object_attributes,
    "GET object tagging": writing.get_object_tagging,
    "GET object uploadId": multipart.list_parts,
    "HEAD object": reading.head_object,
    "PUT object": writing.put_object,
    "PUT object acl": buckets.put_object_acl,
    "PUT object tagging": writing.put_object_tagging,
    "PUT object uploadId": multipart.upload_part,
    "POST object uploads": multipart.create_multipart_upload,
    "POST object uploadId": completing.complete_multipart_upload,
    "DELETE object": writing.delete_object,
    "DELETE object uploadId": multipart.abort_multipart_upload,
    "DELETE object tagging": writing.delete_object_tagging,
}
OPERATIONS: Mapping[str, Operation] = {where: _operation(run) for where, run in _RUNS.items()}
_LIST_V2 = _operation(reading.list_objects_v2, "ListObjectsV2")
_COPIES = {
    "PUT object": _operation(writing.copy_object),
    "PUT object uploadId": _operation(multipart.upload_part_copy),
}
_METHODS = frozenset({"GET", "HEAD", "PUT", "POST", "DELETE"})


async def get_nothing(call: S3Call) -> Reply:
    """Refuses what S3 has and this server has not."""
    raise Unimplemented() if call.request.method in _METHODS else MethodNotAllowed()


async def _preflight(call: Call, parsed: S3Call) -> Reply:
    return await answer_preflight(call.host, parsed.request)


_UNKNOWN = _operation(get_nothing, "Unknown")
_PREFLIGHT = Operation(name="Preflight", run=_preflight, writes=False, public=True)


def operation_of(request: S3Request) -> Operation:
    """Returns the operation that a request means; one that refuses it where there is none."""
    if request.method == "OPTIONS":
        return _PREFLIGHT
    place = "object" if request.key else "bucket" if request.bucket else "service"
    where = f"{request.method} {place}"
    if request.query:
        where = " ".join((where, *sorted(_SUBRESOURCES.intersection(request.arguments))))
    operation = OPERATIONS.get(where, _UNKNOWN)
    if where == "GET bucket" and request.arguments.get("list-type") == "2":
        return _LIST_V2
    if where in _COPIES and "x-amz-copy-source" in request.extensions:
        return _COPIES[where]
    return operation


# What surrounds the file is little, and what follows it as well.
MAX_FORM = MAX_CONTENT + 1024 * 1024


class S3Adapter(ProtocolAdapter[S3Call]):
    """Reads requests below a prefix or at the root of a listener of its own."""

    patience_seconds = 20.0

    def __init__(self, host: Host) -> None:
        self._host = host
        self._domain = (host.setting(DOMAIN) or "").partition(":")[0] or None
        self._keys = host.service(AccessKeys)
        self._repository = host.service(Repository)

    def too_large(self, limit: int) -> Problem:
        return EntityTooLarge()

    def too_slow(self) -> Problem:
        return RequestTimeout()

    def read(self, scope: Mapping[str, Any], body: RequestBody) -> S3Call:
        return S3Call(parse_request(scope, self._domain), body, self._repository)

    def operation(self, parsed: S3Call) -> Operation:
        return operation_of(parsed.request)

    async def claim(self, parsed: S3Call, address: str) -> Claim | None:
        """Returns the signature; that of a form stands in its body. Nobody signs a preflight."""
        request, now = parsed.request, self._host.clock.now_ms()
        if request.method == "OPTIONS":
            return None
        claim: SignatureClaim | FormClaim | None
        if request.method == "POST" and is_form(request):
            parsed.form = await UploadForm.open(request, parsed.request_body.stream(MAX_FORM))
            claim = read_form_claim(parsed.form.fields, now)
        else:
            claim = read_claim(request, now)
        if claim is None:
            raise AccessDenied()
        # Whoever holds a link knows the id of its key: what a key proves it proves for one address.
        return Claim(key=f"{claim.access_key_id} {address}", verify=partial(self._verify, parsed, claim))

    async def _verify(self, parsed: S3Call, claim: SignatureClaim | FormClaim) -> Verified:
        """Returns who signed it, as they are now."""
        key_id, request = claim.access_key_id, parsed.request
        found = None if "\0" in key_id else await self._keys.in_use(key_id)
        if found is None:
            raise InvalidAccessKeyId(AWSAccessKeyId=key_id)
        parsed.caller = found.caller
        if isinstance(claim, FormClaim):
            parsed.signature = claim.verify(found.secret)
        else:
            parsed.signature = verify(request, claim, found.secret)
        look_up = partial(self._look_up, key_id, request)
        if MADE_WITH in request.arguments:
            async with self._host.data.read() as reader:
                await check_maker(self._host, reader, request)
            return Verified(principal=found.caller.principal, look_up=look_up)
        return Verified(
            principal=found.caller.principal, look_up=look_up, version=found.version, until=found.until
        )

    async def _look_up(self, key_id: str, request: S3Request, reader: Reader) -> Principal | None:
        principal = await self._keys.principal_of(reader, key_id)
        await check_maker(self._host, reader, request)
        return principal

    def refuse(self, problem: Problem, scope: Mapping[str, Any], request_id: str) -> Reply:
        return refused(problem, scope["path"], request_id)

    headers = staticmethod(header_lines)

    async def finish(self, parsed: S3Call, reply: Reply) -> Reply:
        return (
            await let_see(self._host, parsed.request, reply) if "origin" in parsed.request.headers else reply
        )
