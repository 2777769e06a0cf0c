"""The parts that a stored version was put together from."""

from pathlib import Path

from builtin_plugins.s3.description import Description
from builtin_plugins.s3.wire.answers import Checksums, PartsPage, StoredPart
from builtin_plugins.s3.wire.errors import InvalidPart
from builtin_plugins.s3.wire.ranges import Span
from guildhall_sdk import Reader, Row, load_queries
from guildhall_sdk.services import StoredVersion

sql = load_queries(Path(__file__).with_name("uploads.sql"))


async def find_part(
    reader: Reader, version: StoredVersion, description: Description, number: int
) -> tuple[Span, Checksums]:
    """The bytes of one part and their checksum; an object that was uploaded whole is its own first part."""
    if not description.parts and number == 1:
        return Span(0, version.size), description.checksums
    row = await reader.one(sql.place_of_part, version_id=version.id, org_id=version.org_id, number=number)
    if row is None:
        raise InvalidPart("The object has no such part.")
    return Span(row["start"], row["start"] + row["size"]), checksums_of(description, row)


async def page_of_version(
    reader: Reader, version: StoredVersion, description: Description, marker: int, most: int
) -> PartsPage:
    rows = await reader.all(
        sql.parts_of_version,
        version_id=version.id,
        org_id=version.org_id,
        marker=marker,
        limit=most + 1,
    )
    parts = [
        StoredPart(row["number"], "", row["size"], version.created_at, checksums_of(description, row))
        for row in rows[:most]
    ]
    return PartsPage(parts, description.parts, marker, most, len(rows) > most)


def checksums_of(description: Description, row: Row) -> Checksums:
    """A part has a checksum of the same kind as its object, or none."""
    checksum: str | None = row["checksum"]
    return {} if checksum is None else dict.fromkeys(description.checksums, checksum)
