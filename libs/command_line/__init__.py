"""What a command of a terminal has around it: its help, its arguments, and its end."""

import argparse
import difflib
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

_INTERRUPTED = 130
_BROKEN_PIPE = 141
_REFUSED = 2
_WIDTH = 110
_INDENT = "      "


class Parser(argparse.ArgumentParser):
    """A parser whose actions are described by their line in the list of them, unless they say more."""

    #: Further lines of the help, which are looked for only where somebody asks for it.
    more_help: Callable[[], Iterable[str]] | None = None

    def format_help(self) -> str:
        usage = super().format_help()
        return usage if self.more_help is None else "\n".join([usage, *self.more_help(), ""])

    def add_subparsers(self, **given: Any) -> Any:
        group = super().add_subparsers(**given)
        add = group.add_parser

        def add_described(name: str, **words: Any) -> Any:
            if (line := words.get("help")) and words.get("description") is None:
                words["description"] = _sentence(line)
            return add(name, **words)

        group.add_parser = add_described  # type: ignore[method-assign]
        return group


def _sentence(line: str) -> str:
    return f"{line[0].upper()}{line[1:]}."


def number_of(what: str, low: int, high: int) -> Callable[[str], int]:
    """Returns the type of an argument that is a number between two others; `what` says of what it is."""

    def parse(given: str) -> int:
        if not given.isdecimal() or not low <= int(given) <= high:
            raise argparse.ArgumentTypeError(f"takes a number of {what}, {low} to {high}")
        return int(given)

    return parse


def split_name(words: Sequence[str], names: Collection[str]) -> tuple[str, Sequence[str]]:
    """Returns the command that the words begin with, and the words behind its name.

    A name is a word, or two: a command that stands under another. Where there is neither, it is as much of
    the words as would be one's name.
    """
    for many in (2, 1):
        if (name := " ".join(words[:many])) in names:
            return name, words[many:]
    stand_under = any(name.startswith(f"{words[0]} ") for name in names)
    return " ".join(words[: 2 if stand_under else 1]), words[1:]


def show_group(
    program: str, words: Sequence[str], commands: Mapping[str, str], groups: Mapping[str, str]
) -> None:
    """Prints the commands under a word, given with their help, where no command follows it, and leaves."""
    first, *rest = words
    below = {name.partition(" ")[2]: line for name, line in commands.items() if name.startswith(f"{first} ")}
    if not below or (rest and not rest[0].startswith("-")):
        return
    line = groups.get(first, f"commands under {first}")
    parser = Parser(prog=f"{program} {first}", description=_sentence(line))
    group = parser.add_subparsers(required=True, metavar="action")
    for name, line in below.items():
        group.add_parser(name, help=line)
    parser.parse_args(rest)


def unknown(name: str, names: Iterable[str]) -> str:
    """Returns what is said of a command that is not there."""
    near = difflib.get_close_matches(name, names, 1, 0.7)
    hint = f"did you mean {near[0]}?" if near else "`guildhall --help` lists all"
    return f"there is no command {name!r}; {hint}"


def exit_code_of(run: Callable[[], int], name: str, refusal: type[Exception]) -> int:
    """Runs a command; a refusal is one line on standard error, behind the command's name."""
    try:
        code = run()
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # Whoever read it has read enough, such as `head`. What is still to be flushed goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except refusal as error:
        sys.stderr.write(f"{name}: {error}\n")
        return _REFUSED


def entry(name: str, text: str) -> Iterator[str]:
    """Yields the lines of a name in a list and of what is said of it, below it."""
    yield f"  {name}"
    yield from wrap(text, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)
