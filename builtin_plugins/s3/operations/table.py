"""Which operation a request means: by its method, by what it is about, and by its query."""

from collections.abc import Awaitable, Callable, Mapping

from builtin_plugins.s3.call import S3Call
from builtin_plugins.s3.operations import (
    buckets,
    completing,
    multipart,
    posting,
    reading,
    writing,
)
from builtin_plugins.s3.operations.buckets import answer_preflight
from builtin_plugins.s3.wire.errors import MethodNotAllowed, Unimplemented
from builtin_plugins.s3.wire.request import S3Request
from guildhall_sdk import Call, Reply
from guildhall_sdk.routes import Operation

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
    subresources = sorted(_SUBRESOURCES.intersection(request.arguments))
    where = " ".join((request.method, place, *subresources))
    operation = OPERATIONS.get(where, _UNKNOWN)
    if where == "GET bucket" and request.arguments.get("list-type") == "2":
        return _LIST_V2
    if "x-amz-copy-source" in request.extensions:
        return _COPIES.get(where, operation)
    return operation
