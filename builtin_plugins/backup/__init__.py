"""Backups: made beside a running server, proved by a manifest, put back whole or not at all."""

from kernel.backup.blobs import ListedBlob
from kernel.backup.checking import check_backup
from kernel.backup.faults import BackupFault
from kernel.backup.holding import GuardedStore
from kernel.backup.inline import InlineBlob, inline_blobs
from kernel.backup.making import Made, Source, make_backup
from kernel.backup.manifest import Manifest
from kernel.backup.restoring import Destination, Restored, restore_backup

__all__ = [
    "BackupFault",
    "Destination",
    "GuardedStore",
    "InlineBlob",
    "ListedBlob",
    "Made",
    "Manifest",
    "Restored",
    "Source",
    "check_backup",
    "inline_blobs",
    "make_backup",
    "restore_backup",
]
