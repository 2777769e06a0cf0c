"""`guildhall completion`: what a shell needs to complete the commands, of all plugins that are installed."""

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence

from guildhall_sdk import Command
from guildhall_sdk.commands import StandaloneHost
from libs.command_line import Parser

_OWN = ("serve",)
_SHELLS = ("bash", "zsh", "fish")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Prints a script that completes the commands: for bash `source <(guildhall completion bash)` in "
        ".bashrc, for zsh the same with zsh in .zshrc, for fish `guildhall completion fish | source` in "
        "config.fish."
    )
    parser.add_argument("shell", choices=_SHELLS)


def _print(options: argparse.Namespace, host: StandaloneHost) -> int:
    words = _words(host.plugins.declared(Command))
    script = {"bash": _bash, "zsh": _zsh, "fish": _fish}[options.shell]
    sys.stdout.write(script(words))
    return 0


def _words(commands: Sequence[Command]) -> Mapping[str, Sequence[str]]:
    """Returns what may follow: at "" the commands, at each of them and its actions their words."""
    listed = sorted(commands, key=lambda one: one.name)
    words: dict[str, Sequence[str]] = {"": [*_OWN, *(command.name for command in listed)]}
    for command in listed:
        parser = Parser(prog=command.name)
        if command.arguments is not None:
            command.arguments(parser)
        _read(parser, command.name, words)
    return words


def _read(parser: argparse.ArgumentParser, name: str, words: dict[str, Sequence[str]]) -> None:
    found: list[str] = []
    for action in parser._actions:
        found += [option for option in action.option_strings if option.startswith("--")]
        if isinstance(action, argparse._SubParsersAction):
            for choice, sub in action.choices.items():
                found.append(choice)
                _read(sub, f"{name} {choice}", words)
        elif action.choices is not None and not action.option_strings:
            found += map(str, action.choices)
    words[name] = found


def _bash(words: Mapping[str, Sequence[str]]) -> str:
    cases = "\n".join(
        f"    {shlex.quote(name)}) words={shlex.quote(' '.join(found))} ;;" for name, found in words.items()
    )
    return f"""# Completes `guildhall` in bash.
_guildhall() {{
  local words at="${{COMP_WORDS[1]}}" current="${{COMP_WORDS[COMP_CWORD]}}"
  [ "$COMP_CWORD" -gt 1 ] || at=""
  if [ "$COMP_CWORD" -gt 2 ]; then
    case "$at ${{COMP_WORDS[2]}}" in
    {_alternatives(words)}) at="$at ${{COMP_WORDS[2]}}" ;;
    esac
  fi
  case "$at" in
{cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}}
complete -o filenames -F _guildhall guildhall
"""


def _alternatives(words: Mapping[str, Sequence[str]]) -> str:
    return " | ".join(shlex.quote(name) for name in words if " " in name) or "''"


def _zsh(words: Mapping[str, Sequence[str]]) -> str:
    return f"""# Completes `guildhall` in zsh, by the functions of bash.
autoload -Uz compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
{_bash(words)}"""


def _fish(words: Mapping[str, Sequence[str]]) -> str:
    lines = [
        "# Completes `guildhall` in fish.",
        f"complete -c guildhall -n __fish_use_subcommand -a {_quoted(words[''])}",
    ]
    for name, found in words.items():
        if name:
            seen = " ".join(f"and __fish_seen_subcommand_from {part};" for part in name.split()).removeprefix(
                "and "
            )
            plain = [word for word in found if not word.startswith("--")]
            if plain:
                lines.append(f"complete -c guildhall -n '{seen.rstrip(';')}' -a {_quoted(plain)}")
            lines += [
                f"complete -c guildhall -n '{seen.rstrip(';')}' -l {word.removeprefix('--')}"
                for word in found
                if word.startswith("--")
            ]
    return "\n".join([*lines, ""])


def _quoted(words: Sequence[str]) -> str:
    return shlex.quote(" ".join(words))


COMMANDS = (
    Command(
        name="completion",
        help="complete commands in bash, zsh or fish",
        arguments=_arguments,
        standalone=_print,
    ),
)
