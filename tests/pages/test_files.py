"""Folders of files that plugins serve: pages, landing pages and bundles."""

import asyncio
import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from quart import Quart

from guildhall_sdk import Auth, Feature, Plugin, hookimpl
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.routes import Adapter, Pages
from guildhall_testing.conformance import cases_for
from guildhall_testing.heartbeat import quietest
from guildhall_testing.selection import shipped_registry

pytestmark = pytest.mark.hall_databases("sqlite")


@pytest.fixture
def site(tmp_path):
    """A built site, and beside it what must never be served."""
    root = tmp_path / "site"
    (root / "assets").mkdir(parents=True)
    (root / "guide").mkdir()
    (root / "index.html").write_text("<h1>Shelf</h1>")
    (root / "guide/index.html").write_text("<h1>Guide</h1>")
    (root / "assets/app-1a2b.js").write_text("export {}")
    (root / "digits.txt").write_text("0123456789")
    (root / ".env").write_text("secret")
    (tmp_path / "outside.txt").write_text("secret")
    (root / "link.txt").symlink_to(tmp_path / "outside.txt")
    (root / "linked").symlink_to(tmp_path)
    os.mkfifo(root / "pipe")
    return root


def shelf(*pages, **hooks):
    @hookimpl
    def declare_routes():
        return pages

    return SimpleNamespace(
        PLUGIN=Plugin("shelf", "Shelf", "1.0", "Books."), declare_routes=declare_routes, **hooks
    )


def public(site, **more):
    return Pages(**{"path": "/shelf", "folder": site, "doc": "The shelf", **more})


async def test_a_folder_is_served_with_its_index_types_and_caching(open_hall, site):
    async with open_hall(shelf(public(site, hashed="assets", max_age=60))) as hall:
        get = hall.anonymous.get
        led = await get("/shelf")
        assert (led.status_code, led.headers["location"]) == (308, "/shelf/")
        page = await get("/shelf/")
        assert (page.status_code, page.text) == (200, "<h1>Shelf</h1>")
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert page.headers["cache-control"] == "public, max-age=60"
        assert "script-src 'self'" in page.headers["content-security-policy"]
        assert page.headers["x-content-type-options"] == "nosniff"
        assert (await get("/shelf/guide/")).text == "<h1>Guide</h1>"
        script = await get("/shelf/assets/app-1a2b.js")
        assert script.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert script.headers["content-type"].startswith("text/javascript")
        assert (await hall.anonymous.post("/shelf/index.html")).status_code == 405


async def test_parts_and_conditions(open_hall, site):
    async with open_hall(shelf(public(site))) as hall:

        async def get(method="GET", **headers):
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return await hall.anonymous.request(method, "/shelf/digits.txt", headers=named)

        whole = await get()
        etag, changed = whole.headers["etag"], whole.headers["last-modified"]
        assert (whole.text, whole.headers["accept-ranges"]) == ("0123456789", "bytes")
        part = await get(Range="bytes=2-4")
        assert (part.status_code, part.text, part.headers["content-range"]) == (206, "234", "bytes 2-4/10")
        assert (await get(Range="bytes=-3")).text == "789"
        assert (await get(Range="BYTES=2-4")).text == "234"
        assert (await get(Range="bytes=8-")).text == "89"
        assert (await get(Range="bytes=8-100")).headers["content-range"] == "bytes 8-9/10"
        assert (await get(Range="bytes=2-4", If_Range=etag)).status_code == 206
        assert (await get(Range="bytes=2-4", If_Range='"other"')).status_code == 200
        for misunderstood in ("bytes=a-b", "bytes=0-1,3-4", "lines=1-2", "bytes=5-2"):
            assert (await get(Range=misunderstood)).status_code == 200
        behind = await get(Range="bytes=10-")
        assert (behind.status_code, behind.headers["content-range"]) == (416, "bytes */10")
        assert behind.json()["code"] == "range_not_satisfiable"
        for held in ({"If_None_Match": etag}, {"If_Modified_Since": changed}):
            same = await get(**held)
            assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", etag)
            assert (await get(**held, Range="bytes=2-4")).status_code == 304
        assert (await get(If_None_Match='"other"', Range="bytes=2-4")).text == "234"
        assert (await get(If_Match='"other"')).status_code == 412
        hostile = (
            "Thu, 01 Jan 999999999999 00:00:00 GMT",
            "\xe9",
            ",",
            "*",
            "W/",
            "bytes=9" + "9" * 80 + "-",
        )
        for value in hostile:
            for name in ("Range", "If_Range", "If_None_Match", "If_Match", "If_Modified_Since"):
                for more in ({}, {"Range": "bytes=2-4"}):
                    assert (await get(**{**more, name: value.encode("latin-1")})).status_code < 500
        assert (await get(Range="bytes=10-", If_Range='"other"')).status_code == 200
        assert (await get(Range="bytes=2-4", If_Range=changed)).status_code == 206
        os.utime(site / "guide/index.html", (2**41, 2**41))
        assert (await hall.anonymous.get("/shelf/guide/")).status_code == 200
        head = await get("HEAD")
        assert (head.content, head.headers["content-length"]) == (b"", "10")
        (site / "digits.txt").write_text("9876543210")
        assert (await get(If_None_Match=etag)).text == "9876543210"


HOSTILE = (
    "link.txt",
    "linked/outside.txt",
    "pipe",
    ".env",
    "guide",
    "assets/",
    "../outside.txt",
    "%2e%2e/outside.txt",
    "..%2foutside.txt",
    "guide/..%2f..%2foutside.txt",
    "guide%5c..%5cindex.html",
    "index.html%00.txt",
    "%ff.html",
    "//index.html",
    "./index.html",
    "%2Fetc%2Fpasswd",
    "a" * 300,
    "a/" * 2000,
)


async def test_nothing_outside_hidden_or_special_is_served(open_hall, site):
    async with open_hall(shelf(public(site), public(site, path="/spa", fallback="index.html"))) as hall:
        for base in ("/shelf", "/spa"):
            for path in HOSTILE:
                sent = f"GET {base}/{path} HTTP/1.1\r\nHost: hall\r\nConnection: close\r\n\r\n"
                answer = await hall.raw(sent.encode())
                assert b"secret" not in answer
                if base == "/shelf":
                    assert answer.startswith(b"HTTP/1.1 404 "), path
                    assert b"application/problem+json" in answer
        assert (await hall.anonymous.get("/spa/books/17")).text == "<h1>Shelf</h1>"
        assert (await hall.anonymous.get("/spa/books/missing.js")).status_code == 404


async def test_pages_at_the_root_leave_the_api_alone(open_hall, site):
    root = public(site, path="/", fallback="index.html")
    # The root has one owner: pages of the console stand there already.
    async with open_hall(shelf(root), SERVICE_PLUGINS_BLOCKED="console") as hall:
        for path in ("/", "/index.html", "/login", "/notes/17"):
            assert (await hall.anonymous.get(path)).text == "<h1>Shelf</h1>"
        for path in ("/api/nothing", "/api", "/api/notes/17/x", "/.env"):
            assert (await hall.anonymous.get(path)).headers["content-type"] == "application/problem+json"
        assert (await hall.anonymous.post("/api/nothing", {})).status_code == 404
        assert (await hall.acme.member.get("/api/whoami")).status_code == 200
        assert (await hall.anonymous.get("/health")).json()["ok"]


async def test_the_gates_of_a_row_stand_before_a_folder(open_hall, site):
    @hookimpl
    def declare_features():
        return [Feature("shelves", "Shelves")]

    inside = public(site, auth=Auth.BEARER, permission="notes:write", feature="shelves")
    async with open_hall(shelf(inside, declare_features=declare_features)) as hall:
        path = "/shelf/index.html"
        assert (await hall.anonymous.get(path)).status_code == 401
        assert (await hall.acme.viewer.get(path)).json()["permission"] == "notes:write"
        page = await hall.acme.member.get(path)
        assert (page.status_code, page.headers["cache-control"]) == (200, "private, no-store")
        await hall.set_feature(hall.acme, "shelves", False)
        assert (await hall.acme.member.get(path)).json()["feature"] == "shelves"
        described = (await hall.anonymous.get("/api/openapi.json")).json()["paths"]
        assert described["/shelf/{path}"]["get"]["x-permission"] == "notes:write"


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"path": "shelf"}, "the path must start with / and have no empty segment"),
        ({"path": "/shelf/"}, "the path must start with / and have no empty segment"),
        ({"path": "/shelf/:id"}, "takes no parameters"),
        ({"folder": Path("/nowhere/at-all")}, "there is no folder at-all"),
        ({"fallback": "404.html"}, "the fallback 404.html is not there"),
        ({"csp": "default-src 'none'\r\nX: y"}, "csp is one line"),
        ({"permission": "notes:read"}, "the class P knows no caller"),
        ({"path": "/api/whoami"}, "can never be reached"),
    ],
)
def test_pages_that_cannot_be_served_keep_their_plugin_out(site, wrong, reason):
    registry = shipped_registry(shelf(public(site, **wrong)))
    assert [(one.id, reason in one.reason) for one in registry.refused] == [("shelf", True)]


async def test_a_large_file_holds_nobody_up_and_needs_no_memory(open_hall, site):
    with (site / "large.bin").open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    async with open_hall(shelf(public(site))) as hall:
        host, _, port = hall.base_url.removeprefix("http://").partition(":")

        async def loaded():
            reader, writer = await asyncio.open_connection(host, int(port), limit=64 * 1024)
            writer.write(b"GET /shelf/large.bin HTTP/1.1\r\nHost: hall\r\nConnection: close\r\n\r\n")
            taken = 0
            while chunk := await reader.read(1024 * 1024):
                taken += len(chunk)
            writer.close()
            return taken

        taken, held_ms = await quietest(loaded, 200)
        assert taken > 200 * 1024 * 1024
        assert held_ms < 200


async def test_who_hangs_up_leaves_no_file_open(open_hall, site, tmp_path):
    (site / "large.bin").write_bytes(bytes(5_000_000))

    def open_here():
        links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
        return [str(link.readlink()) for link in links].count(str(site / "large.bin"))

    async with open_hall(shelf(public(site))) as hall:
        host, _, port = hall.base_url.removeprefix("http://").partition(":")
        for method, more in (
            ("GET", ""),
            ("HEAD", ""),
            ("GET", "If-None-Match: *"),
            ("GET", "Range: bytes=9-"),
        ):
            for read in (0, 1000):
                reader, writer = await asyncio.open_connection(host, int(port), limit=1024)
                writer.write(f"{method} /shelf/large.bin HTTP/1.1\r\nHost: hall\r\n{more}\r\n\r\n".encode())
                await writer.drain()
                if read:
                    await reader.read(read)
                writer.transport.abort()
        async with asyncio.timeout(60):
            while open_here():  # noqa: ASYNC110 - nothing tells when the server has noticed
                await asyncio.sleep(0.01)


@pytest.fixture
def bundled(tmp_path):
    """A directory plugin with both folders, and one without."""
    for plugin_id in ("bundled", "bare"):
        home = tmp_path / "plugins" / plugin_id
        home.mkdir(parents=True)
        manifest = {
            "id": plugin_id,
            "name": plugin_id,
            "version": "1",
            "description": "-",
            "entry": "plugin.py",
        }
        (home / "plugin.json").write_text(json.dumps(manifest))
        (home / "plugin.py").write_text("PASSWORD = 'secret'")
    home = tmp_path / "plugins/bundled"
    for name in ("landing", "bundle"):
        (home / name).mkdir()
        (home / name / "guide").mkdir()
        (home / name / "index.html").write_text(f"<h1>{name}</h1>")
        (home / name / ".env").write_text("secret")
        (home / name / "link.txt").symlink_to(home / "plugin.py")
        (home / name / "linked").symlink_to(home)
        (home / name / "again.html").symlink_to("index.html")
        os.mkfifo(home / name / "pipe")
    (tmp_path / "plugins/bare/landing").symlink_to(home / "landing")
    (tmp_path / "plugins/bare/bundle").symlink_to(home)
    return home


async def test_landing_and_bundle_are_served_because_they_exist(open_hall, bundled):
    async with open_hall(SERVICE_PLUGINS=str(bundled.parent)) as hall:
        for path in ("/beta/bundle/bundled/index.html", "/beta/bundle/bundled/"):
            landing = await hall.anonymous.get(path)
            assert landing.text == "<h1>landing</h1>"
            assert landing.headers["cache-control"] == "public, max-age=300"
            # A page in a sandbox loads it too, and no other page reads it.
            assert landing.headers["cross-origin-resource-policy"] == "cross-origin"
            assert "access-control-allow-origin" not in landing.headers
        inside = "/api/x/bundled/bundle/index.html"
        assert (await hall.anonymous.get(inside)).status_code == 401
        bundle = await hall.acme.viewer.get(inside)
        assert bundle.text == "<h1>bundle</h1>"
        assert bundle.headers["cache-control"] == "private, no-store"
        assert bundle.headers["vary"] == "Authorization"
        assert bundle.headers["cross-origin-resource-policy"] == "same-origin"
        for plugin_id in ("bare", "nobody", "..", "notes"):
            assert (await hall.acme.viewer.get(f"/api/x/{plugin_id}/bundle/index.html")).status_code == 404


BUNDLE_TRICKS = (
    *HOSTILE,
    *("linked/plugin.py", "linked/plugin.json", "again.html", "linked/landing/index.html", "guide/"),
    *(
        "../plugin.py",
        "%2e%2e/plugin.py",
        "..%2fplugin.py",
        "guide/%2e%2e/%2e%2e/plugin.py",
        "..%5cplugin.py",
    ),
    *("..", "../", "%2e%2e", "../../bundled/plugin.py", "..%252fplugin.py", "%c0%ae%c0%ae/plugin.py"),
    *("index.html/", "index.html/..", "index.html%20", "INDEX.HTML", "/plugin.py", "%2e/index.html"),
)
PLUGIN_TRICKS = ("bare", "nobody", "..", "%2e%2e", "bundled%2f..%2fbare", "bundled%00", "BUNDLED", ".")


async def test_no_trick_leads_out_of_a_bundle(open_hall, bundled):
    async with open_hall(SERVICE_PLUGINS=str(bundled.parent)) as hall:
        head = (
            f"HTTP/1.1\r\nHost: hall\r\nAuthorization: Bearer {hall.acme.viewer.token}\r\nConnection: close"
        )
        for prefix, rest in (("/beta/bundle/", "/"), ("/api/x/", "/bundle/")):
            targets = [f"bundled{rest}{path}" for path in BUNDLE_TRICKS]
            targets += [f"{plugin_id}{rest}index.html" for plugin_id in PLUGIN_TRICKS]
            for target in targets:
                answer = await hall.raw(f"GET {prefix}{target} {head}\r\n\r\n".encode())
                assert b"secret" not in answer and b"<h1>" not in answer, target
                assert answer.startswith(b"HTTP/1.1 404 "), target


async def test_where_a_plugins_own_files_are(open_hall, bundled):
    async with open_hall(shelf(), SERVICE_PLUGINS=str(bundled.parent)) as hall:
        folder = hall.server.service(Plugins).folder
        assert folder("bundled") == bundled
        assert (folder("notes") / "queries.sql").is_file()
        assert folder("shelf") is None
        assert folder("nobody") is None


async def test_what_no_row_takes_goes_to_a_mounted_quart(open_hall):
    def site(host):
        app = Quart("shop")

        @app.get("/shop/<name>")
        async def shop(name):
            return f"{name} of {host.settings.base_url}"

        return app

    @hookimpl
    def declare_adapters():
        return [Adapter(name="shelf_shop", prefix="/", title="Shop", app=site)]

    async with open_hall(shelf(declare_adapters=declare_adapters)) as hall:
        assert (await hall.anonymous.get("/shop/books")).text == f"books of {hall.base_url}"
        assert (await hall.anonymous.get("/nothing")).status_code == 404
        # What it does not find is left to the console, where a browser opens a page.
        opened = await hall.anonymous.get("/notes", headers={"Accept": "text/html"})
        assert (opened.status_code, opened.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert (await hall.anonymous.get("/health")).json()["ok"]
        unknown = await hall.anonymous.get("/api/nothing")
        assert (unknown.status_code, unknown.json()["code"]) == (404, "not_found")
        assert (await hall.anonymous.post("/health")).status_code == 405


async def test_the_generated_tests_hold_for_pages_and_preflights(open_hall, site):
    inside = public(site, path="/inside", auth=Auth.BEARER, permission="notes:read")
    async with open_hall(shelf(public(site, cors=True), inside)) as hall:
        await hall.give_hostnames()
        cases = cases_for(hall.registry, {"shelf"})
        for case in cases:
            await case.run(hall)
        assert {case.kind for case in cases} >= {"without a credential", "while suspended", "other methods"}
