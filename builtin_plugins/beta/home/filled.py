"""Pages as visitors get them, filled once for each language and shared by all who come."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from builtin_plugins.beta.experiences.public import Slice
from builtin_plugins.beta.page.rendering import NAMESPACE, PageContent, render_page
from guildhall_sdk.fairness import TEXTS
from guildhall_sdk.mustache import TemplateRefused, compile_template, escape_html

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

    def __init__(self) -> None:
        # With the texts of the page itself: as long as they are remembered, no others have their identity.
        self._remembered: OrderedDict[_Key, tuple[FilledPage, Mapping[str, str]]] = OrderedDict()
        self._bytes = 0

    async def template(self, shown: Slice) -> FilledPage | None:
        """Returns the team's own page; None without a template, or where the texts make it too long."""
        if shown.funnel.document.template is None:
            return None
        try:
            return await self._page("template", shown, _fill_template)
        except TemplateRefused:
            return None

    async def default(self, shown: Slice) -> FilledPage:
        return await self._page("default", shown, _fill_default)

    async def _page(self, which: str, shown: Slice, fill: Callable[[Slice], FilledPage]) -> FilledPage:
        key = _key_of(which, shown)
        known = self._remembered.get(key)
        if known is not None:
            self._remembered.move_to_end(key)
            return known[0]
        page = await TEXTS.run(shown.funnel.org_id or _NOBODY, fill, shown)
        self._remember(key, page, shown.texts)
        return page

    def _remember(self, key: _Key, page: FilledPage, texts: Mapping[str, str]) -> None:
        if key in self._remembered:
            return
        self._remembered[key] = (page, texts)
        self._bytes += len(page.html)
        while self._bytes > _MAX_REMEMBERED_BYTES and len(self._remembered) > 1:
            _, (oldest, _) = self._remembered.popitem(last=False)
            self._bytes -= len(oldest.html)


def _key_of(which: str, shown: Slice) -> _Key:
    """Returns all that a page follows from; the copy follows from the document and the languages."""
    assets, theme = tuple(sorted(shown.assets.items())), tuple(shown.theme.items())
    chain = (shown.language.code, *shown.chain)
    return which, shown.funnel.document.digest, chain, assets, theme, shown.brand, id(shown.texts)


def slots_of(shown: Slice) -> dict[str, str]:
    """Returns what a template may name: the copy's keys, the language, and where the assets are."""
    own = {"locale": shown.language.code, "dir": shown.language.dir}
    return {**dict.fromkeys(("logo", "hero", "font"), ""), **shown.assets, **own, **shown.copy}


def _fill_template(shown: Slice) -> FilledPage:
    template = shown.funnel.document.template or ""
    html = compile_template(template, escape=escape_html, raw=False).render(slots_of(shown)).encode()
    return FilledPage(html, _etag(html))


def _fill_default(shown: Slice) -> FilledPage:
    page = render_page(
        PageContent(
            locale=shown.language.code,
            direction=shown.language.dir,
            copy=shown.copy,
            fields=shown.fields(),
            theme=shown.theme,
            messages={f"{NAMESPACE}.{key}": text for key, text in shown.texts.items()},
            languages=[one.public() for one in shown.languages],
            assets=shown.assets,
            brand=shown.brand,
        )
    )
    return FilledPage(page.html, _etag(page.html), page.csp)


def _etag(html: bytes) -> str:
    return f'"{hashlib.sha256(html).hexdigest()[:32]}"'
