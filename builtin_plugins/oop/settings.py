"""What an operator decides about out-of-process plugins."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from guildhall_sdk import Setting
from guildhall_sdk.settings import boolean, path, seconds, whole


def existing_folder(given: Path | None) -> str | None:
    return None if given is None or given.is_dir() else "must be a folder that exists"


FOLDER: Setting[Path | None] = Setting(
    name="oop",
    variable="SERVICE_OOP",
    help="folder of out-of-process plugins",
    default=None,
    parse=path,
    check=existing_folder,
)
UNCONFINED = Setting(
    name="unconfined",
    help="on: out-of-process plugins run even where the system offers no sandbox for them",
    default=False,
    parse=boolean,
)
CALL_SECONDS = Setting(
    name="timeout",
    help="how long an out-of-process plugin may take to answer one call",
    default=60,
    parse=seconds,
)
MEMORY_MIB = Setting(
    name="memory_mib",
    help="the memory of one out-of-process plugin, in MiB",
    default=512,
    parse=whole(64, 65_536),
)

SETTINGS: Sequence[Setting[Any]] = (FOLDER, UNCONFINED, CALL_SECONDS, MEMORY_MIB)
