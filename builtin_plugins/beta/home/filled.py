"""Pages as visitors get them, filled once for each language and shared by all who come."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from builtin_plugins.beta.experiences.public import Slice
from builtin_plugins.beta.page.rendering import NAMESPACE, PageContent, render_page
from libs.fair_slots import TEXTS
from libs.mustache import TemplateRefused, compile_template, escape_html

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
            languages=[one.public() for one in view.languages],
            assets=view.assets,
            brand=view.brand,
            sign_in=sign_in,
        )
    )
    return FilledPage(page.html, _etag(page.html), page.csp)


def _etag(html: bytes) -> str:
    return f'"{hashlib.sha256(html).hexdigest()[:32]}"'
