"""`guildhall plugin new`: a distribution that is green at once."""

import argparse
import sys
from pathlib import Path

from builtin_plugins.authoring.parts import PARTS
from builtin_plugins.authoring.projects import write_new
from builtin_plugins.authoring.scaffold_files import Answers
from guildhall_sdk import Command
from guildhall_sdk.commands import StandaloneHost
from guildhall_sdk.errors import OperatorError

# Distributions of ours are called so.
_OURS = frozenset({"client", "sdk", "server", "testing"})


def new_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Writes a plugin of your own into a new folder: a distribution with its tests. "
        "Its parts are asked for, or said by flags."
    )
    parser.add_argument("name", nargs="?", help="the id of the plugin, such as book-shelf")
    add_part_flags(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask; nothing but what flags say")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where to; guildhall-NAME in this folder")


def add_part_flags(parser: argparse.ArgumentParser) -> None:
    for name, part in PARTS.items():
        parser.add_argument(f"--{name}", action="store_true", help=part.question)


def flagged_parts(options: argparse.Namespace) -> list[str]:
    return [name for name in PARTS if getattr(options, name)]


def new(options: argparse.Namespace, host: StandaloneHost) -> int:
    asks = not options.yes and sys.stdin.isatty()
    if options.name is None and not asks:
        raise OperatorError("say what the plugin is called: guildhall plugin new NAME --routes --table --yes")
    name: str = options.name or _asked_for_text("What is the plugin called, such as book-shelf?")
    _check_free(Answers.given(name, ()), host)
    parts = flagged_parts(options)
    if asks and not parts:
        print("What should it bring?")
        parts = [part for part in PARTS if _asked(f"  {PARTS[part].question}?")]
    answers = Answers.given(name, parts)
    if "command" in answers.parts:
        _check_command(name, host)
    home: Path = options.folder or Path(f"guildhall-{name}")
    files = write_new(home, answers)
    brings = ", ".join(answers.parts) or "nothing yet"
    print(f"{home}: {len(files)} files; it brings {brings}\n")
    print(f"  cd {home}\n  pip install -e .\n  pytest\n  guildhall plugin check {name}")
    return 0


def _check_free(answers: Answers, host: StandaloneHost) -> None:
    if answers.name in _OURS or any(one.id == answers.name for one in host.plugins.statuses()):
        raise OperatorError(f"the name {answers.name} is taken: there is a guildhall-{answers.name} already")


def _check_command(name: str, host: StandaloneHost) -> None:
    taken = {command.name.partition(" ")[0] for command in host.plugins.declared(Command)}
    if name in {"serve", *taken}:
        raise OperatorError(f"`guildhall {name}` is there already: call the plugin something else")


def _asked(question: str) -> bool:
    """Asks until the answer is yes or no; nothing is no."""
    while True:
        answer = _line(f"{question} [y/N] ").lower()
        if answer in {"y", "yes"}:
            return True
        if answer in {"", "n", "no"}:
            return False
        print("Please answer y or n.")


def _asked_for_text(question: str) -> str:
    while not (answer := _line(f"{question} ")):
        pass
    return answer


def _line(prompt: str) -> str:
    try:
        return input(prompt).strip()
    except EOFError:
        raise OperatorError("nobody answered; say all by flags, and --yes") from None
