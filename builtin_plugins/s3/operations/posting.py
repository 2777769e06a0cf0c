"""PostObject: an upload by a form that somebody has signed for others to send."""

import re
from collections.abc import AsyncIterator, Mapping
from copy import copy
from dataclasses import replace
from urllib.parse import urlsplit

from builtin_plugins.s3.bodies import MAX_CONTENT, stage_content
from builtin_plugins.s3.call import S3Call, check_promises, check_writable, s3_reply, xml
from builtin_plugins.s3.description import METADATA, described
from builtin_plugins.s3.operations.writing import is_short, store, write_precondition, written_headers
from builtin_plugins.s3.wire.answers import posted_object
from builtin_plugins.s3.wire.bodies import parse_tagging
from builtin_plugins.s3.wire.checksums import PREFIX as CHECKSUM
from builtin_plugins.s3.wire.errors import (
    AccessDenied,
    EntityTooLarge,
    InvalidArgument,
    KeyTooLongError,
    PreconditionFailed,
    Unimplemented,
)
from builtin_plugins.s3.wire.form import UploadForm
from builtin_plugins.s3.wire.post_policy import Policy, parse_policy
from builtin_plugins.s3.wire.request import MAX_KEY_BYTES, Headers, S3Request, percent_encode
from guildhall_sdk import Reply

_STATUSES = ("200", "201")
_AS_HEADERS = frozenset(
    {
        "cache-control",
        "content-disposition",
        "content-encoding",
        "content-language",
        "content-md5",
        "content-type",
        "expires",
        "if-match",
        "if-none-match",
    }
)
_OF_THE_SIGNATURE = frozenset({"x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-signature"})
_EXTENSIONS = (METADATA, CHECKSUM, "x-amz-sdk-checksum-algorithm", "x-amz-storage-class")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_ADDRESS = re.compile(r"[\x21-\x7e]{1,4096}")


async def post_object(call: S3Call) -> Reply:
    """Takes an upload by a form; all that can be judged is judged before the file's bytes are taken."""
    form = call.form
    if form is None:
        raise PreconditionFailed(
            "Bucket POST must be of the enclosure-type multipart/form-data, and signed in its fields.",
            Condition="Bucket POST must be of the enclosure-type multipart/form-data",
        )
    fields = form.expanded()
    policy = parse_policy(fields["policy"])
    _check_bucket(fields, call.bucket)
    policy.check_fields({**fields, "bucket": call.bucket}, call.now_ms)
    upload = copy(call)
    upload.request, upload.form = _as_upload(call.request, fields), None
    check_promises(upload)
    _check_announced(form, policy)
    await check_writable(upload, upload.key, short=is_short(form.max_content))
    description = described(upload.request)
    if "tagging" in fields:
        description = description._replace(tags=tuple(sorted(parse_tagging(fields["tagging"].encode()))))
    precondition = write_precondition(upload)
    staged = await stage_content(upload, _sized(form, policy), length=form.min_content)
    version, description = await store(upload, staged, description, precondition)
    headers = {**written_headers(version, description), "Location": _location(upload)}
    return _answer(upload, fields, version.etag, headers)


def _check_bucket(fields: Mapping[str, str], bucket: str) -> None:
    """Refuses a form that names another bucket than the one it is sent to."""
    if fields.get("bucket", bucket) != bucket:
        raise AccessDenied("Invalid according to Policy: The form is for another bucket.")


def _check_announced(form: UploadForm, policy: Policy) -> None:
    """Checks the length of the request against the policy, as far as that tells."""
    policy.check_not_above(form.min_content or 0)
    if (form.min_content or 0) > MAX_CONTENT:
        raise EntityTooLarge()
    if form.max_content is not None and form.max_content < policy.min_size:
        policy.check_not_below(form.max_content)


async def _sized(form: UploadForm, policy: Policy) -> AsyncIterator[bytes]:
    """Yields the file as it comes, no longer and no shorter than the policy has it."""
    size = 0
    async for chunk in form.content():
        size += len(chunk)
        policy.check_not_above(size)
        if size > MAX_CONTENT:
            raise EntityTooLarge()
        yield chunk
    policy.check_not_below(size)


def _as_upload(request: S3Request, fields: Mapping[str, str]) -> S3Request:
    """Returns the request as a PutObject of this would be; nothing of the form's own headers counts."""
    if not fields.get("key"):
        raise InvalidArgument(
            "Bucket POST must contain a field named 'key'. If it is specified, "
            "please check the order of the fields.",
            ArgumentName="key",
            ArgumentValue="",
        )
    if len(fields["key"].encode()) > MAX_KEY_BYTES:
        raise KeyTooLongError()
    headers = Headers([(name.encode(), value.encode()) for name, value in _headers(fields).items()])
    return replace(request, key=fields["key"], query=(), headers=headers)


def _headers(fields: Mapping[str, str]) -> dict[str, str]:
    """Returns the fields that a PutObject would have as headers; what is not offered is refused."""
    found = {}
    for name, value in fields.items():
        if name == "acl":
            found["x-amz-acl"] = value
        elif name in _AS_HEADERS or name.startswith(_EXTENSIONS):
            found[name] = value.strip()
        elif name.startswith("x-amz-") and name not in _OF_THE_SIGNATURE:
            raise Unimplemented(f"{name} is not offered in a form.")
    for name, value in found.items():
        if _CONTROLS.search(name + value):
            raise InvalidArgument("This field must be one line of text.", ArgumentName=name)
    return found


def _answer(call: S3Call, fields: Mapping[str, str], etag: str, headers: Mapping[str, str]) -> Reply:
    target = _redirect(fields, call, etag)
    if target is not None:
        return s3_reply(303, {**headers, "Location": target})
    status = fields.get("success_action_status", "")
    if status not in _STATUSES:
        return s3_reply(204, headers)
    if status == "200":
        return s3_reply(200, headers)
    return xml(posted_object(headers["Location"], call.bucket, call.key, etag), headers, 201)


def _redirect(fields: Mapping[str, str], call: S3Call, etag: str) -> str | None:
    """Returns where the browser goes next; what is no address of a page counts as nothing."""
    target = fields.get("success_action_redirect") or fields.get("redirect") or ""
    try:
        parts = urlsplit(target)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.netloc or not _ADDRESS.fullmatch(target):
        return None
    quoted = percent_encode(f'"{etag}"')
    added = f"bucket={percent_encode(call.bucket)}&key={percent_encode(call.key)}&etag={quoted}"
    return parts._replace(query=f"{parts.query}&{added}" if parts.query else added).geturl()


def _location(call: S3Call) -> str:
    request = call.request
    path = request.raw_path.decode("latin-1").rstrip("/")
    return f"{request.scheme}://{request.host}{path}/{percent_encode(call.key, safe='/')}"
