"""GetObjectTagging, PutObjectTagging and DeleteObjectTagging."""

from dataclasses import replace

from builtin_plugins.s3.bodies import read_parsed
from builtin_plugins.s3.call import S3Call
from builtin_plugins.s3.description import Description, find_version
from builtin_plugins.s3.replies import s3_reply, xml
from builtin_plugins.s3.wire.answers import tagging
from builtin_plugins.s3.wire.bodies import Tags, parse_tagging
from guildhall_sdk import Reply


async def get_object_tagging(call: S3Call) -> Reply:
    async with call.read() as reader:
        version = await find_version(call, reader, call.key, call.version_id)
    return xml(tagging(Description.of(version).tags), {"x-amz-version-id": version.id})


async def put_object_tagging(call: S3Call) -> Reply:
    return await _set(call, tuple(sorted(await read_parsed(call, parse_tagging))), 200)


async def delete_object_tagging(call: S3Call) -> Reply:
    return await _set(call, (), 204)


async def _set(call: S3Call, tags: Tags, status: int) -> Reply:
    async with call.write() as writer:
        version = await find_version(call, writer, call.key, call.version_id)
        description = replace(Description.of(version), tags=tags)
        attributes = description.attributes(version.attributes)
        await call.repository.set_attributes(writer, call.principal, version, attributes)
    return s3_reply(status, {"x-amz-version-id": version.id})
