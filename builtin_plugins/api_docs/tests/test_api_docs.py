"""The description and the page that shows it, through the front door."""

import re
from urllib.parse import urljoin

import pytest

pytestmark = pytest.mark.any_database

FILES = {"/api/docs": "text/html", "/api/docs/app.js": "text/javascript", "/api/docs/app.css": "text/css"}


async def test_the_description_covers_every_row(shared_hall):
    answer = await shared_hall.anonymous.get("/api/openapi.json")
    assert answer.status_code == 200
    api = answer.json()
    assert api["openapi"].startswith("3.1")
    rows = {
        (re.sub(r"[:*](\w+)", r"{\1}", bound.row.path), bound.row.method.lower())
        for bound in shared_hall.registry.routes()
    }
    assert {(path, method) for path, methods in api["paths"].items() for method in methods} == rows


async def test_the_description_is_written_once_and_who_has_it_gets_nothing_again(shared_hall, monkeypatch):
    answer = await shared_hall.anonymous.get("/api/openapi.json")
    assert answer.headers["Cache-Control"] == "no-cache"

    def written_again(*_):
        raise AssertionError("the description was written again")

    monkeypatch.setattr("kernel.http.rows.encode_short", written_again)
    monkeypatch.setattr("kernel.http.rows.encode_text", written_again)
    monkeypatch.setattr("builtin_plugins.api_docs.handlers.encode_steps", written_again)
    again = await shared_hall.anonymous.get("/api/openapi.json")
    assert (again.content, again.headers["ETag"]) == (answer.content, answer.headers["ETag"])
    known = {"If-None-Match": answer.headers["ETag"]}
    unchanged = await shared_hall.anonymous.get("/api/openapi.json", headers=known)
    assert (unchanged.status_code, unchanged.content) == (304, b"")


async def test_one_address_asks_for_the_description_so_often_and_no_more(open_hall):
    async with open_hall(SERVICE_RATE_LIMIT="6000", SERVICE_TRUSTED_PROXIES="127.0.0.1") as hall:

        async def ask(address, **headers):
            headers["X-Forwarded-For"] = address
            return await hall.anonymous.get("/api/openapi.json", headers=headers)

        first = await ask("192.0.2.1")
        known = {"If-None-Match": first.headers["ETag"]}
        statuses = [(await ask("192.0.2.1", **known)).status_code for _ in range(69)]
        assert (first.status_code, statuses[:59]) == (200, [304] * 59)
        refused = await ask("192.0.2.1")
        assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
        assert int(refused.headers["Retry-After"]) >= 1
        assert (await ask("192.0.2.2")).status_code == 200


@pytest.mark.parametrize(("path", "kind"), FILES.items())
async def test_the_page_and_its_files_are_served_as_what_they_are(shared_hall, path, kind):
    answer = await shared_hall.anonymous.get(path)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == f"{kind}; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    again = await shared_hall.anonymous.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    for name in ("Content-Security-Policy", "Cache-Control"):
        assert again.headers[name] == answer.headers[name]


async def test_the_page_allows_itself_nothing_but_its_own_files(shared_hall):
    answer = await shared_hall.anonymous.get("/api/docs")
    assert answer.headers["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    for path in ("/api/docs/app.js", "/api/docs/app.css"):
        policy = (await shared_hall.anonymous.get(path)).headers["Content-Security-Policy"]
        assert policy == "default-src 'none'; frame-ancestors 'none'"


async def test_nothing_in_the_page_is_inline_or_from_elsewhere(shared_hall):
    html = (await shared_hall.anonymous.get("/api/docs")).text
    script = (await shared_hall.anonymous.get("/api/docs/app.js")).text
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=|javascript:", html) == []
    assert re.findall(r"https?://|//[a-z]+\.", html + script) == []
    assert (
        re.findall(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function", script) == []
    )
    for reference in re.findall(r'(?:src|href)="([^"#][^"]*)"', html):
        if not reference.startswith("data:"):
            address = urljoin("/api/docs", reference)
            assert (await shared_hall.anonymous.get(address)).status_code == 200, reference


async def test_every_element_that_the_script_looks_for_is_in_the_page(shared_hall):
    html = (await shared_hall.anonymous.get("/api/docs")).text
    script = (await shared_hall.anonymous.get("/api/docs/app.js")).text
    wanted = set(re.findall(r'getElementById\("([\w-]+)"\)', script))
    assert wanted
    assert wanted <= set(re.findall(r'id="([\w-]+)"', html))
