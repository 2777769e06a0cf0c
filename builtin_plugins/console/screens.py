"""The screens that plugins bring as modules: what is wrong with one, and which of them a caller is shown."""

import asyncio
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from builtin_plugins.console.page_checks import word_faults
from guildhall_sdk import Auth, Call, Factory, NotFound, Permission, Principal, Reply, Route, SampleClient
from guildhall_sdk.dimensions import Dimension
from guildhall_sdk.hooks import Declarer
from guildhall_sdk.plugin import Plugins, Switches
from guildhall_sdk.schema import anything, array, enum, integer, nullable, shape, string
from guildhall_sdk.services.pages import Files, Screen

_HERE = Path(__file__).parent
#: What the build of the console laid down: how each of lucide's icons is drawn, by its name.
_ICONS = _HERE / "dist" / "icons.json"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_PATH = re.compile(r"/([a-z0-9][a-z0-9-]*(/[a-z0-9][a-z0-9-]*)*)?")
# Whatever stands beside it is served with it, so that it stands in a folder of its own.
_MODULE = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_.-]*/)+[A-Za-z0-9_][A-Za-z0-9_.-]*\.m?js")
GROUPS = ("work", "ai", "automate", "localize", "team", "company", "instance", "account", "")

# Who has no part in the company or the instance is not told what is there.
_OF_FEW = ("company", "instance")

_FIELDS = {
    "plugin": string(),
    "name": string(),
    "path": string(),
    "title": string(description="A key of the catalog, or words"),
}
SCREENS = {
    "screens": array(
        shape(
            {
                **_FIELDS,
                "icon": string(),
                "group": string(),
                "order": integer(),
                "module": string(
                    description="Where the module is; without it, it is one of the console's own"
                ),
                "permission": nullable(string()),
                "feature": nullable(string()),
                "opens": array(string(), description="Types of search hits that open there"),
            },
            optional=("module",),
        )
    ),
    "closed": array(
        shape(
            {
                **_FIELDS,
                "needs": enum("plugin", "feature", "permission"),
                "what": string(description="The plugin or the feature that is off, or the permission"),
            }
        ),
        description="What the caller is not shown, for whoever comes by an address",
    ),
    "icons": anything(type="object", description="How the icons of the screens are drawn, by their names"),
    "words": shape(
        {
            name: anything(type="object", additionalProperties=string())
            for name in ("permissions", "dimensions")
        },
        description="What plugins that do not ship say of their permissions and of what they count, by name",
    ),
}


def screen_fault(screen: Screen, declarer: Declarer) -> str | None:
    """Returns the first thing that is wrong with a screen, or None."""
    return next(_faults(screen, declarer), None)


def _faults(screen: Screen, declarer: Declarer) -> Iterator[str]:
    own = declarer.declared(Screen)
    if not isinstance(screen.name, str) or not _NAME.fullmatch(screen.name):
        yield "name must be 1 to 40 of a-z, 0-9 and -"
    elif sum(one.name == screen.name for one in own) > 1:
        yield f"there are two screens named {screen.name}"
    if not isinstance(screen.path, str) or not _PATH.fullmatch(screen.path):
        yield f"path must be like /guests, of a-z, 0-9 and -, not {screen.path!r}"
    yield from word_faults("title", screen.title)
    if not isinstance(screen.icon, str) or not _NAME.fullmatch(screen.icon):
        yield "icon must be one of lucide's names, such as notebook-pen"
    if screen.group not in GROUPS:
        yield f"group must be one of {', '.join(GROUPS[:-1])}, or empty"
    if not isinstance(screen.module, str) or not _MODULE.fullmatch(screen.module):
        yield "module must be the path of a .js file in a folder of the plugin's package"


ROUTES = (
    Route(
        "GET",
        "/ui/:plugin/:digest/*path",
        "screen_file",
        "A file of the screens that a plugin ships, at an address of its content",
        Auth.PUBLIC,
        also_statuses=(206, 304),
        content_type="*/*",
        raw_wildcard=True,
    ),
)
_KEPT = {"Cache-Control": "public, max-age=31536000, immutable"}


async def screen_file(call: Call) -> Reply:
    """Answers a file beside a module, at the digest of its folder and no other."""
    plugins, plugin_id = call.service(Plugins), call.params["plugin"]
    folder = plugins.folder(plugin_id)
    own = [screen for owner, screen in plugins.owned(Screen) if owner == plugin_id]
    if folder is None or _is_built_in(folder):
        raise NotFound()
    for home in {(folder / screen.module).parent for screen in own}:
        if await asyncio.to_thread(digest_of, home) == call.params["digest"]:
            return await call.service(Files).reply(call, home, call.params["path"], headers=_KEPT)
    raise NotFound()


def screens_for(plugins: Plugins, principal: Principal, switches: Switches) -> dict[str, Any]:
    """Returns the screens that the caller is shown, and what keeps the others closed."""
    found = sorted(plugins.owned(Screen), key=lambda one: (one[1].order, one[1].path))
    closed = [(*one, why) for one in found if (why := _closed_by(*one, principal, switches))]
    shut = {(plugin_id, screen.name) for plugin_id, screen, _ in closed}
    shown = [one for one in found if (one[0], one[1].name) not in shut]
    return {
        "screens": [_described(plugins, *one) for one in shown],
        "closed": [
            {**_head(plugin_id, screen), "needs": needs, "what": what}
            for plugin_id, screen, (needs, what) in closed
            if needs != "permission" or screen.group not in _OF_FEW
        ],
        "icons": {name: drawing for _, one in shown if (drawing := _drawings().get(name := one.icon))},
        "words": {
            "permissions": _descriptions(plugins, Permission),
            "dimensions": _descriptions(plugins, Dimension),
        },
    }


def _descriptions(plugins: Plugins, kind: type[Permission] | type[Dimension]) -> dict[str, str]:
    """Returns by name how plugins of others describe what they declare; ours have texts in the catalog."""
    shipped = {one.id for one in plugins.statuses() if one.source == "builtin"}
    return {one.name: one.description for owner, one in plugins.owned(kind) if owner not in shipped}


def _closed_by(
    plugin_id: str, screen: Screen, principal: Principal, switches: Switches
) -> tuple[str, str] | None:
    off = switches.switched_off(plugin_id, screen.feature)
    if off is not None:
        return ("feature" if off == screen.feature else "plugin", off)
    if screen.permission is not None and not principal.may(screen.permission):
        return ("permission", screen.permission)
    return None


def _head(plugin_id: str, screen: Screen) -> dict[str, Any]:
    return {"plugin": plugin_id, "name": screen.name, "path": screen.path, "title": screen.title}


def _described(plugins: Plugins, plugin_id: str, screen: Screen) -> dict[str, Any]:
    module = module_of(plugins.folder(plugin_id), plugin_id, screen)
    return {
        **_head(plugin_id, screen),
        **{name: getattr(screen, name) for name in ("icon", "group", "order", "permission", "feature")},
        "opens": [*screen.opens],
        **({} if module is None else {"module": module}),
    }


def module_of(folder: Path | None, plugin_id: str, screen: Screen) -> str | None:
    """Returns the address of a screen's module; None for one that the console's own build has."""
    if folder is None or _is_built_in(folder):
        return None
    home = (folder / screen.module).parent
    return f"/ui/{plugin_id}/{digest_of(home)}/{Path(screen.module).name}"


def _is_built_in(folder: Path) -> bool:
    """Tells whether a plugin ships with this one: its screens are in the console's own build."""
    return folder.parent == _HERE.parent


@lru_cache(256)
def digest_of(home: Path) -> str:
    """Returns what is the same while no file of a folder is another, for as long as the server runs."""
    digest = hashlib.sha256()
    for path in sorted(path for path in home.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(home).as_posix()}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:32]


@lru_cache(1)
def _drawings() -> Mapping[str, Sequence[Any]]:
    try:
        drawings: Mapping[str, Sequence[Any]] = json.loads(_ICONS.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    return drawings


async def _nothing_here(client: SampleClient, canary: str) -> str:
    return "none"


FACTORIES = tuple(
    Factory(path, _nothing_here, tenant=False)
    for path in ("/ui/:plugin", "/ui/:plugin/:digest", "/ui/:plugin/:digest/*path")
)
HANDLERS = {"screen_file": screen_file}
