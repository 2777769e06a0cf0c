"""The lifecycle of a bucket, for those who may change the team's settings: the rules of the API."""

from builtin_plugins.s3.bodies import read_parsed
from builtin_plugins.s3.call import S3Call
from builtin_plugins.s3.replies import s3_reply, xml
from builtin_plugins.s3.wire.errors import (
    AccessDenied,
    MaxMessageLengthExceeded,
    NoSuchLifecycleConfiguration,
    Unimplemented,
)
from builtin_plugins.s3.wire.lifecycle import MAX_BYTES, lifecycle_document, parse_lifecycle
from guildhall_sdk import Reply

_MANAGE = "settings:manage"
_TRANSITION_SIZE = "x-amz-transition-default-minimum-object-size"


async def get_bucket_lifecycle_configuration(call: S3Call) -> Reply:
    _check_manager(call)
    async with call.read() as reader:
        rules = await call.repository.lifecycle(reader, call.principal)
    if not rules:
        raise NoSuchLifecycleConfiguration(BucketName=call.bucket)
    return xml(lifecycle_document(rules))


async def put_bucket_lifecycle_configuration(call: S3Call) -> Reply:
    _check_manager(call)
    if _TRANSITION_SIZE in call.request.extensions:
        raise Unimplemented(f"{_TRANSITION_SIZE} is not offered here.")
    # Twice as much, as the body may be framed; what is in it is measured when it is parsed.
    if (call.request.content_length or 0) > 2 * MAX_BYTES:
        raise MaxMessageLengthExceeded(f"A lifecycle configuration takes at most {MAX_BYTES // 1024} KiB.")
    rules = await read_parsed(call, parse_lifecycle)
    async with call.write() as writer:
        await call.repository.set_lifecycle(writer, call.principal, rules)
    return s3_reply()


async def delete_bucket_lifecycle(call: S3Call) -> Reply:
    _check_manager(call)
    async with call.write() as writer:
        await call.repository.set_lifecycle(writer, call.principal, ())
    return s3_reply(204)


def _check_manager(call: S3Call) -> None:
    """Refuses a key that is limited to a prefix: the rules are of the whole bucket."""
    call.check_reach("")
    if not call.principal.may(_MANAGE):
        raise AccessDenied(f"Lifecycles are set by those who have {_MANAGE} in the team.")
