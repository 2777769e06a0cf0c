"""The documentation at /docs, through the front door, with a small site in the place of the built one."""

import gzip

import pytest

from builtin_plugins.docs_site import handlers

pytestmark = [pytest.mark.any_database]
#: What a browser asks for.
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
HOME = b"<h1>Guildhall</h1>" * 100


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A built site, of which one page and one script have packed twins."""
    folder = tmp_path / "site"
    files = {
        "index.html": HOME,
        "index.html.gz": gzip.compress(HOME),
        "search/index.html": b"<form></form>",
        "plugins/reference/services.models/index.html": b"<h1>Models</h1>",
        "_static/furo.js": b"start();",
    }
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    monkeypatch.setattr(handlers, "SITE", folder)
    return folder


async def test_everybody_reads_it_and_nothing_of_elsewhere_runs_in_it(shared_hall, site):
    answer = await shared_hall.anonymous.get("/docs/", headers={"Accept-Encoding": "identity"})
    assert (answer.status_code, answer.content) == (200, HOME)
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy and "unsafe" not in policy
    assert answer.headers["Cache-Control"] == "no-cache"


async def test_who_takes_it_packed_gets_it_packed_and_who_has_it_gets_nothing_again(shared_hall, site):
    packed = await shared_hall.anonymous.get("/docs/", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip" and packed.content == HOME
    assert packed.headers["Vary"] == "Accept-Encoding"
    known = {"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]}
    again = await shared_hall.anonymous.get("/docs/", headers=known)
    assert (again.status_code, again.content) == (304, b"")


async def test_a_file_whose_address_says_its_content_is_asked_for_once(shared_hall, site):
    lasting = await shared_hall.anonymous.get("/docs/_static/furo.js?v=1a2b")
    assert "immutable" in lasting.headers["Cache-Control"]
    assert (await shared_hall.anonymous.get("/docs/_static/furo.js")).headers["Cache-Control"] == "no-cache"
    assert (await shared_hall.anonymous.get("/docs/search/?v=1")).headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("path", ["", "/search", "/plugins/reference/services.models"])
async def test_a_page_without_its_last_slash_leads_to_it(shared_hall, site, path):
    answer = await shared_hall.anonymous.get(f"/docs{path}")
    assert (answer.status_code, answer.headers["Location"]) == (308, f"/docs{path}/")


@pytest.mark.parametrize(
    "path",
    [
        "nowhere",
        "nowhere/",
        "search/more",
        "/evil.example",
        "%2e%2e/%2e%2e/etc/passwd",
        "..%2fhandlers.py",
        "_static",
        "%00",
        "%ff",
        "a\\b",
        "index.html/",
    ],
)
async def test_what_is_not_there_is_said_on_a_page_that_leads_on(shared_hall, site, path):
    answer = await shared_hall.anonymous.get(f"/docs/{path}", headers=BROWSER)
    assert answer.status_code == 404
    assert 'href="/docs/search/"' in answer.text
    assert answer.headers["Content-Security-Policy"]
    told = await shared_hall.anonymous.get(f"/docs/{path}")
    assert (told.status_code, told.json()["code"]) == (404, "not_found")


async def test_a_server_without_it_says_how_to_build_it(shared_hall, tmp_path, monkeypatch):
    monkeypatch.setattr(handlers, "SITE", tmp_path / "none")
    for path in ("/docs/", "/docs/plugins/hooks/"):
        answer = await shared_hall.anonymous.get(path, headers=BROWSER)
        assert answer.status_code == 404
        assert "<code>make docs</code>" in answer.text and 'href="/api/docs"' in answer.text
