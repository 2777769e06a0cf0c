"""`guildhall scrub`: is every blob still what its digest says, and is every one there that is needed?"""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from builtin_plugins.backup.scrubbing import Scrub, Scrubbed, Wrong
from guildhall_sdk import Command
from guildhall_sdk.blobs import BlobReferences, KeptBlob
from guildhall_sdk.commands import OpenedHost
from guildhall_sdk.services.storage import InstanceStorage

FILE = "scrub.json"
_EVERY_BYTES = 64 * 1024 * 1024
_EVERY_BLOBS = 500


async def run(options: argparse.Namespace, host: OpenedHost) -> int:
    storage = host.service(InstanceStorage)
    place = _Place(storage.folder / FILE)
    scrubbed = place.read() if options.resume else Scrubbed()
    async with storage.blobs() as store:
        references = host.plugins.declared(BlobReferences)
        scrub = Scrub(store, host.data, references, _say, place.note, scrubbed)
        found = await scrub.run(host.clock.now_ms())
    place.forget()
    _report(found)
    return 0 if found.sound else 1


class _Place:
    """Says on a terminal how far it is, and keeps that in a file, for a scrub that goes on from there."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> Scrubbed:
        """Returns where the last scrub was; a new one where there is nothing to go on from."""
        try:
            return Scrubbed(**json.loads(self._path.read_text("utf-8")))
        except (FileNotFoundError, ValueError, TypeError):
            return Scrubbed()

    def note(self, scrubbed: Scrubbed, size: int) -> None:
        crossed = scrubbed.size // _EVERY_BYTES > (scrubbed.size - size) // _EVERY_BYTES
        if not crossed and scrubbed.blobs % _EVERY_BLOBS:
            return
        draft = self._path.with_name(f".{FILE}")
        draft.write_text(json.dumps(asdict(scrubbed)), "utf-8")
        draft.replace(self._path)
        if sys.stderr.isatty():
            read = f"{scrubbed.blobs} blobs, {_mib(scrubbed.size)} read"
            print(f"\r{read}", end="", file=sys.stderr, flush=True)

    def forget(self) -> None:
        self._path.unlink(missing_ok=True)


def _say(wrong: Wrong, blob: KeptBlob) -> None:
    _clear_line()
    size = f" {blob.size} bytes" if wrong == "unused" else ""
    print(f"{wrong:<8} {blob.namespace} {blob.sha256}{size}", flush=True)


def _clear_line() -> None:
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def _report(found: Scrubbed) -> None:
    _clear_line()
    state = "all sound" if found.sound else f"{found.corrupt} corrupt, {found.missing} missing"
    if found.unlisted is not None:
        unused = "unused ones are not known"
        print(f"note: {found.unlisted}: only what is in use was read; nothing unused or left over is found")
    elif not found.unused_known:
        unused = "no plugin says which are in use"
    else:
        unused = f"{found.unused} unused, {_mib(found.unused_size)}"
    print(f"{found.blobs} blobs, {_mib(found.size)}: {state}; {unused}; {found.leftovers} leftovers removed")


def _mib(size: int) -> str:
    return f"{size / 1024 / 1024:.1f} MiB"


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--resume", action="store_true", help="go on where the last scrub was ended, and count with it"
    )


COMMAND = Command(
    name="scrub",
    help="read every blob and compare it with its digest",
    arguments=_add_arguments,
    opened=run,
)
