"""What the server answers where people come in: the page under all its addresses, its files, its colours."""

import gzip
import json
import re

import pytest

from builtin_plugins.console import shell
from builtin_plugins.console.shell import read_page

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

ADDRESSES = (
    *("/", "/index.html", "/home", "/login", "/activate", "/oauth/authorize"),
    *("/notes", "/notes/note_1", "/notes/%E0%A4%A", "/instance/companies/acme"),
)


@pytest.mark.parametrize("path", ADDRESSES)
async def test_every_address_of_a_screen_is_the_page_which_is_never_kept(hall, path):
    asked = {"Accept": "text/html,application/xhtml+xml"}
    answer = await hall.anonymous.get(path, headers=asked)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["cache-control"] == "no-cache"
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    again = await hall.anonymous.get(path, headers={**asked, "If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304


async def test_where_apps_send_people_is_a_row_and_a_page_whatever_asks(hall):
    answer = await hall.anonymous.get("/oauth/authorize?client_id=app", headers={"Accept": "*/*"})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    described = (await hall.anonymous.get("/api/openapi.json")).json()
    assert "get" in described["paths"]["/oauth/authorize"]


async def test_the_title_of_a_company_stands_in_the_page_before_anything_is_drawn(hall):
    hostname = await hall.give_hostname(hall.acme)
    await hall.acme.org_owner.put(
        "/api/org/branding", {"title": "Acme <Works>", "theme": {"accent": "#7a1f5c"}}
    )
    page = (await hall.anonymous.get("/", headers={"Host": hostname})).text
    assert "<title>Acme &lt;Works&gt;</title>" in page
    colours = await hall.anonymous.get("/theme.css", headers={"Host": hostname})
    assert "--light-accent: #7a1f5c" in colours.text
    assert "<title>Guildhall</title>" in (await hall.anonymous.get("/")).text


async def test_files_with_their_digest_in_the_name_are_kept_for_a_year(hall):
    page = (await hall.anonymous.get("/")).text
    scripts = re.findall(r'(?:src|href)="(/assets/[^"]+)"', page)
    assert scripts
    for path in scripts:
        answer = await hall.anonymous.get(path)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    gone = await hall.anonymous.get("/assets/index-of-yesterday.js")
    assert gone.status_code == 404  # and not the page, which no script is


async def test_scripts_and_styles_go_packed_to_who_takes_them_so(hall):
    page = (await hall.anonymous.get("/", headers={"Accept": "text/html"})).text
    for path in re.findall(r'(?:src|href)="(/assets/[^"]+)"', page):
        plain = await hall.anonymous.get(path, headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        packed = await hall.anonymous.get(path, headers={"Accept-Encoding": "gzip, br"})
        assert packed.headers["content-encoding"] == "gzip"
        assert packed.headers["content-type"] == plain.headers["content-type"]
        assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
        assert packed.content == plain.content
        # A piece of a few lines has little to pack.
        is_small = len(plain.content) < 2_000
        assert int(packed.headers["content-length"]) < len(plain.content) / (1 if is_small else 2)
        part = await hall.anonymous.get(path, headers={"Accept-Encoding": "gzip", "Range": "bytes=0-9"})
        assert (part.status_code, part.content) == (206, plain.content[:10])


async def test_without_a_build_the_page_says_how_to_make_one(tmp_path):
    assert "make console" in read_page(tmp_path, "Acme")
    assert "<title>Acme</title>" in read_page(tmp_path, "Acme")


def loaded_with(manifest, key):
    """Returns the files that a browser fetches for a part of the console, with all that it imports."""
    names, waiting = set(), [manifest[key]]
    while waiting:
        chunk = waiting.pop()
        if chunk["file"] in names:
            continue
        names |= {chunk["file"], *chunk.get("css", ())}
        waiting += [manifest[name] for name in chunk.get("imports", ())]
    return names


def test_what_is_loaded_before_the_first_screen_stays_small_and_a_screen_is_a_few_files():
    manifest = json.loads((shell.BUILT / ".vite/manifest.json").read_text("utf-8"))
    (entry,) = (key for key, chunk in manifest.items() if chunk.get("isEntry"))
    names = loaded_with(manifest, entry)
    size = sum(len(gzip.compress((shell.BUILT / name).read_bytes(), 9)) for name in names)
    assert size <= 150_000, f"{size} bytes in {len(names)} files: load something later"
    screens = [key for key in manifest if re.fullmatch(r"(\.\./)*builtin_plugins/\w+/console/.*", key)]
    assert len(screens) > 20
    many = {key: len(found) for key in screens if len(found := names | loaded_with(manifest, key)) > 16}
    assert many == {}, "a browser asks for each of them: see the groups in vite.config.ts"


async def test_what_is_installed_has_the_name_and_the_colours_of_its_hostname(hall):
    manifest = await hall.anonymous.get("/manifest.webmanifest")
    assert manifest.headers["content-type"] == "application/manifest+json"
    described = manifest.json()
    assert (described["name"], described["display"], described["start_url"]) == (
        "Guildhall",
        "standalone",
        "/home",
    )
    assert described["theme_color"].startswith("#")
