"""The shell of the console names no feature, and stays small: every screen is a plugin's."""

import re
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[1]
SHELL, KIT = HOUSE / "console/src", HOUSE / "console/packages/kit/src"
MAX_LINES = 7_000
COMMENTS = re.compile(r"^[ \t]*(?:/\*.*?\*/|//[^\n]*)", re.DOTALL | re.MULTILINE)
#: What is no feature's: home, and what is there before one is in.
OWN = {"/", "/account"}


def sources(*folders):
    return [
        path
        for folder in folders
        for path in sorted(folder.rglob("*.ts*"))
        if path.name != "schema.ts" and ".test." not in path.name
    ]


def declared():
    """Returns what the plugins that ship declare of each screen: its path, its title and its icon."""
    screens = []
    for path in sorted((HOUSE / "builtin_plugins").glob("*/__init__.py")):
        screens += re.findall(r'Screen\(\s*"[^"]*",\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)"', path.read_text())
    assert len(screens) > 30
    return screens


def words_of_features():
    screens = declared()
    paths = {path for path, _, _ in screens} - OWN
    icons = {"".join(part.capitalize() for part in icon.split("-")) for _, _, icon in screens}
    return paths, icons - {"House", "Languages", "Puzzle"}


def test_the_shell_names_no_address_and_no_icon_of_a_screen():
    paths, icons = words_of_features()
    found = []
    for path in sources(SHELL):
        text = COMMENTS.sub("", path.read_text())
        strings = re.findall(r"""["'`](/[^"'`]*)["'`]""", text)
        found += [
            f"{path.name}: {one}" for one in strings if any(one.split("?")[0] == each for each in paths)
        ]
        found += [
            f"{path.name}: {icon}"
            for line in re.findall(r"import \{([^}]*)\} from \"lucide-react\"", text)
            for icon in re.findall(r"\w+", line)
            if icon in icons
        ]
    assert found == []


def test_the_shell_and_the_kit_import_no_screen():
    wrong = [
        path.name
        for path in sources(SHELL, KIT)
        if re.search(r'from "[^"]*builtin_plugins', path.read_text())
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "folder", sorted((HOUSE / "builtin_plugins").glob("*/console")), ids=lambda path: path.parent.name
)
def test_the_screens_of_a_plugin_import_the_kit_and_no_other_plugins(folder):
    wrong = []
    for path in sources(folder):
        for name in re.findall(r'(?:from|import\()\s*"(\.[^"]*)"', path.read_text()):
            if not (path.parent / name).resolve().is_relative_to(folder):
                wrong.append(f"{path.name}: {name}")
    assert wrong == []


def test_the_shell_and_the_kit_stay_small():
    lines = [line for path in sources(SHELL, KIT) for line in COMMENTS.sub("", path.read_text()).splitlines()]
    assert sum(bool(line.strip()) for line in lines) <= MAX_LINES
