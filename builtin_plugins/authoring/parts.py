"""What a new plugin may bring: the files of each part in the scaffold, and their places in a project."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

_PACKAGE = "src/guildhall_sample_plugin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Something that a plugin brings, from its files to the lines that name it."""

    #: What one is asked: "Routes below the API?"
    question: str
    #: A line of the README.
    line: str
    #: Where the files lie in the scaffold, by their places in a project.
    files: Mapping[str, str]
    #: Modules of the package, with the hooks that each implements.
    hooks: Mapping[str, Sequence[str]]
    #: The parts that it cannot be without.
    needs: Sequence[str] = ()
    #: The plugins that it works with.
    requires: Sequence[str] = field(default=())


def _module(name: str, source: str = "") -> dict[str, str]:
    return {f"{_PACKAGE}/{name}.py": f"{_PACKAGE}/{source or name}.py"}


def _test(name: str, source: str = "") -> dict[str, str]:
    return {f"tests/test_{name}.py": f"checks/{source or name}.py"}


ROUTES, TABLE = "routes", "table"
PARTS: Mapping[str, Part] = {
    ROUTES: Part(
        question="rows of the HTTP API",
        line="**Rows of the API** below `/api/x/sample-plugin/`, in `routes.py`.",
        files={
            **_module("routes", "routes_alone"),
            **_test("routes", "rows_alone"),
            **_test("conformance"),
        },
        hooks={"routes": ("declare_permissions", "declare_routes")},
    ),
    TABLE: Part(
        question="a table of its own, with rows that read and write it",
        line="**A table**, in `items.py`, `queries.sql` and `migrations/`.",
        files={
            **_module("routes", "routes_of_table"),
            **_module("items"),
            **_test("routes", "rows_of_table"),
            f"{_PACKAGE}/queries.sql": f"{_PACKAGE}/queries.sql",
            f"{_PACKAGE}/migrations/0001_items.sql": f"{_PACKAGE}/migrations/0001_items.sql",
        },
        hooks={
            "items": ("declare_migrations",),
            "routes": ("declare_factories", "declare_permissions", "declare_routes"),
        },
        needs=(ROUTES,),
    ),
    "job": Part(
        question="work in the background",
        line="**A kind of job**, `x.sample-plugin.count-words`, in `jobs.py`.",
        files={**_module("jobs"), **_test("jobs")},
        hooks={"jobs": ("declare_job_kinds",)},
    ),
    "tool": Part(
        question="a tool for models and workflows",
        line="**A tool**, `sample_plugin_shorten`, in `tools.py`.",
        files={**_module("tools"), **_test("tools")},
        hooks={"tools": ("declare_tools",)},
    ),
    "screen": Part(
        question="a screen of the console",
        line="**A screen** of the console. `screens/` has its source, `console/dist/` what is served. "
        "To build it anew, once `npm install` and `npm install --no-save PATH/console/packages/kit` of a "
        "clone of Guildhall, then `npm run build`.",
        files={
            **_module("screens"),
            **_test("screens"),
            f"{_PACKAGE}/locales/en.json": f"{_PACKAGE}/locales/en.json",
            f"{_PACKAGE}/console/dist/index.js": "screens/built.js",
            **{
                f"screens/{name}": f"screens/{name}"
                for name in ("index.tsx", "package.json", "vite.config.mjs")
            },
        },
        hooks={"screens": ("declare_catalogs", "declare_screens")},
    ),
    "workflow": Part(
        question="a workflow that every team has, with a tool of its own",
        line="**A workflow**, `sample-plugin-shorten`, in `workflows.py`.",
        files={**_module("workflows"), **_test("workflows")},
        hooks={"workflows": ("declare_workflows",)},
        needs=("tool",),
        requires=("workflows",),
    ),
    "trigger": Part(
        question="something that happens when a file is uploaded",
        line="**A trigger**: what happens when a file is uploaded, in `triggers.py`.",
        files={**_module("triggers"), **_test("triggers")},
        hooks={"triggers": ("declare_subscriptions",)},
        requires=("repo",),
    ),
    "command": Part(
        question="a command for the operator",
        line="**A command**, `guildhall sample-plugin`, in `commands.py`.",
        files={**_module("commands"), **_test("commands")},
        hooks={"commands": ("declare_commands",)},
    ),
}

#: The files of every project.
ALWAYS: Mapping[str, str] = {
    ".github/workflows/check.yml": "check.yml",
    ".gitignore": "gitignore",
    "LICENSE": "LICENSE",
    "README.md": "README.md",
    "pyproject.toml": "pyproject.toml",
    f"{_PACKAGE}/py.typed": f"{_PACKAGE}/py.typed",
}


def with_needed(names: Collection[str]) -> list[str]:
    """Returns the parts of these names and those that they need, in the order of the list."""
    needed = {*names, *(need for name in names for need in PARTS[name].needs)}
    return [name for name in PARTS if name in needed]
