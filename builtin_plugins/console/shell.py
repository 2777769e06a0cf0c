"""The console's own rows: its page under every address that people have of it, its files, its colours."""

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from guildhall_sdk import Auth, Call, Reply, Route
from guildhall_sdk.routes import PAGE_CSP
from guildhall_sdk.schema import string
from guildhall_sdk.services.localization import Localization
from guildhall_sdk.services.pages import Brandings, Onboarding, VisibleBranding
from libs.names import hostname_of
from libs.themes import palette

_TITLE = re.compile(r"<title>[^<]{0,200}</title>")
_NOTICE = """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Guildhall</title></head>
<body>
<h1>{title}</h1>
<p>The server is running. {remedy}</p>
<p>The API is there: <a href="/api/docs">its documentation</a>.</p>
</body>
</html>
"""
_NOT_BUILT = _NOTICE.format(
    title="The console is not built yet",
    remedy="To build its console, install Node 20 and run <code>make console</code>; then start it again.",
)
SPEECHLESS = _NOTICE.format(
    title="The console has no texts",
    remedy="The plugin <code>l10n</code>, which has them, is not loaded: <code>/api/plugins</code> says why.",
)


def read_page(built: Path, title: str) -> str:
    """Returns the page with a title; without a build, one that says how to make it."""
    return _TITLE.sub(lambda _: f"<title>{html.escape(title)}</title>", _read(built / "index.html"), count=1)


def _read(path: Path) -> str:
    try:
        return _contents(path, path.stat().st_mtime_ns)
    except FileNotFoundError:
        return _NOT_BUILT


@lru_cache(maxsize=2)
def _contents(path: Path, changed_at: int) -> str:
    return path.read_text(encoding="utf-8")


_DARK = "dark-"


def stylesheet(theme: Mapping[str, str | int]) -> str:
    lines = [f"  {_property(name, value)};" for name, value in sorted(theme.items())]
    return ":root {\n" + "\n".join(lines) + "\n}\n"


def _property(name: str, value: str | int) -> str:
    if name == "radius":
        return f"--theme-radius: {value}px"
    return f"--{name}: {value}" if name.startswith(_DARK) else f"--light-{name}: {value}"


_HTML = "text/html; charset=utf-8"
# The sign-up page can be asked for in a language; the console has its own ways.
_QUERY = {"locale": string(max_length=64, description="Of the sign-up page, such as nl-BE")}


def _page(path: str, doc: str, handler: str = "page") -> Route:
    return Route(
        "GET", path, handler, doc, Auth.PUBLIC, query=_QUERY, content_type=_HTML, also_statuses=(304,)
    )


ROUTES = (
    _page("/", "The console, or the sign-up page where SERVICE_HOME is beta.", "home"),
    _page("/index.html", "The console."),
    _page("/home", "The console, also where the root is the sign-up page."),
    _page("/login", "The console, sign-in first."),
    _page("/activate", "The console on its activation screen."),
    # Of a screen that apps send people to: there for whatever opens it, and in the API's documentation.
    _page("/oauth/authorize", "The console where somebody lets an app act for them."),
    Route(
        "GET",
        "/manifest.webmanifest",
        "manifest",
        "What a device shows of the console where it is installed, by hostname.",
        Auth.PUBLIC,
        content_type="application/manifest+json",
        also_statuses=(304,),
    ),
    Route(
        "GET",
        "/theme.css",
        "theme",
        "The colours of this hostname as custom properties of CSS.",
        Auth.PUBLIC,
        content_type="text/css; charset=utf-8",
        also_statuses=(304,),
    ),
)


BUILT = Path(__file__).with_name("dist")
# What the modules of plugins share with ours: in line, as browsers want it, and allowed by a digest.
_SHARED = re.compile(r'<script type="importmap">(.*?)</script>', re.DOTALL)
# Its frames show what plugins bring, below /frame/, and are kept to this server whatever they open.
# Players of sound and films get them from this server too.
_CSP = f"{PAGE_CSP}; frame-src 'self'; media-src 'self'"
# Where the plugin of brandings is not there.
_PLAIN = VisibleBranding(title="Guildhall", tagline="", logo=None, palette=palette({}))
_ICONS = (
    {"src": "/favicon.svg", "type": "image/svg+xml", "sizes": "any"},
    {"src": "/icon-192.png", "type": "image/png", "sizes": "192x192"},
    {"src": "/icon-512.png", "type": "image/png", "sizes": "512x512", "purpose": "any maskable"},
)
_HEADERS = {"Cache-Control": "no-cache", "Vary": "Host"}


async def home(call: Call) -> Reply:
    onboarding = call.host.find_service(Onboarding)
    if onboarding is not None and onboarding.home == "beta":
        return await onboarding.page(call)
    return await page(call)


async def page(call: Call) -> Reply:
    # Without its texts the console has nothing to say; the page then tells the operator why.
    speaks = call.host.find_service(Localization) is not None
    text = read_page(BUILT, (await _branding_of(call)).title) if speaks else SPEECHLESS
    return _text(text, "text/html; charset=utf-8", {"Content-Security-Policy": policy_of(text)})


def policy_of(text: str) -> str:
    """Returns the policy for the page, which allows its import map by a digest of it."""
    shared = _SHARED.search(text)
    if shared is None:
        return _CSP
    digest = base64.b64encode(hashlib.sha256(shared[1].encode()).digest()).decode()
    return _CSP.replace("script-src 'self'", f"script-src 'self' 'sha256-{digest}'", 1)


async def theme(call: Call) -> Reply:
    return _text(stylesheet((await _branding_of(call)).palette), "text/css; charset=utf-8", {})


async def manifest(call: Call) -> Reply:
    branding = await _branding_of(call)
    described = {
        "name": branding.title,
        "short_name": branding.title,
        "start_url": "/home",
        "scope": "/",
        "display": "standalone",
        "background_color": branding.palette["bg"],
        "theme_color": branding.palette["bg"],
        "icons": _ICONS,
    }
    return _text(json.dumps(described, ensure_ascii=False), "application/manifest+json", {})


async def _branding_of(call: Call) -> VisibleBranding:
    brandings = call.host.find_service(Brandings)
    if brandings is None:
        return _PLAIN
    async with call.read() as reader:
        return await brandings.at(reader, hostname_of(call.headers.get("host", "")))


def _text(text: str, content_type: str, headers: dict[str, str]) -> Reply:
    content = text.encode()
    etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    return Reply(headers={**_HEADERS, **headers}, etag=etag, content=content, content_type=content_type)


HANDLERS = {handler.__name__: handler for handler in (home, page, manifest, theme)}
