"""The files of a new plugin, put together from the scaffold: names are replaced, and nothing else."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from builtin_plugins.authoring.parts import ALWAYS, PARTS, with_needed
from guildhall_sdk.errors import OperatorError

#: Raised with each change of what the scaffold writes: a project remembers which one it has.
VERSION = 1
SCAFFOLD = Path(__file__).with_name("scaffold")

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_MAX_NAME = 32
_PACKAGE = "src/guildhall_sample_plugin"


@dataclass(frozen=True, slots=True)
class Answers:
    """What somebody wants of a new plugin; `parts` has those that others need too."""

    name: str
    parts: tuple[str, ...]

    @classmethod
    def given(cls, name: str, parts: Collection[str]) -> "Answers":
        """Checks what was asked for; raises `OperatorError` with what to give instead."""
        if not _NAME.fullmatch(name) or len(name) > _MAX_NAME:
            raise OperatorError(
                f"{name!r} cannot be the name of a plugin: give small letters and digits, in words joined by "
                f"hyphens, at most {_MAX_NAME} signs, such as book-shelf"
            )
        if unknown := sorted({*parts} - {*PARTS}):
            raise OperatorError(f"no part is called {unknown[0]!r}; there are {', '.join(PARTS)}")
        return cls(name, tuple(with_needed(parts)))


def files_of(answers: Answers) -> dict[str, str]:
    """Returns the texts of a project's files by their places in it."""
    sources = dict(ALWAYS)
    for name in answers.parts:
        sources |= PARTS[name].files
    texts = {place: (SCAFFOLD / source).read_text("utf-8") for place, source in sources.items()}
    texts["README.md"] = texts["README.md"].replace("<!-- parts -->\n", "".join(_lines_of(answers)))
    texts["pyproject.toml"] += _memory(answers)
    texts[f"{_PACKAGE}/__init__.py"] = _package(answers)
    named = {_named(place, answers.name): _named(text, answers.name) for place, text in texts.items()}
    return dict(sorted(named.items()))


def _named(text: str, name: str) -> str:
    """Replaces the name of the sample in its three spellings."""
    spellings = {
        "sample-plugin": name,
        "sample_plugin": name.replace("-", "_"),
        "Sample plugin": name.replace("-", " ").capitalize(),
    }
    for spelling, replacement in spellings.items():
        text = text.replace(spelling, replacement)
    return text


def _lines_of(answers: Answers) -> Iterator[str]:
    if not answers.parts:
        yield "Nothing yet: `guildhall plugin update --routes` adds rows of the API.\n"
    for name in answers.parts:
        yield f"- {PARTS[name].line}\n"


def _memory(answers: Answers) -> str:
    parts = ", ".join(f'"{part}"' for part in answers.parts)
    return (
        "\n[tool.guildhall.scaffold]\n"
        f"# `guildhall plugin update` reads it, and `.guildhall/scaffold.json` beside it.\n"
        f'version = {VERSION}\nname = "sample-plugin"\nparts = [{parts}]\n'
    )


def _package(answers: Answers) -> str:
    """Returns the module of the plugin: its manifest, and the hooks of its parts."""
    hooks: dict[str, Collection[str]] = {}
    for name in answers.parts:
        hooks |= PARTS[name].hooks
    requires = sorted({one for name in answers.parts for one in PARTS[name].requires})
    lines = ['"""Sample plugin: a plugin for Guildhall."""\n\nfrom guildhall_sdk import Plugin\n']
    lines += ["\n"] if hooks else []
    lines += [_import(module, hooks[module]) for module in sorted(hooks)]
    names = sorted({"PLUGIN", *(hook for of_module in hooks.values() for hook in of_module)})
    lines += ["\n", _block("__all__ = [", [f'"{name}"' for name in names], "]"), "\n"]
    fields: Mapping[str, str] = {
        "id": '"sample-plugin"',
        "name": '"Sample plugin"',
        "version": '"0.1.0"',
        "description": '"A plugin for Guildhall."',
        **({"requires": f"[{', '.join(map(_quoted, requires))}]"} if requires else {}),
    }
    lines.append(_block("PLUGIN = Plugin(", [f"{name}={value}" for name, value in fields.items()], ")"))
    return "".join(lines)


def _quoted(text: str) -> str:
    return f'"{text}"'


def _import(module: str, names: Collection[str]) -> str:
    start = f"from guildhall_sample_plugin.{module} import "
    if len(names) == 1:
        return f"{start}{next(iter(names))}\n"
    return _block(f"{start}(", names, ")")


def _block(start: str, items: Collection[str], end: str) -> str:
    """Returns items on lines of their own, as a formatter leaves them however long their names are."""
    return "\n".join([start, *(f"    {item}," for item in items), end, ""])
