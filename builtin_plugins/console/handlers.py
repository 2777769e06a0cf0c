"""HTTP in and out."""

import hashlib
from pathlib import Path

from builtin_plugins.console.page import SPEECHLESS, read_page
from builtin_plugins.console.theme import stylesheet
from guildhall_sdk import Call, Reply
from guildhall_sdk.pages import PAGE_CSP
from guildhall_sdk.services.branding import Brandings, Look
from guildhall_sdk.services.localization import Localization
from guildhall_sdk.services.onboarding import Onboarding
from libs.names import hostname_of
from libs.themes import palette

BUILT = Path(__file__).with_name("dist")
# Its frames show what plugins bring, below /frame/, and are kept to this server whatever they open.
_CSP = f"{PAGE_CSP}; frame-src 'self'"
# Where the plugin of brandings is not there.
_PLAIN = Look(title="Guildhall", tagline="", logo=None, palette=palette({}))
_HEADERS = {"Cache-Control": "no-cache", "Vary": "Host"}


async def home(call: Call) -> Reply:
    onboarding = call.host.find_service(Onboarding)
    if onboarding is not None and onboarding.home == "beta":
        return await onboarding.page(call)
    return await page(call)


async def page(call: Call) -> Reply:
    # Without its texts the console has nothing to say; the page then tells the operator why.
    speaks = call.host.find_service(Localization) is not None
    text = read_page(BUILT, (await _look(call)).title) if speaks else SPEECHLESS
    return _text(text, "text/html; charset=utf-8", {"Content-Security-Policy": _CSP})


async def theme(call: Call) -> Reply:
    return _text(stylesheet((await _look(call)).palette), "text/css; charset=utf-8", {})


async def _look(call: Call) -> Look:
    brandings = call.host.find_service(Brandings)
    if brandings is None:
        return _PLAIN
    async with call.read() as reader:
        return await brandings.at(reader, hostname_of(call.headers.get("host", "")))


def _text(text: str, content_type: str, headers: dict[str, str]) -> Reply:
    content = text.encode()
    etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    return Reply(headers={**_HEADERS, **headers}, etag=etag, content=content, content_type=content_type)


HANDLERS = {handler.__name__: handler for handler in (home, page, theme)}
