"""Bytes in and out, with ranges and entity tags, and the difference between two versions."""

import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import NamedTuple
from unicodedata import category
from urllib.parse import quote

from builtin_plugins.repo import diff, documents, finding, keys, schemas, thumbnails
from builtin_plugins.repo.handlers.objects import across_company, check_if_match, object_reply, repository
from builtin_plugins.repo.keys import media_type
from builtin_plugins.repo.object_row import Record, content_etag
from builtin_plugins.repo.writing import IncomingVersion
from guildhall_sdk import (
    Call,
    InvalidRequest,
    NotFound,
    Principal,
    Reply,
    TooLarge,
    TooManyRequests,
    UserError,
    rfc3339,
)
from guildhall_sdk.errors import PreconditionFailed, RangeNotSatisfiable
from guildhall_sdk.services.identity import Tickets
from guildhall_sdk.services.stored_objects import NewVersion, StoredVersion
from libs.fair_slots import TEXTS, InFlight
from libs.request_body import unless_gone
from libs.streams import begun

INLINE = frozenset(
    {
        "application/pdf",
        "audio/mpeg",
        "image/avif",
        "image/gif",
        "image/jpeg",
        "image/png",
        "image/webp",
        "text/plain",
        "video/mp4",
        "video/webm",
    }
)
_RANGE = re.compile(r"bytes=[ \t]*(\d*)-(\d*)[ \t]*", re.ASCII | re.IGNORECASE)
_TAG = re.compile(r'(?:W/)?"([^"]*)"')
_MAX_RANGE_DIGITS = 18
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


class Part(NamedTuple):
    """Bytes from `start` up to `end`."""

    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start


def wanted_part(headers: Mapping[str, str], version: StoredVersion) -> Part | None:
    """Returns the part that `Range` asks for; None is the whole, as for a range that we do not understand.

    Raises `RangeNotSatisfiable` for one that lies behind the end.
    """
    range_header = headers.get("range")
    if range_header is None or not _still_the_same(headers, version):
        return None
    match = _RANGE.fullmatch(range_header)
    if match is None or not (match[1] or match[2]) or max(map(len, match.groups())) > _MAX_RANGE_DIGITS:
        return None
    size = version.size
    if not match[1]:
        start, end = max(0, size - int(match[2])), size
    else:
        start, end = int(match[1]), min(size, int(match[2]) + 1) if match[2] else size
        if match[2] and int(match[2]) < start:
            return None
    if start >= end:
        raise RangeNotSatisfiable(
            f"The content has {size} bytes.", headers={"Content-Range": f"bytes */{size}"}
        )
    return Part(start, end)


def _still_the_same(headers: Mapping[str, str], version: StoredVersion) -> bool:
    """Tells whether the caller has the rest of this content; else a part would be of no use to them."""
    if holds_tag(headers.get("if-none-match", ""), version):
        return False
    unless = headers.get("if-range")
    return unless is None or unless.strip() == content_etag(version)


def holds_tag(header: str, version: StoredVersion) -> bool:
    """Tells whether a list of entity tags, or `*`, holds the content's."""
    return header.strip() == "*" or content_etag(version).strip('"') in _TAG.findall(header)


def disposition(version: StoredVersion) -> str:
    """Returns the header of RFC 6266, without what could end it or hide the name's true end."""
    kind = "inline" if media_type(version.content_type) in INLINE else "attachment"
    name = "".join(
        "_" if character in '/\\"' else character
        for character in version.filename
        if category(character) not in _UNSEEN
    )
    name = name.strip() or "file"
    plain = "".join(character if " " <= character <= "~" and character != "%" else "_" for character in name)
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


# More of them are no length, and Python would take its time to read them.
_MAX_DIGITS = 20
_comparisons = InFlight(partial(TooManyRequests, headers={"Retry-After": "1"}), max_requests=4)
# What clients send when nobody told them what the bytes are.
_SAYS_NOTHING = frozenset({"", "application/x-www-form-urlencoded"})


async def put_object(call: Call) -> Reply:
    repo, caller, key = repository(call), call.principal, call.params["key"]
    keys.check_key(key)
    new = NewVersion(
        filename=call.query.get("filename"),
        content_type=_content_type(call),
        visibility=call.query.get("visibility"),
    )
    length = _announced_length(call)
    async with call.read() as reader:
        await repo.writing.check_right(reader, caller, caller.team_id, key)
    staged = await repo.stage(caller.org_id, caller.team_id, call.stream(), length=length)
    try:
        async with call.write() as writer:
            incoming = IncomingVersion(team_id=caller.team_id, key=key, staged=staged, new=new)
            record, created = await repo.writing.put(
                writer, caller, incoming, lambda found: _check_tags(call, found)
            )
            return await object_reply(writer, caller, record, created=created)
    except BaseException:
        await repo.give_up(staged)
        raise


async def read_content(call: Call) -> Reply:
    wide = across_company(call)
    version = await _version(call, call.principal, call.query.get("version"), wide=wide)
    return await _content(call, version)


async def _version(call: Call, caller: Principal, number: int | None, *, wide: bool = False) -> StoredVersion:
    async with call.read() as reader:
        record = await finding.readable(reader, caller, call.params["id"], call.now_ms, across_company=wide)
        return record.newest if number is None else await finding.version(reader, record, number)


async def _content(call: Call, version: StoredVersion) -> Reply:
    part = wanted_part(call.headers, version)
    start, end = (0, version.size) if part is None else (part.start, part.end)
    headers = {
        "Accept-Ranges": "bytes",
        "Content-Disposition": disposition(version),
        "Content-Length": str(end - start),
        **({} if part is None else {"Content-Range": f"bytes {start}-{end - 1}/{version.size}"}),
    }
    chunks = repository(call).open(version, start, end)
    if call.method == "GET" and "if-none-match" not in call.headers:
        chunks = await begun(chunks)
    return Reply(
        status=200 if part is None else 206,
        headers=headers,
        etag=content_etag(version),
        content_type=version.content_type,
        stream=chunks,
    )


_PLAYED = ("audio/", "video/")
_PLAYBACK = "repo.playback"


def _ticket_subject(object_id: str, version: int, *, wide: bool) -> str:
    return f"{object_id} {version}{' org' if wide else ''}"


async def begin_playback(call: Call) -> Reply:
    """Answers with an address that holds for one version of one object, of sound or a film."""
    wide = across_company(call)
    version = await _version(call, call.principal, call.body.get("version"), wide=wide)
    if not media_type(version.content_type).startswith(_PLAYED):
        raise UserError("This is neither sound nor a film.", code="not_playable")
    subject = _ticket_subject(version.object_id, version.number, wide=wide)
    ticket = call.service(Tickets).issue(call, _PLAYBACK, subject)
    scope = "&scope=org" if wide else ""
    path = f"/api/repo-obj/{version.object_id}/playback/{ticket.text}?version={version.number}{scope}"
    return Reply({"path": path, "expires_at": rfc3339(ticket.expires_at)}, secret_id=version.object_id)


async def play_content(call: Call) -> Reply:
    """Answers 404 to whatever is not right: a player is told nothing of why."""
    number, wide = call.query.get("version", 1), call.query["scope"] == "org"
    subject = _ticket_subject(call.params["id"], number, wide=wide)
    holder = await call.service(Tickets).holder(call, _PLAYBACK, call.params["ticket"], subject)
    if holder is None or (wide and not holder.may("org:read")):
        raise NotFound()
    version = await _version(call, holder, number, wide=wide)
    if not media_type(version.content_type).startswith(_PLAYED):
        raise NotFound()
    return await _content(call, version)


async def read_thumbnail(call: Call) -> Reply:
    """Answers with a small picture; whoever has it is asked for its tag each time, as rights may change."""
    wide, size = across_company(call), int(call.query["size"])
    async with call.read() as reader:
        record = await finding.readable(
            reader, call.principal, call.params["id"], call.now_ms, across_company=wide
        )
    etag = thumbnails.etag_of(record.newest, size)
    held = etag.strip('"') in _TAG.findall(call.headers.get("if-none-match", ""))
    content = b"" if held else await repository(call).thumbnails.of(record, size)
    return Reply(
        headers={"Cache-Control": "private, no-cache"},
        etag=etag,
        content_type=thumbnails.WEBP,
        content=content,
    )


async def read_diff(call: Call) -> Reply:
    """Compares two versions, only a few at once: both texts are held in memory."""
    with closing(_comparisons.slot()) as slot:
        slot.take(call.principal.org_id)
        return await _diff(call)


async def _diff(call: Call) -> Reply:
    async with call.read() as reader:
        record = await finding.readable(reader, call.principal, call.params["id"], call.now_ms)
        versions = await finding.versions_of(reader, record)
        newer_number = call.query.get("to", record.newest.number)
        older_number = call.query.get("from", _before(versions, newer_number))
        older = await finding.version(reader, record, older_number)
        newer = await finding.version(reader, record, newer_number)
    for version in (older, newer):
        _check_text(version)
    repo = repository(call)
    texts = [await documents.body_of(repo, version) for version in (older, newer)]
    names = [f"{record.key} (version {version.number})" for version in (older, newer)]
    steps = diff.compare(*texts, *names)
    found = await unless_gone(call, TEXTS.run_steps(call.principal.org_id, steps))
    answer = {"from": older.number, "to": newer.number, "diff": found.text, "truncated": found.truncated}
    return Reply({**answer, "added": found.added, "removed": found.removed})


def _before(versions: Sequence[StoredVersion], number: int) -> int:
    """Returns the version before that one, or itself where it is the first."""
    return next((version.number for version in versions if version.number < number), number)


def _check_text(version: StoredVersion) -> None:
    kind = keys.media_type(version.content_type)
    if not (kind.startswith("text/") or kind in ("application/json", "application/xml")):
        raise UserError(
            f"Version {version.number} is not a text; it has no lines to compare.", code="not_text"
        )


def _content_type(call: Call) -> str | None:
    given = call.headers.get("content-type", "").strip()
    return None if keys.media_type(given) in _SAYS_NOTHING else keys.check_content_type(given)


def _announced_length(call: Call) -> int | None:
    """Returns the announced length, or None for a stream; raises `TooLarge`."""
    if "transfer-encoding" in call.headers:
        return None
    announced = call.headers.get("content-length", "0")
    if not (announced.isascii() and announced.isdigit()):
        raise InvalidRequest("Content-Length is not a number.")
    limit = schemas.MAX_UPLOAD
    if len(announced) > _MAX_DIGITS or int(announced) > limit:
        raise TooLarge(f"The body is larger than the {limit} bytes that this route takes.", limit=limit)
    return int(announced)


def _check_tags(call: Call, found: Record | None) -> None:
    """Checks the conditions; `If-None-Match: *` writes only where nothing is."""
    check_if_match(call, found)
    unless = call.headers.get("if-none-match")
    if unless is not None and found is not None and holds_tag(unless, found.newest):
        raise PreconditionFailed("There is an object at this key already.")
