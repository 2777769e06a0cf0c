"""Pictures and fonts of an experience: judged by content, inert, public by id."""

import base64
import json
import struct
import zlib

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

ASSETS = "/api/beta/assets"
SVG, PNG = "image/svg+xml", "image/png"
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGMAAQAABQABDQottAAAAABJRU5ErkJggg=="
)
TABLE = b"\x00\x01\x00\x00" + b"a table of a font " * 8


def svg(inside=""):
    return f'<svg xmlns="http://www.w3.org/2000/svg">{inside}</svg>'.encode()


def woff(table=TABLE, *, packed=None, behind=b"", meta=0, length=None):
    packed = zlib.compress(table) if packed is None else packed
    padding = b"\0" * (-len(packed) % 4)
    total = 44 + 20 + len(packed) + len(padding) + len(behind)
    sides = (44 + 20, len(packed), len(table), 0)
    counts = (length or total, 1, 0, 28 + len(table), 1, 0, meta, 0, 0, 0, 0)
    head = struct.pack(">4s4sIHHIHHIIIII", b"wOFF", b"\0\1\0\0", *counts)
    return head + struct.pack(">4sIIII", b"head", *sides) + packed + padding + behind


def woff2(*, compressed=b"brotli" * 5, behind=b"", length=None, tables=1, private=0):
    directory = b"\x01\x40" * tables
    body = directory + compressed
    body += b"\0" * (-(48 + len(body)) % 4) + behind
    head = struct.pack(
        ">4s4sIHHIIHHIIIII", b"wOF2", b"OTTO", length or 48 + len(body), tables, 0, 92, len(compressed),
        1, 0, 0, 0, 0, private, 0,
    )  # fmt: skip
    return head + body


def upload(content, content_type=SVG, kind="logo", **more):
    return {"kind": kind, "content_type": content_type, "data": base64.b64encode(content).decode(), **more}


async def stored_bytes(client):
    items = (await client.get("/api/usage")).json()["items"]
    return next(one["used"] for one in items if (one["dimension"], one["level"]) == ("storage.bytes", "team"))


async def test_an_asset_is_uploaded_listed_served_and_deleted(hall):
    admin = hall.acme.admin
    answer = await admin.post(ASSETS, upload(PIXEL, PNG, "hero", filename="my hero.png"))
    assert answer.status_code == 201, answer.text
    asset = answer.json()
    assert (asset["kind"], asset["content_type"], asset["size"]) == ("hero", PNG, len(PIXEL))
    assert answer.headers["location"] == asset["url"] == f"/api/beta/asset/{asset['id']}"
    assert await stored_bytes(admin) == len(PIXEL)
    served = await hall.anonymous.get(asset["url"])
    assert (served.content, served.headers["content-type"]) == (PIXEL, PNG)
    again = await hall.anonymous.get(asset["url"], headers={"If-None-Match": served.headers["etag"]})
    assert again.status_code == 304
    second = (await admin.post(ASSETS, upload(svg()))).json()
    first_page = (await admin.get(f"{ASSETS}?limit=1")).json()
    assert first_page["items"] == [second]
    rest = (await admin.get(f"{ASSETS}?cursor={first_page['next_cursor']}")).json()
    assert rest["items"] == [asset] and rest["next_cursor"] is None
    assert (await admin.delete(asset["url"])).status_code == 204
    assert (await admin.delete(second["url"])).status_code == 204
    assert (await hall.anonymous.get(asset["url"])).status_code == 404
    assert await stored_bytes(admin) == 0


async def test_a_page_in_a_sandbox_may_load_it_and_it_can_run_nothing(hall):
    picture = (await hall.acme.admin.post(ASSETS, upload(svg()))).json()
    font = (await hall.acme.admin.post(ASSETS, upload(woff2(), "font/woff2", "font"))).json()
    for asset, readable in ((picture, None), (font, "*")):
        headers = (await hall.anonymous.get(asset["url"], headers={"Origin": "null"})).headers
        assert headers["cross-origin-resource-policy"] == "cross-origin"
        assert "sandbox" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers.get("access-control-allow-origin") == readable
        assert headers["content-type"].partition(";")[0] == asset["content_type"]
        assert "immutable" in headers["cache-control"]


@pytest.mark.parametrize("content_type, font", [("font/woff2", woff2()), ("font/woff", woff())])
async def test_a_sound_font_is_taken(hall, content_type, font):
    answer = await hall.acme.admin.post(ASSETS, upload(font, content_type, "font"))
    assert (answer.status_code, answer.json()["content_type"]) == (201, content_type), answer.text


@pytest.mark.parametrize(
    ("content", "content_type", "kind", "pointer"),
    [
        (svg("<script>alert(1)</script>"), SVG, "logo", "/data"),
        (svg('<image href="https://elsewhere.example/x"/>'), SVG, "logo", "/data"),
        (svg().replace(b">", b' onload="alert(1)">', 1), SVG, "hero", "/data"),
        (b"GIF89a/*\x01\x00\x01\x00*/=1;alert(1)//", "image/gif", "logo", "/data"),
        (PIXEL + b"<script>alert(1)</script>", PNG, "logo", "/data"),
        (b"<html><script>alert(1)</script>", PNG, "hero", "/data"),
        (PIXEL, SVG, "logo", "/content_type"),
        (PIXEL, PNG, "font", "/content_type"),
        (woff2(), "font/woff2", "logo", "/content_type"),
        (PIXEL, "font/woff2", "font", "/data"),
        (woff2(), "font/woff", "font", "/content_type"),
        (woff2(behind=b"<script>alert(1)</script>\0\0\0"), "font/woff2", "font", "/data"),
        (woff2()[:-1], "font/woff2", "font", "/data"),
        (woff2(length=7), "font/woff2", "font", "/data"),
        (woff2(tables=0), "font/woff2", "font", "/data"),
        (woff2(private=40), "font/woff2", "font", "/data"),
        (woff2()[:52], "font/woff2", "font", "/data"),
        (woff(behind=b"*/alert(1)/*"), "font/woff", "font", "/data"),
        (woff(packed=b"not packed"), "font/woff", "font", "/data"),
        (woff(packed=zlib.compress(b"x" * 4_000_000)), "font/woff", "font", "/data"),
        (woff(meta=44), "font/woff", "font", "/data"),
        (woff()[:50], "font/woff", "font", "/data"),
        (b"\x00\x01\x00\x00" + bytes(60), "font/woff", "font", "/data"),
    ],
)
async def test_what_is_no_picture_or_font_or_could_run_is_refused(hall, content, content_type, kind, pointer):
    refused = await hall.acme.admin.post(ASSETS, upload(content, content_type, kind))
    assert refused.status_code == 400, refused.text
    assert refused.json()["errors"][0]["pointer"] == pointer
    assert await stored_bytes(hall.acme.admin) == 0


async def test_more_than_two_mebibytes_are_too_large_and_two_fit(hall):
    title = b"<title>%s</title>" % (b"x" * (2 * 1024 * 1024 - 200))
    fits = await hall.acme.admin.post(ASSETS, upload(svg(title.decode())))
    assert fits.status_code == 201, fits.text[:300]
    for kind, content_type in (("logo", SVG), ("font", "font/woff2")):
        large = upload(bytes(2 * 1024 * 1024 + 1), content_type, kind)
        refused = await hall.acme.admin.post(ASSETS, large)
        assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    long = {**upload(b"x"), "data": "A" * 4 * 1024 * 1024}
    assert (await hall.acme.admin.post(ASSETS, long)).status_code == 413


@pytest.mark.own_server
async def test_an_asset_of_another_team_is_neither_deleted_nor_shown_on_ones_page(hall, publish):
    theirs = (await hall.acme.admin.post(ASSETS, upload(svg()))).json()
    for stranger in (hall.globex.admin, hall.acme.second_team.admin, hall.operator):
        assert (await stranger.delete(theirs["url"])).status_code == 404
        assert (await stranger.get(ASSETS)).json()["items"] == []
        named = {"assets": {"logo": theirs["id"]}}
        refused = await stranger.put("/api/beta/experience", named)
        assert refused.json()["errors"][0]["pointer"] == "/assets/logo"
    mixed = await hall.acme.admin.put("/api/beta/experience", {"assets": {"hero": theirs["id"]}})
    assert mixed.json()["errors"][0]["pointer"] == "/assets/hero"


async def test_a_deleted_asset_is_gone_from_the_page_that_showed_it(hall, publish):
    logo = (await hall.operator.post(ASSETS, upload(svg()))).json()
    font = (await hall.operator.post(ASSETS, upload(woff2(), "font/woff2", "font"))).json()
    await publish(
        hall.operator, assets={"logo": logo["id"], "font": font["id"], "hero": "/beta/bundle/x/y.svg"}
    )
    shown = (await hall.anonymous.get("/api/beta/config")).json()["assets"]
    assert shown == {"logo": logo["url"], "font": font["url"], "hero": "/beta/bundle/x/y.svg"}
    await hall.operator.delete(logo["url"])
    assert (await hall.anonymous.get("/api/beta/config")).json()["assets"].keys() == {"font", "hero"}


@pytest.mark.every_database
async def test_a_deleted_asset_stops_nobody_from_saving_or_going_back(hall, publish):
    logo = (await hall.operator.post(ASSETS, upload(svg()))).json()
    await publish(hall.operator, assets={"logo": logo["id"]})
    await hall.operator.delete(logo["url"])
    assert (await hall.operator.put("/api/beta/experience", {"theme": {}})).status_code == 200
    assert (await hall.operator.post("/api/beta/experience/restore", {"version": 1})).status_code == 200
    named = await hall.operator.put("/api/beta/experience", {"assets": {"logo": logo["id"]}})
    assert named.json()["errors"][0]["pointer"] == "/assets/logo"


async def test_what_the_team_has_no_room_for_is_not_stored(hall):
    limit = {"dimension": "storage.bytes", "limit": len(PIXEL) - 1, "window": "none"}
    await hall.operator.post(f"/api/orgs/{hall.acme.org_id}/quota", limit)
    refused = await hall.acme.admin.post(ASSETS, upload(PIXEL, PNG))
    assert (refused.status_code, refused.json()["code"]) == (429, "quota_exceeded")
    assert json.loads((await hall.acme.admin.get(ASSETS)).text)["items"] == []
