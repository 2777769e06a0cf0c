"""The bodies that clients send, read from their XML."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from builtin_plugins.s3.wire.checksums import Algorithm
from builtin_plugins.s3.wire.conditions import DeleteConditions, parse_condition_date, parse_condition_size
from builtin_plugins.s3.wire.errors import (
    AccessControlListNotSupported,
    InvalidPartOrder,
    InvalidTag,
    InvalidURI,
    MalformedXML,
)
from builtin_plugins.s3.wire.ranges import MAX_PARTS, parse_part_number
from builtin_plugins.s3.wire.request import percent_decode
from builtin_plugins.s3.wire.xml import Element, parse

MAX_DELETED = 1000
MAX_TAGS = 10
# An empty pair is none.
_MAX_SEPARATORS = 10 * MAX_TAGS

Tags = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class DoomedObject:
    key: str
    version_id: str | None
    conditions: DeleteConditions


@dataclass(frozen=True, slots=True)
class DeleteOrder:
    objects: Sequence[DoomedObject]
    quiet: bool


@dataclass(frozen=True, slots=True)
class NamedPart:
    """A part as the client names it at the end; the ETag is without quotes, checksums are in base64."""

    number: int
    etag: str
    checksums: Mapping[Algorithm, str]


def parse_delete(body: bytes) -> DeleteOrder:
    root = parse(body, "Delete")
    named = root.all("Object")
    if not 1 <= len(named) <= MAX_DELETED:
        raise MalformedXML(f"A Delete names 1 to {MAX_DELETED} objects.")
    objects = [_doomed(one) for one in named]
    return DeleteOrder(objects, (root.value("Quiet") or "").strip().lower() == "true")


def parse_complete(body: bytes) -> Sequence[NamedPart]:
    """Parses the parts in ascending order."""
    named = parse(body, "CompleteMultipartUpload").all("Part")
    if not 1 <= len(named) <= MAX_PARTS:
        raise MalformedXML(f"An upload is completed with 1 to {MAX_PARTS} parts.")
    parts = [_named_part(one) for one in named]
    if any(one.number >= other.number for one, other in pairwise(parts)):
        raise InvalidPartOrder()
    return parts


def parse_tagging(body: bytes) -> Tags:
    tag_set = parse(body, "Tagging").find("TagSet")
    if tag_set is None:
        raise MalformedXML("A Tagging has a TagSet.")
    return checked_tags([(_needed(tag, "Key"), _needed(tag, "Value")) for tag in tag_set.all("Tag")])


def parse_tagging_header(header: str) -> Tags:
    """Parses `x-amz-tagging`: tags written like a query."""
    if header.count("&") > _MAX_SEPARATORS:
        raise _too_many_tags()
    pairs = [pair.partition("=") for pair in header.split("&") if pair]
    try:
        decoded = [
            tuple(percent_decode(text.encode(), plus_is_space=True) for text in (key, value))
            for key, _, value in pairs
        ]
    except InvalidURI:
        raise InvalidTag("x-amz-tagging must be written like a query.") from None
    return checked_tags([(key, value) for key, value in decoded])


def checked_tags(tags: Sequence[tuple[str, str]]) -> Tags:
    if len(tags) > MAX_TAGS:
        raise _too_many_tags()
    if len({key for key, _ in tags}) != len(tags):
        raise InvalidTag("Two tags have the same key.")
    for key, value in tags:
        if not 1 <= len(key) <= 128 or len(value) > 256:
            raise InvalidTag("A tag's key has 1 to 128 characters, its value at most 256.")
        if not all(_is_tag_character(character) for character in key + value):
            raise InvalidTag("Tags are made of letters, numbers, spaces and + - = . _ : / @")
    return tuple(tags)


def _too_many_tags() -> InvalidTag:
    return InvalidTag(f"An object has at most {MAX_TAGS} tags.")


def parse_versioning(body: bytes) -> str | None:
    """Parses the status that is asked for."""
    return parse(body, "VersioningConfiguration").value("Status")


def parse_owner_only(body: bytes) -> str | None:
    """Returns who has FULL_CONTROL by an access control list, None if nobody has anything.

    A list that gives somebody anything else is refused: there are no such lists here.
    """
    rows = parse(body, "AccessControlPolicy").find("AccessControlList")
    if rows is None:
        raise MalformedXML("An AccessControlPolicy has an AccessControlList.")
    holders = {_full_holder(grant) for grant in rows.all("Grant")}
    if len(holders) > 1:
        raise AccessControlListNotSupported()
    return holders.pop() if holders else None


def _full_holder(grant: Element) -> str:
    grantee = grant.find("Grantee")
    if grantee is None:
        raise MalformedXML("A Grant has a Grantee.")
    holder = grantee.value("ID")
    if grant.value("Permission") != "FULL_CONTROL" or holder is None:
        raise AccessControlListNotSupported()
    return holder


def _doomed(one: Element) -> DoomedObject:
    conditions = DeleteConditions(
        one.value("ETag"),
        parse_condition_date(one.value("LastModifiedTime")),
        parse_condition_size(one.value("Size")),
    )
    return DoomedObject(_needed(one, "Key"), one.value("VersionId") or None, conditions)


def _named_part(one: Element) -> NamedPart:
    values = ((algorithm, one.value(algorithm.element)) for algorithm in Algorithm)
    checksums = {algorithm: value.strip() for algorithm, value in values if value is not None}
    number = parse_part_number(_needed(one, "PartNumber").strip())
    return NamedPart(number, _needed(one, "ETag").strip().strip('"'), checksums)


def _needed(parent: Element, name: str) -> str:
    value = parent.value(name)
    if value is None:
        raise MalformedXML(f"A {parent.name} has a {name}.")
    return value


def _is_tag_character(character: str) -> bool:
    return character in "+-=._:/@" or unicodedata.category(character)[0] in "LNZ"
