"""`guildhall notes` and `guildhall search`."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from builtin_plugins.client.session import in_hall
from builtin_plugins.client.showing import for_terminal, plain, print_json, table
from guildhall_sdk import Command, UserError
from guildhall_sdk.commands import StandaloneHost
from libs.command_line import number_of

if TYPE_CHECKING:
    from guildhall_client import Client

_DEFAULT_LIMIT, _MAX_LIMIT = 50, 100_000
Action = Callable[["Client", argparse.Namespace], int | None]


def add_limit(parser: argparse.ArgumentParser) -> None:
    """Adds how many rows are shown, and how."""
    parser.add_argument(
        "--limit",
        type=number_of("rows", 1, _MAX_LIMIT),
        default=_DEFAULT_LIMIT,
        metavar="N",
        help=f"at most so many ({_DEFAULT_LIMIT})",
    )
    add_json(parser)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Adds the choice of JSON."""
    parser.add_argument("--json", action="store_true", help="as JSON, with all fields")


def run_action(options: argparse.Namespace, host: StandaloneHost) -> int | None:
    """Runs what the words chose, in the hall of the session."""
    action: Action = options.action
    return in_hall(lambda hall: action(hall, options))


def _notes_arguments(parser: argparse.ArgumentParser) -> None:
    _list_arguments(parser)
    actions = parser.add_subparsers(metavar="action", help="without one: ls")
    _list_arguments(actions.add_parser("ls", help="list the notes, what changed last first"))
    cat = actions.add_parser("cat", help="print a note")
    cat.add_argument("id")
    add_json(cat)
    cat.set_defaults(action=_print_note)
    new = actions.add_parser("new", help="write a note; its text is a file's, or standard input's")
    new.add_argument("title")
    new.add_argument("file", nargs="?", help="the text (default: standard input)")
    new.add_argument("--team", action="store_true", help="for the whole team to read, not for oneself alone")
    new.add_argument("--tag", action="append", help="a tag; may be given several times")
    add_json(new)
    new.set_defaults(action=_create_note)
    rm = actions.add_parser("rm", help="move notes to the bin")
    rm.add_argument("id", nargs="+")
    rm.set_defaults(action=_delete_notes)


def _list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tag", help="only notes with this tag")
    parser.add_argument("--deleted", action="store_true", help="what lies in the bin")
    add_limit(parser)
    parser.set_defaults(action=_list_notes)


def _list_notes(hall: "Client", options: argparse.Namespace) -> None:
    found = hall.notes.list(sort="updated", tag=options.tag, deleted=options.deleted or None)
    table(found.first(options.limit), ("id", "updated_at", "visibility", "title"), as_json=options.json)


def _print_note(hall: "Client", options: argparse.Namespace) -> None:
    note = hall.notes.get(options.id)
    if options.json:
        print_json(note)
        return
    sys.stdout.write(f"# {plain(note['title'])}\n\n{for_terminal(note['body'])}\n")


def _create_note(hall: "Client", options: argparse.Namespace) -> None:
    visibility: Any = "team" if options.team else "private"
    body = text_of(options.file)
    note = hall.notes.create(title=options.title, body=body, visibility=visibility, tags=options.tag or [])
    if options.json:
        print_json(note)
    else:
        sys.stdout.write(f"{note['id']}\n")


def _delete_notes(hall: "Client", options: argparse.Namespace) -> None:
    for one in options.id:
        hall.notes.delete(one)


def text_of(file: str | None) -> str:
    """Returns the text of a file, or of standard input."""
    try:
        if file is None or file == "-":
            return sys.stdin.read()
        return Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise UserError(f"{file or 'standard input'} cannot be read: {reason}") from None


def _search_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", nargs="+", help="what to look for")
    parser.add_argument("--type", help="only this type, such as note or object")
    parser.add_argument("--company", action="store_true", help="what all teams of the company may see")
    add_limit(parser)
    parser.set_defaults(action=_search)


def _search(hall: "Client", options: argparse.Namespace) -> None:
    scope: Any = "org" if options.company else None
    found = hall.search.list(q=" ".join(options.words), type=options.type, scope=scope).first(options.limit)
    table(found, ("type", "id", "title", "snippet"), as_json=options.json)


COMMANDS = (
    Command(name="notes", help="notes: list, read, write", arguments=_notes_arguments, standalone=run_action),
    Command(
        name="search",
        help="find notes, files and entities",
        arguments=_search_arguments,
        standalone=run_action,
    ),
)
