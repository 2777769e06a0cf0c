"""The page and its files, before any browser reads them."""

import base64
import hashlib
import re

import pytest

from builtin_plugins.beta.page.rendering import FOLDER, PageContent, render_page
from libs.themes import palette

FILES = ("/beta-sdk.js", "/beta/page.js", "/beta/page.css", "/beta/page-without-script.css")


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize("path", FILES)
async def test_a_file_of_the_page_is_asked_for_again_cheaply_and_from_any_origin(shared_hall, path):
    first = await shared_hall.anonymous.get(path)
    assert first.status_code == 200
    assert first.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "access-control-allow-origin" not in first.headers
    again = await shared_hall.anonymous.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304


def rendered(**changes):
    content = {
        "locale": "en",
        "direction": "ltr",
        "copy": {"title": "Join"},
        "fields": [{"name": "email", "type": "email", "label": "E-mail", "required": True}],
        "theme": palette({}),
        "messages": {},
        "assets": {},
    }
    return render_page(PageContent(**{**content, **changes}))


def test_nothing_of_the_content_is_taken_for_html():
    evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
    page = rendered(
        copy={"title": evil, "subtitle": evil, "point_1": evil, "label_email": evil, "option_size_1": evil},
        fields=[
            {"name": "email", "type": "email", "label": evil, "required": True},
            {"name": "size", "type": "select", "label": evil, "required": False, "options": [evil]},
        ],
        messages={"beta.cancel": evil},
        brand=evil,
    )
    assert b"<script>alert" not in page.html and b"<img src=x" not in page.html


def test_the_policy_lets_the_one_style_of_the_page_through_and_nothing_else_inline():
    page = rendered(theme=palette({"accent": "#123456"}))
    (style,) = re.findall("<style>(.*?)</style>", page.html.decode())
    assert "--accent:#123456" in style
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in page.csp
    assert "unsafe" not in page.csp


@pytest.mark.hall_databases("sqlite")
async def test_every_text_that_the_page_and_its_scripts_say_is_in_the_catalog(shared_hall):
    code = "".join((FOLDER / name).read_text() for name in ("page.js", "beta-sdk.js", "rendering.py"))
    said = set(re.findall(r"""(?:say|text|texts\.get)\("([a-z_.]+)\"""", code)) | {"checking", "sending"}
    catalog = (await shared_hall.anonymous.get("/api/i18n/catalog?locale=is")).json()["messages"]
    assert {f"beta.{key}" for key in said} <= set(catalog)
    assert len(said) > 20
