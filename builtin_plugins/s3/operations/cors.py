"""PutBucketCors, GetBucketCors and DeleteBucketCors: for those who may change the team's settings."""

from builtin_plugins.s3 import cors
from builtin_plugins.s3.bodies import read_parsed
from builtin_plugins.s3.call import S3Call
from builtin_plugins.s3.replies import s3_reply, xml
from builtin_plugins.s3.wire.cors import MAX_BYTES, cors_document, parse_cors
from builtin_plugins.s3.wire.errors import AccessDenied, MaxMessageLengthExceeded, NoSuchCORSConfiguration
from guildhall_sdk import Reply

_MANAGE = "settings:manage"


async def get_bucket_cors(call: S3Call) -> Reply:
    _check_manager(call)
    async with call.read() as reader:
        rules = await cors.rules_of_team(reader, call.principal)
    if not rules:
        raise NoSuchCORSConfiguration(BucketName=call.bucket)
    return xml(cors_document(rules))


async def put_bucket_cors(call: S3Call) -> Reply:
    _check_manager(call)
    # Twice as much, as the body may be framed; what is in it is measured when it is parsed.
    if (call.request.content_length or 0) > 2 * MAX_BYTES:
        raise MaxMessageLengthExceeded(f"A CORS configuration takes at most {MAX_BYTES // 1024} KiB.")
    rules = await read_parsed(call, parse_cors)
    async with call.write() as writer:
        await cors.set_rules(writer, call.principal, rules, call.now_ms)
    return s3_reply()


async def delete_bucket_cors(call: S3Call) -> Reply:
    _check_manager(call)
    async with call.write() as writer:
        await cors.delete_rules(writer, call.principal)
    return s3_reply(204)


def _check_manager(call: S3Call) -> None:
    """Refuses a key that is limited to a prefix: the rules are of the whole bucket."""
    call.check_reach("")
    if not call.principal.may(_MANAGE):
        raise AccessDenied(f"CORS is set by those who have {_MANAGE} in the team.")
