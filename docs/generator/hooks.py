"""A page of each hook: whose it is, what it takes and returns, when it is called, what a failure does."""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from docs.generator.pages import MADE, signature_of
from docs.generator.plugins import ShownPlugin, anchor_of
from guildhall_sdk.hooks import SPECIFICATIONS, HookResult
from kernel.declarations.table import DECLARATIONS
from kernel.registry import KERNEL

_CALLED = {
    "declare": "Once, at boot and when a command looks at the plugin: a plain function without arguments.",
    "on": "In the order of admission, `on_stop` in the reverse; each plugin has ten seconds.",
    "decide": "In the order of admission, until a plugin answers something else than `None`; each has ten "
    "seconds.",
}
_FAILURE = {
    "declare": "It keeps the whole plugin out: the server starts without it, unless it is essential, and "
    "`guildhall plugin list`, `GET /api/plugins` and the log say why.",
    "on": "It is logged under the plugin's name, and stops nobody else.",
    "decide": "It denies: what was to be decided is refused, and the log names the plugin.",
}
_OWN_FAILURE = {
    "on_start": "It takes the plugin out again, into quarantine; an essential plugin stops the boot.",
}
_WITHOUT_OWNER = (
    "Where `{owner}` is not loaded, what is declared does nothing, and the log says so; the plugin is let in."
)


class _Hook(NamedTuple):
    """A hook as its specification has it."""

    name: str
    owner: str
    node: ast.FunctionDef | ast.AsyncFunctionDef
    text: str
    result: HookResult | None

    @property
    def colour(self) -> str:
        return self.name.partition("_")[0]


def hook_pages(plugins: Sequence[ShownPlugin], types: Mapping[str, str]) -> dict[str, str]:
    """Returns the page of each hook and their index, by path; `types` says where the SDK's are described."""
    hooks = sorted(_hooks(plugins), key=lambda hook: (hook.owner != KERNEL, hook.owner, hook.name))
    made = {f"hooks/{hook.name}.md": _page(hook, plugins, types) for hook in hooks}
    return {"hooks/index.md": _index(hooks), **made}


def _hooks(plugins: Sequence[ShownPlugin]) -> Iterator[_Hook]:
    results = {one.hook: one.result for one in DECLARATIONS}
    for space in SPECIFICATIONS:
        yield from _of_class(space, KERNEL, results)
    for one in plugins:
        brought = {hook.hook: hook.result for hook in one.loaded.hookspecs}
        if brought and one.loaded.source == "builtin":
            for space in one.module.declare_hooks():
                yield from _of_class(space, one.loaded.id, brought)


def _of_class(space: type[Any], owner: str, results: Mapping[str, HookResult]) -> Iterator[_Hook]:
    for base in space.__mro__:
        for name, member in vars(base).items():
            if re.match(r"(declare|on|decide)_", name) and inspect.isfunction(member):
                (node,) = ast.parse(textwrap.dedent(inspect.getsource(member))).body
                assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                yield _Hook(name, owner, node, inspect.getdoc(member) or "", results.get(name))


def _index(hooks: Sequence[_Hook]) -> str:
    rows = ((f"[`{one.name}`]({one.name}.md)", _owner(one), one.text.split("\n")[0]) for one in hooks)
    head = "Every hook by itself, those of the server first. [Hooks](../../hooks.md) shows them at work."
    return f"{MADE}\n# Each hook by itself\n\n{head}\n\n{_table(('hook', 'owner', 'what it is for'), rows)}\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _owner(hook: _Hook) -> str:
    return "the server" if hook.owner == KERNEL else f"`{hook.owner}`"


def _page(hook: _Hook, plugins: Sequence[ShownPlugin], types: Mapping[str, str]) -> str:
    signature = signature_of(_without_self(hook.node))
    parts = [f"{MADE}\n# {hook.name}", hook.text, f"```python\n@hookimpl\n{signature}: ...\n```"]
    parts.append(
        "\n".join(["| | |", "|---|---|", *(f"| {name} | {text} |" for name, text in _facts(hook, types))])
    )
    if hook.result is not None and hook.result.functions:
        parts.append("A row holds functions. Each is called with these arguments, by their places:")
        called = [
            f"| `{field}` | {', '.join(f'`{one}`' for one in given)} |"
            for field, given in hook.result.functions.items()
        ]
        parts.append("\n".join(["| field | arguments |", "|---|---|", *called]))
    users = [one for one in plugins if hook.name in one.hooks]
    if users:
        listed = ", ".join(f"[`{one.loaded.id}`](../gallery.md#{anchor_of(one)})" for one in users)
        parts.append(f"It is implemented by {listed}.")
    parts.append(f"[{hook.name} in the guide](../../hooks.md#{hook.name}) has more of it.")
    return "\n\n".join(parts) + "\n"


def _facts(hook: _Hook, types: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield "owner", _owner(hook)
    arguments = [
        f"`{one.arg}`: {_typed(one.annotation, types)}" for one in hook.node.args.args if one.arg != "self"
    ]
    yield "arguments", ", ".join(arguments) or "none"
    yield "returns", _typed(hook.node.returns, types)
    if hook.result is not None and hook.result.name is not None:
        field = f"`{hook.result.name}`" if isinstance(hook.result.name, str) else "what names a row"
        unique = f"{field}: no two plugins have a {hook.result.label} with the same"
        yield "unique", unique + ("; it is the id of the plugin" if hook.result.named_as_plugin else "")
    yield "called", _CALLED[hook.colour]
    failure = _OWN_FAILURE.get(hook.name, _FAILURE[hook.colour])
    yield "a failure", failure
    if hook.owner != KERNEL:
        yield "without its owner", _WITHOUT_OWNER.format(owner=hook.owner)


def _without_self(node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.FunctionDef | ast.AsyncFunctionDef:
    """Returns a hook as its implementation is written: a function, with annotations that are no texts."""
    arguments = [ast.arg(one.arg, _plain(one.annotation)) for one in node.args.args if one.arg != "self"]
    node.args.args = arguments
    node.returns = _plain(node.returns)
    return node


def _plain(annotation: ast.expr | None) -> ast.expr | None:
    text = _text(annotation)
    return ast.parse(text, mode="eval").body if text else None


def _text(annotation: ast.expr | None) -> str:
    if annotation is None:
        return ""
    written = annotation.value if isinstance(annotation, ast.Constant) else ast.unparse(annotation)
    return str(written).replace("sdk.", "")


def _typed(annotation: ast.expr | None, types: Mapping[str, str]) -> str:
    """Returns a type with links to what the SDK says of its parts."""
    text = _text(annotation)
    links = [
        f"[{name}](../{types[name]})" for name in dict.fromkeys(re.findall(r"\w+", text)) if name in types
    ]
    return f"`{text}`".replace("|", "\\|") + (f" ({', '.join(links)})" if links else "")
