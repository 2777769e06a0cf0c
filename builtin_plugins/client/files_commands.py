"""`guildhall files`: what a hall holds, as if it were a disk. `hall:KEY` is a place in the hall."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from builtin_plugins.client.showing import plain, print_json, size
from builtin_plugins.client.text_commands import add_json, run_action
from builtin_plugins.client.transfers import download, download_folder, object_at, upload, upload_folder
from guildhall_sdk import Command, UserError

if TYPE_CHECKING:
    from guildhall_client import Client

_PLACE = "hall:"


def _files_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Files of the hall; hall:KEY is a place in it, and hall:FOLDER/ what lies below that."
    )
    actions = parser.add_subparsers(metavar="action", required=True)
    ls = actions.add_parser("ls", help="list a folder, or with -r all that lies below it")
    ls.add_argument("place", nargs="?", default=_PLACE, help="hall:FOLDER/ (default: hall:)")
    ls.add_argument("-r", "--recursive", action="store_true", help="all that lies below")
    add_json(ls)
    ls.set_defaults(action=_list)
    cat = actions.add_parser("cat", help="print the bytes of files")
    cat.add_argument("place", nargs="+", help="hall:KEY")
    cat.set_defaults(action=_print)
    cp = actions.add_parser("cp", help="copy a file to the hall or from it, with -r a folder")
    cp.description = (
        "Copies to the hall or from it. What is there with the same content is left alone, and what broke "
        "off is gone on with: the same command again does the rest."
    )
    cp.add_argument("source", help="a path, or hall:KEY")
    cp.add_argument("target", help="hall:KEY or hall:FOLDER/, or a path")
    cp.add_argument("-r", "--recursive", action="store_true", help="a folder with all that lies below it")
    cp.set_defaults(action=_copy)


def _key_in(place: str) -> str:
    if not place.startswith(_PLACE):
        raise UserError(f"{place} is no place in the hall; write hall:{place}")
    return place.removeprefix(_PLACE).lstrip("/")


def _list(hall: "Client", options: argparse.Namespace) -> None:
    prefix = _key_in(options.place)
    delimiter: Any = None if options.recursive else "/"
    rows: list[dict[str, Any]] = []
    for page in hall.files.list(prefix=prefix, delimiter=delimiter, page_size=200).pages():
        rows += [{"key": folder} for folder in page.get("folders", ())]
        rows += [dict(file) for file in page["items"]]
    if options.json:
        print_json(rows)
        return
    for row in sorted(rows, key=lambda row: str(row["key"])):
        how_large = size(row["size"]) if "size" in row else ""
        sys.stdout.write(f"{how_large:>9}  {row.get('updated_at', ''):24}  {plain(row['key'])}\n")


def _print(hall: "Client", options: argparse.Namespace) -> None:
    for place in options.place:
        for block in hall.files.download(object_at(hall, _key_in(place))["id"]):
            sys.stdout.buffer.write(block)
    sys.stdout.buffer.flush()


def _copy(hall: "Client", options: argparse.Namespace) -> int:
    from_hall, to_hall = (place.startswith(_PLACE) for place in (options.source, options.target))
    if from_hall == to_hall:
        raise UserError("one of the two is a path and the other hall:KEY")
    if to_hall:
        return _copy_in(hall, Path(options.source), _key_in(options.target), recursive=options.recursive)
    return _copy_out(hall, _key_in(options.source), Path(options.target), recursive=options.recursive)


def _copy_in(hall: "Client", path: Path, key: str, *, recursive: bool) -> int:
    if path.is_dir():
        if not recursive:
            raise UserError(f"{path} is a folder; copy it with -r")
        prefix = key if not key or key.endswith("/") else f"{key}/"
        return _told(upload_folder(hall, path, prefix))
    if not path.is_file():
        raise UserError(f"there is no file {path}")
    key = f"{key}{path.name}" if not key or key.endswith("/") else key
    there = next((file for file in hall.files.list(prefix=key, page_size=1).first(1)), None)
    upload(hall, path, key, there if there is not None and there["key"] == key else None)
    return 0


def _copy_out(hall: "Client", key: str, path: Path, *, recursive: bool) -> int:
    if recursive:
        return _told(download_folder(hall, key if not key or key.endswith("/") else f"{key}/", path))
    if not key or key.endswith("/"):
        raise UserError(f"hall:{key} is a folder; copy it with -r")
    file = object_at(hall, key)
    download(hall, file, path / Path(key).name if path.is_dir() else path)
    return 0


def _told(failed: int) -> int:
    if failed:
        sys.stderr.write(f"{failed} could not be copied; the same command again tries those\n")
    return 1 if failed else 0


COMMANDS = (
    Command(name="files", help="files: list, print, copy", arguments=_files_arguments, standalone=run_action),
)
