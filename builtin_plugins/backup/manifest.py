"""The manifest: what a backup holds, so that it can be proved; written last."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from guildhall_sdk import UserError
from guildhall_sdk.engines.pools import Ledger, TableChecksum

FORMAT = 2
# The first knew of no blobs inside the tables.
_READABLE = (1, FORMAT)
MANIFEST = "manifest.json"
DATABASE = "database"
BLOBS = "blobs"
BLOB_LIST = "blobs.jsonl"
KEY = "secret.key"


class BackupFault(UserError):
    """An obstacle to a backup or a restore: one line for the operator, that says what to do."""


@dataclass(frozen=True, slots=True)
class FileChecksum:
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Step:
    """A line of the schema's ledger."""

    owner: str
    number: int
    checksum: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """`files` are all but the blobs, by their path in the backup; the blobs stand in one of them.

    `blobs` are files of their own, `inline_blobs` lie in the tables.
    """

    id: str
    version: str
    dialect: str
    started_at: str
    finished_at: str
    schema: tuple[Step, ...]
    tables: Mapping[str, TableChecksum]
    sequences: Mapping[str, int]
    files: Mapping[str, FileChecksum]
    blobs: int
    blob_bytes: int
    lacking: int
    with_key: bool
    inline_blobs: int = 0
    inline_bytes: int = 0
    format: int = FORMAT

    @property
    def ledger(self) -> Ledger:
        return {(step.owner, step.number): step.checksum for step in self.schema}

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables.values())

    def text(self) -> str:
        content = asdict(self)
        return json.dumps({**content, "sha256": manifest_digest(content)}, indent=1, sort_keys=True) + "\n"


def read_manifest(folder: Path) -> Manifest:
    """Raises `BackupFault` for what is no backup, is not as it was written, or of a newer program."""
    path = folder / MANIFEST
    try:
        content = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BackupFault(f"{folder} is no backup: {MANIFEST}: {error.strerror}") from None
    except ValueError:
        raise BackupFault(f"{path} is not as it was written") from None
    if not isinstance(content, dict) or content.pop("sha256", None) != manifest_digest(content):
        raise BackupFault(f"{path} is not as it was written")
    if content.get("format") not in _READABLE:
        raise BackupFault(f"{folder} was made by a newer version, {content.get('version')}; use that one")
    try:
        return _parsed(content)
    except (KeyError, TypeError, AttributeError):
        raise BackupFault(f"{path} is not as it was written") from None


def _parsed(content: dict[str, Any]) -> Manifest:
    content["schema"] = tuple(Step(**step) for step in content["schema"])
    content["tables"] = {name: TableChecksum(**one) for name, one in content["tables"].items()}
    content["files"] = {name: FileChecksum(**one) for name, one in content["files"].items()}
    return Manifest(**content)


def manifest_digest(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def checksum_of_file(path: Path) -> FileChecksum:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        return FileChecksum(file.tell(), digest.hexdigest())
