"""What a copy is taken from."""

from dataclasses import dataclass

from builtin_plugins.s3.wire import percent
from builtin_plugins.s3.wire.errors import InvalidArgument, InvalidURI


@dataclass(frozen=True, slots=True)
class CopySource:
    bucket: str
    key: str
    version_id: str | None


def parse_copy_source(header: str) -> CopySource:
    """`[/]bucket/key[?versionId=…]`, percent-encoded; a `+` is a plus."""
    path, mark, version = header.partition("?versionId=")
    try:
        bucket, _, key = percent.decode(path.encode()).removeprefix("/").partition("/")
        source = CopySource(bucket, key, percent.decode(version.encode()) if mark else None)
    except InvalidURI:
        source = CopySource("", "", None)
    if not source.bucket or not source.key or source.version_id == "":
        raise InvalidArgument(
            "x-amz-copy-source must be bucket/key, percent-encoded, perhaps with ?versionId=.",
            ArgumentName="x-amz-copy-source",
        )
    return source
