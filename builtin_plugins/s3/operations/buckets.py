"""What can be asked of a bucket itself. There is one for each team, always there and always versioned."""

from builtin_plugins.s3.bodies import read_parsed
from builtin_plugins.s3.call import S3Call, check_access_list
from builtin_plugins.s3.description import find_version, owner_of
from builtin_plugins.s3.replies import s3_reply, xml
from builtin_plugins.s3.settings import REGION
from builtin_plugins.s3.wire import bucket_answers
from builtin_plugins.s3.wire.answers import CanonicalUser
from builtin_plugins.s3.wire.bodies import parse_owner_only, parse_versioning
from builtin_plugins.s3.wire.errors import (
    AccessControlListNotSupported,
    BucketAlreadyOwnedByYou,
    MalformedXML,
    Unimplemented,
)
from guildhall_sdk import Reply


async def list_buckets(call: S3Call) -> Reply:
    own = bucket_answers.ListedBucket(call.bucket, call.caller.bucket_created_ms)
    return xml(bucket_answers.buckets(_team(call), [own]))


async def head_bucket(call: S3Call) -> Reply:
    return s3_reply(200, {"x-amz-bucket-region": REGION, "Content-Type": "application/xml"})


async def create_bucket(call: S3Call) -> Reply:
    raise BucketAlreadyOwnedByYou(BucketName=call.bucket)


async def get_bucket_location(call: S3Call) -> Reply:
    return xml(bucket_answers.location(REGION))


async def get_bucket_versioning(call: S3Call) -> Reply:
    return xml(bucket_answers.versioning())


async def put_bucket_versioning(call: S3Call) -> Reply:
    status = await read_parsed(call, parse_versioning)
    if status == "Suspended":
        raise Unimplemented("A team's bucket is always versioned.")
    if status != "Enabled":
        raise MalformedXML()
    return s3_reply()


async def get_bucket_acl(call: S3Call) -> Reply:
    return xml(bucket_answers.access_control(_team(call)))


async def put_bucket_acl(call: S3Call) -> Reply:
    await _accept_list(call, _team(call))
    return s3_reply()


async def get_object_acl(call: S3Call) -> Reply:
    async with call.read() as reader:
        version = await find_version(call, reader, call.key, call.version_id)
    return xml(bucket_answers.access_control(owner_of(version)), {"x-amz-version-id": version.id})


async def put_object_acl(call: S3Call) -> Reply:
    async with call.read() as reader:
        version = await find_version(call, reader, call.key, call.version_id)
    await _accept_list(call, owner_of(version))
    return s3_reply(200, {"x-amz-version-id": version.id})


async def _accept_list(call: S3Call, owner: CanonicalUser) -> None:
    """Accepts only an access list that changes nothing."""
    check_access_list(call)
    has_body, holder = await read_parsed(
        call, lambda body: (bool(body), parse_owner_only(body) if body else None)
    )
    if not has_body and "x-amz-acl" not in call.request.extensions:
        raise MalformedXML()
    if holder not in (None, owner.id):
        raise AccessControlListNotSupported()


def _team(call: S3Call) -> CanonicalUser:
    return CanonicalUser(call.team_id, call.principal.team_name)
