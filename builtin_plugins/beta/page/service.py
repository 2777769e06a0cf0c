"""The SDK's `Onboarding`: pages as visitors get them, filled once for each language, and previews."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Literal, cast

from builtin_plugins.beta.experiences.current import Experiences, Funnel
from builtin_plugins.beta.experiences.public import Slice, slice_for, slice_of
from builtin_plugins.beta.experiences.publishing import draft_of
from builtin_plugins.beta.page.rendering import NAMESPACE, PageContent, render_page
from guildhall_sdk import Call, Host, Reply, Setting, rfc3339
from guildhall_sdk.services.identity import Tickets
from guildhall_sdk.settings import one_of
from libs.fair_slots import TEXTS
from libs.mustache import TemplateRefused, compile_template, escape_html

HOME: Setting[str] = Setting(
    name="home",
    help="what the root serves: console or beta",
    default="console",
    parse=one_of("console", "beta"),
    variable="SERVICE_HOME",
)
SETTINGS: Sequence[Setting[Any]] = (HOME,)


PATH = "/beta/preview/"
PERMISSION = "settings:manage"
_PURPOSE = "beta.preview"


def issue(call: Call) -> dict[str, str]:
    """Returns the address of the caller's team's draft, and when it ends."""
    ticket = call.service(Tickets).issue(call, _PURPOSE)
    return {"url": PATH + ticket.text, "expires_at": rfc3339(ticket.expires_at)}


async def team_of(call: Call, text: str) -> str | None:
    """Returns the team whose draft a ticket shows, or None for one that is good for nothing."""
    holder = await call.service(Tickets).holder(call, _PURPOSE, text)
    return holder.team_id if holder is not None and holder.may(PERMISSION) else None


_MAX_REMEMBERED_BYTES = 16 * 1024 * 1024
_NOBODY = "beta"
_Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class FilledPage:
    """A page, and the policy that goes with it; a template has none of its own."""

    html: bytes = field(repr=False)
    etag: str
    csp: str | None = None


class FilledPages:
    """Fills pages on a thread, in the turn of their company, and remembers them within bounds."""

    def __init__(self, sign_in: str | None) -> None:
        self._sign_in = sign_in
        # With the texts of the page itself: as long as they are remembered, no others have their identity.
        self._remembered: OrderedDict[_Key, tuple[FilledPage, Mapping[str, str]]] = OrderedDict()
        self._bytes = 0

    async def template(self, view: Slice) -> FilledPage | None:
        """Returns the team's own page; None without a template, or where the texts make it too long."""
        if view.funnel.document.template is None:
            return None
        try:
            return await self._page("template", view, _fill_template)
        except TemplateRefused:
            return None

    async def default(self, view: Slice) -> FilledPage:
        return await self._page("default", view, partial(_fill_default, sign_in=self._sign_in))

    async def _page(self, which: str, view: Slice, fill: Callable[[Slice], FilledPage]) -> FilledPage:
        key = _key_of(which, view)
        known = self._remembered.get(key)
        if known is not None:
            self._remembered.move_to_end(key)
            return known[0]
        page = await TEXTS.run(view.funnel.org_id or _NOBODY, fill, view)
        self._remember(key, page, view.texts)
        return page

    def _remember(self, key: _Key, page: FilledPage, texts: Mapping[str, str]) -> None:
        if key in self._remembered:
            return
        self._remembered[key] = (page, texts)
        self._bytes += len(page.html)
        while self._bytes > _MAX_REMEMBERED_BYTES and len(self._remembered) > 1:
            _, (oldest, _) = self._remembered.popitem(last=False)
            self._bytes -= len(oldest.html)


def _key_of(which: str, view: Slice) -> _Key:
    """Returns all that a page follows from; the copy follows from the document and the languages."""
    assets, theme = tuple(sorted(view.assets.items())), tuple(view.theme.items())
    chain = (view.language.code, *view.chain)
    return which, view.funnel.document.digest, chain, assets, theme, view.brand, id(view.texts)


def slots_of(view: Slice) -> dict[str, str]:
    """Returns what a template may name: the copy's keys, the language, and where the assets are."""
    own = {"locale": view.language.code, "dir": view.language.dir}
    return {**dict.fromkeys(("logo", "hero", "font"), ""), **view.assets, **own, **view.copy}


def _fill_template(view: Slice) -> FilledPage:
    template = view.funnel.document.template or ""
    html = compile_template(template, escape=escape_html, raw=False).render(slots_of(view)).encode()
    return FilledPage(html, _etag(html))


def _fill_default(view: Slice, *, sign_in: str | None) -> FilledPage:
    page = render_page(
        PageContent(
            locale=view.language.code,
            direction=view.language.dir,
            copy=view.copy,
            fields=view.fields(),
            theme=view.theme,
            messages={f"{NAMESPACE}.{key}": text for key, text in view.texts.items()},
            languages=[asdict(one) for one in view.languages],
            assets=view.assets,
            brand=view.brand,
            sign_in=sign_in,
        )
    )
    return FilledPage(page.html, _etag(page.html), page.csp)


def _etag(html: bytes) -> str:
    return f'"{hashlib.sha256(html).hexdigest()[:32]}"'


# A template is HTML of a team, scripts and all. In this sandbox its origin is nobody's: it reads nothing of
# this site, and calls only what every other site may call. So any page may frame it.
SANDBOX_CSP = (
    "sandbox allow-scripts allow-forms; default-src 'none'; script-src 'self' 'unsafe-inline'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; "
    "worker-src blob:; form-action 'none'; base-uri 'none'; frame-ancestors *"
)
# In the console's own frame; whoever fills in the form there is no visitor.
PREVIEW_CSP = SANDBOX_CSP.replace("connect-src 'self'", "connect-src 'none'").replace(
    "frame-ancestors *", "frame-ancestors 'self'"
)
_HEADERS = {"Cache-Control": "no-cache", "Vary": "Host, Accept-Language"}


class FunnelPages:
    """Implements the SDK's `Onboarding`."""

    def __init__(self, host: Host) -> None:
        self._host = host
        # Where the page stands at the root, the console begins beside it.
        self._pages = FilledPages(sign_in="/home" if self.home == "beta" else None)

    @property
    def home(self) -> Literal["console", "beta"]:
        return cast(Literal["console", "beta"], self._host.setting(HOME))

    async def page(self, call: Call) -> Reply:
        view = await slice_for(call)
        page = await self._pages.template(view) or await self._pages.default(view)
        return _reply(page, page.csp or SANDBOX_CSP)

    async def sandboxed(self, call: Call) -> Reply:
        """Returns the team's template, else the default page, in the sandbox that any page may frame."""
        view = await slice_for(call)
        return _reply(await self._pages.template(view) or await self._pages.default(view), SANDBOX_CSP)

    async def preview(self, call: Call, team_id: str) -> Reply:
        """Returns the page that a team's saved draft makes, or that it begins with."""
        seed = call.service(Experiences).seed()
        async with call.read() as reader:
            draft = await draft_of(reader, team_id, seed)
        view = await slice_of(call, Funnel(document=draft.document, team_id=team_id))
        page = await self._pages.template(view) or await self._pages.default(view)
        return Reply(
            headers={"Cache-Control": "private, no-store", "Content-Security-Policy": PREVIEW_CSP},
            content=page.html,
            content_type="text/html; charset=utf-8",
        )


def _reply(page: FilledPage, csp: str) -> Reply:
    return Reply(
        headers={**_HEADERS, "Content-Security-Policy": csp},
        etag=page.etag,
        content=page.html,
        content_type="text/html; charset=utf-8",
    )
