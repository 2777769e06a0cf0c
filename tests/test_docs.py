"""The documentation is complete, and what it shows works."""

import importlib
import importlib.util
import re
from pathlib import Path

import guildhall_sdk
from guildhall_sdk.hooks import SPECIFICATIONS
from guildhall_testing.selection import registry_of
from tests import links

ROOT = Path(__file__).resolve().parent.parent
MAP = ROOT / "docs/index.md"
KERNEL_HOOKS = [
    name for space in SPECIFICATIONS for name in vars(space) if re.match(r"(declare|on|decide)_", name)
]


def brought_by_plugins() -> dict[str, type]:
    """The hooks that our own plugins bring, with their classes."""
    found = {}
    for path in sorted((ROOT / "builtin_plugins").glob("*/__init__.py")):
        for name in re.findall(r"^class (\w+Hooks)\(", path.read_text("utf-8"), re.MULTILINE):
            hooks = getattr(importlib.import_module(f"builtin_plugins.{path.parent.name}"), name)
            found |= {hook: hooks for hook in vars(hooks) if hook.startswith("declare_")}
    return found


BROUGHT = brought_by_plugins()
HOOKS = sorted([*KERNEL_HOOKS, *BROUGHT])


def sources(*patterns: str) -> str:
    return "\n".join(path.read_text("utf-8") for pattern in patterns for path in ROOT.glob(pattern))


def test_every_hook_has_a_heading_in_the_reference():
    reference = (ROOT / "docs/plugins/hooks.md").read_text("utf-8")
    headings = re.findall(r"^## (\w+)$", reference, re.MULTILINE)
    assert sorted(headings) == HOOKS


def test_every_hook_is_used_by_a_real_plugin():
    # Those of the reference are run by kernel/plugins/tests, and those of the guide to texts by l10n.
    code = sources(
        "builtin_plugins/*/*.py", "plugins/*/*.py", "docs/plugins/hooks.md", "docs/localization.md"
    )
    unused = [hook for hook in HOOKS if not re.search(rf"@hookimpl[^\n]*\n(async )?def {hook}\b", code)]
    assert unused == []


def test_every_hook_is_named_in_a_test():
    packages = ("kernel", "builtin_plugins", "plugins")
    tests = sources("tests/**/test_*.py", *(f"{one}/**/tests/*.py" for one in packages))
    untested = [hook for hook in HOOKS if tests.count(hook) == 0]
    assert untested == []


def test_the_public_surface_is_sorted_and_whole():
    names = guildhall_sdk.__all__
    assert names == sorted(names, key=_as_ruff_sorts)
    assert all(hasattr(guildhall_sdk, name) for name in names)


def _as_ruff_sorts(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def test_the_specification_docstring_of_every_hook_says_when_it_is_called():
    for space in (*SPECIFICATIONS, *BROUGHT.values()):
        for name, member in vars(space).items():
            if name in HOOKS:
                assert member.__doc__, name


def test_directory_plugins_import_the_sdk_and_libraries_alone():
    for path in ROOT.glob("plugins/*/*.py"):
        for module in re.findall(r"^(?:from|import) (\w+)", path.read_text("utf-8"), re.MULTILINE):
            assert module not in {"kernel", "builtin_plugins"}, path


def test_every_setting_is_in_the_operators_table_with_its_owner():
    from kernel.config import KERNEL_SETTINGS, Settings
    from kernel.plugins.admission import admit
    from kernel.plugins.setting_values import owned_settings

    table = (ROOT / "docs/operating.md").read_text("utf-8")
    documented = dict(
        re.findall(r"^\| `((?:SERVICE|S3|OTEL)_\w+)` \| .*? \| (\S+) \| .* \|$", table, re.MULTILINE)
    )
    registry = admit(Settings.from_environment({})).registry
    owners = dict.fromkeys(KERNEL_SETTINGS, "kernel")
    assert documented == owners | {row.variable: row.owner for row in owned_settings(registry)}


def test_every_link_leads_somewhere_and_to_a_heading_that_is_there():
    faults = [
        f"{page.relative_to(ROOT)}: {target} {fault}"
        for page in links.pages()
        for target in links.links_of(page)
        if (fault := links.fault_of(page, target))
    ]
    assert faults == []


def test_every_page_is_reached_from_the_readme_and_from_the_map():
    pages = set((ROOT / "docs").glob("**/*.md"))
    for first in (ROOT / "README.md", MAP):
        to_read, seen = [first], set()
        while to_read:
            page = to_read.pop()
            if page not in seen:
                seen.add(page)
                targets = [
                    (page.parent / target.partition("#")[0]).resolve() for target in links.links_of(page)
                ]
                to_read += [target for target in targets if target in pages]
        assert sorted(page.name for page in pages - seen) == []


def test_the_map_and_the_recipes_list_every_page_that_is_no_part_of_another():
    recipes = ROOT / "docs/plugins/recipes.md"
    listed = {(page.parent / target).resolve() for page in (MAP, recipes) for target in links.links_of(page)}
    pages = {page for folder in ("docs", "docs/plugins") for page in (ROOT / folder).glob("*.md")} - {MAP}
    assert sorted(page.name for page in pages - listed) == []


def test_the_map_has_the_four_doors_of_the_readme():
    def doors(page):
        rows = re.findall(r"^\| \*\*(.+?)\*\* \| (.*) \|$", page.read_text("utf-8"), re.MULTILINE)
        return [(door, re.findall(r"\[(.+?)\]\((?:docs/)?(.+?)\)", row)) for door, row in rows]

    assert doors(ROOT / "README.md") == doors(MAP)
    parts = re.findall(r"^## I (.+)$", MAP.read_text("utf-8"), re.MULTILINE)
    assert parts == [door for door, _ in doors(MAP)]


async def test_every_metric_is_in_the_operators_table(hall):
    table = (ROOT / "docs/operating.md").read_text("utf-8").partition("## Metrics")[2]
    told = set(re.findall(r"`(?:guildhall)?(_\w+)`", table))
    figures = (await hall.operator.get("/api/metrics")).json()["items"]
    names = {one["name"] for one in figures if one["name"].startswith("guildhall_")}
    assert sorted(name for name in names if name.removeprefix("guildhall") not in told) == []


def test_every_file_that_a_decision_names_is_there():
    file = re.compile(r"`([\w./-]+/[\w.-]+\.(?:py|sql|md|toml|ts|tsx|sh|patch))`")
    named = [
        (page.name, name)
        for page in sorted((ROOT / "docs/decisions").glob("*.md"))
        for name in file.findall(page.read_text("utf-8"))
    ]
    assert len(named) > 5
    assert [(page, name) for page, name in named if not (ROOT / name).is_file()] == []


def test_the_server_itself_knows_few_declarations():
    assert len({hook for hook in KERNEL_HOOKS if hook.startswith("declare_")}) <= 15


def test_every_hook_of_a_plugin_is_listed_with_its_owner(pytestconfig):
    owners = {name: one.owner for name, one in registry_of(pytestconfig).hookspecs.items()}
    reference = (ROOT / "docs/plugins/hooks.md").read_text("utf-8")
    listed = dict(re.findall(r"^\| \[`(\w+)`\]\(#\w+\) \| `([a-z0-9_-]+)` \|$", reference, re.MULTILINE))
    assert listed == {hook: owners.get(hook) for hook in BROUGHT}


def test_every_decision_stands_in_their_index():
    pages = {page.name for page in (ROOT / "docs/decisions").glob("*.md")} - {"README.md"}
    assert set(re.findall(r"\]\((.*?)\)", (ROOT / "docs/decisions/README.md").read_text("utf-8"))) == pages


def test_the_reference_says_what_the_sources_say():
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs/generator/reference.py")
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    folder = ROOT / "docs/plugins/reference"
    pages = folder.rglob("*.md")
    written = {page.relative_to(folder).as_posix(): page.read_text("utf-8") for page in pages}
    assert written == reference.pages(), "run `make reference`"


def test_the_reference_shows_which_fields_are_given_by_name():
    routes, subscriptions = (
        (ROOT / f"docs/plugins/reference/{name}.md").read_text("utf-8")
        for name in ("routes", "subscriptions")
    )
    assert "    auth: Auth = Auth.BEARER\n    _: KW_ONLY\n    permission:" in routes
    assert "kw_only=True)\nclass Subscription:" in subscriptions
