"""The parts that a stored version was put together from."""

from pathlib import Path

from builtin_plugins.s3.description import Description
from builtin_plugins.s3.wire.answers import Checksums, PartsPage, StoredPart
from builtin_plugins.s3.wire.errors import InvalidPart
from builtin_plugins.s3.wire.ranges import Span
from guildhall_sdk import Reader, load_queries
from guildhall_sdk.services import Repository, StoredVersion

sql = load_queries(Path(__file__).with_name("uploads.sql"))


async def find_part(
    repository: Repository, reader: Reader, version: StoredVersion, description: Description, number: int
) -> tuple[Span, Checksums]:
    """The bytes of one part and their checksum; an object that was uploaded whole is its own first part."""
    if not description.parts and number == 1:
        return Span(0, version.size), description.checksums
    found = await repository.parts(reader, version, after=number - 1, limit=1)
    if not found:
        raise InvalidPart("The object has no such part.")
    part = found[0]
    return Span(part.start, part.start + part.size), checksums_of(description, part.checksum)


async def page_of_version(
    repository: Repository,
    reader: Reader,
    version: StoredVersion,
    description: Description,
    marker: int,
    most: int,
) -> PartsPage:
    found = await repository.parts(reader, version, after=marker, limit=most + 1)
    parts = [
        StoredPart(part.number, "", part.size, version.created_at, checksums_of(description, part.checksum))
        for part in found[:most]
    ]
    return PartsPage(parts, description.parts, marker, most, len(found) > most)


def checksums_of(description: Description, checksum: str | None) -> Checksums:
    """A part has a checksum of the same kind as its object, or none."""
    return {} if checksum is None else dict.fromkeys(description.checksums, checksum)
