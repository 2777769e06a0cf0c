"""The site of the documentation as `make docs` builds it: whole, served at /docs, and good to read."""

import re
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

from builtin_plugins.docs_site.handlers import SITE
from tests.console.visitor import PHONE, serious_violations_in_both_modes

pytestmark = [
    pytest.mark.any_database,
    pytest.mark.skipif(not (SITE / "index.html").exists(), reason="`make docs` has not built the site"),
]
DOCS = Path(__file__).resolve().parent.parent / "docs"
_FILE = "searchindex.js"
_TITLE = re.compile(r"<h1>(.*?)</h1>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


class _Page(HTMLParser):
    """The links of one page, and the places in it that a link can lead to."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids = [], {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value is not None:
                self.links.append(value)
            if name in ("id", "name") and value:
                self.ids.add(value)


@cache
def read(path):
    return _Page(path.read_text("utf-8"))


def leads_to(page, link):
    """Returns the file below the site that a relative link of a page leads to, and the place in it."""
    address, place = urldefrag(link)
    path = unquote(urlsplit(address).path)
    if path.startswith("/"):
        target = SITE / path.removeprefix("/docs").lstrip("/")
    else:
        target = (page.parent / path).resolve() if path else page
    return (target / "index.html" if target.is_dir() else target), unquote(place)


def pages():
    return sorted(SITE.rglob("*.html"))


def test_every_link_of_every_page_leads_to_a_page_and_a_place_that_are_there():
    faults, looked_at = [], 0
    for page in pages():
        for link in read(page).links:
            if urlsplit(link).scheme or link.startswith("//"):
                continue
            looked_at += 1
            target, place = leads_to(page, link)
            where = page.relative_to(SITE)
            if not target.is_file():
                if not link.startswith(("/api/", "/home")):  # of the server, beside the site
                    faults.append(f"{where}: {link} leads nowhere")
            elif target.suffix == ".html" and place not in read(target).ids:
                faults.append(f"{where}: {link} leads to no place of its page")
    assert looked_at > 10_000
    assert sorted(set(faults)) == []


def test_every_page_of_the_sources_is_a_page_of_the_site():
    built = set()
    for page in pages():
        if heading := _TITLE.search(page.read_text("utf-8")):
            built.add(_plain(unescape(_TAG.sub("", heading[1])).removesuffix("#")))
    titles = {
        _plain(source.read_text("utf-8").split("# ", 1)[1].splitlines()[0]) for source in DOCS.rglob("*.md")
    }
    assert sorted(titles - built) == []


def _plain(title):
    """Returns a title without what code and quotation marks become on the way."""
    return re.sub(r"[^a-z0-9 ]", "", title.lower()).strip()


def test_nothing_of_it_comes_from_elsewhere():
    loads = re.compile(r"""<(?:script|img|source|iframe|link)[^>]*?\s(?:src|href)=["'](?:https?:)?//[^"']+""")
    assert [str(page) for page in pages() if loads.search(page.read_text("utf-8"))] == []


async def test_it_is_served_page_by_page_and_for_everybody(shared_hall):
    for address in ("", "search/", "plugins/recipes/", "plugins/hooks/", "operating/", _FILE):
        answer = await shared_hall.anonymous.get(f"/docs/{address}")
        assert answer.status_code == 200, address
        file = SITE / address if address == _FILE else SITE / address / "index.html"
        assert answer.content == file.read_bytes()


@pytest.fixture
def reader(shared_hall, open_page):
    """`page = await reader("search/")`: somebody who is not signed in, at a page of the site."""

    async def open_at(address, **options):
        page = await open_page(**options)
        await page.goto(f"{shared_hall.base_url}/docs/{address}")
        return page

    return open_at


async def test_a_search_finds_the_page_and_leads_there(reader):
    page = await reader("")
    search = page.get_by_role("search").or_(page.locator("form[action*='search']")).first
    await search.get_by_role("textbox").or_(search.get_by_role("searchbox")).first.fill("rollback")
    await page.keyboard.press("Enter")
    found = page.locator("ul.search li a").filter(has_text="Installing plugins").first
    await found.click()
    await page.get_by_role("heading", name="Installing plugins", level=1).wait_for()


@pytest.mark.long_form
async def test_it_is_read_in_light_and_in_the_dark(reader):
    for address in ("", "plugins/recipes/", "plugins/reference/gallery/"):
        page = await reader(address)
        assert await serious_violations_in_both_modes(page) == [], address


async def test_it_is_read_on_a_phone(reader):
    for address in ("", "operating/", "plugins/recipes/"):
        page = await reader(address, viewport=PHONE)
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert await page.evaluate(wide) <= 0, address
    menu = page.locator("label.nav-overlay-icon, .mobile-header .nav-overlay-icon").first
    await menu.click()
    await page.get_by_role("link", name="Hooks", exact=True).first.wait_for()
