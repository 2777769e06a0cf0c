"""Headers that every answer of S3 has, refusals and links included."""

import asyncio
from urllib.parse import urlsplit

import httpx
import pytest

pytestmark = [pytest.mark.hall_databases("sqlite"), pytest.mark.shared_server]

PRIVATE = "private, no-store"


async def test_no_cache_on_the_way_keeps_an_answer(bucket):
    await bucket.put_object(Key="k", Body=b"x")
    own = {"CacheControl": "public, max-age=60"}
    await bucket.put_object(Key="public", Body=b"x", **own)
    link = {
        key: bucket.client.generate_presigned_url("get_object", Params={"Bucket": bucket.name, "Key": key})
        for key in ("k", "public", "missing")
    }
    async with httpx.AsyncClient(verify=False, trust_env=False) as http:
        for status, answer in (
            (200, await http.get(link["k"])),
            (404, await http.get(link["missing"])),
            (403, await http.get(link["k"].partition("?")[0])),
            (403, await http.head(link["k"].partition("?")[0])),
        ):
            assert (answer.status_code, answer.headers["cache-control"]) == (status, PRIVATE)
            assert answer.headers["vary"] == "Authorization, Origin"
        wanted = await http.get(link["public"])
    assert wanted.headers.get_list("cache-control") == ["public, max-age=60"]


async def test_every_answer_under_https_asks_for_https_ever_after(open_hall):
    async with (
        open_hall(SERVICE_BASE_URL="https://hall.example") as hall,
        httpx.AsyncClient(verify=False, trust_env=False) as http,
    ):
        s3 = hall.addresses["s3"]
        answers = [
            await http.get(s3),
            await http.delete(f"{s3}/nobody/knows"),
            await hall.anonymous.get("/health"),
            await hall.anonymous.get("/api/whoami"),
            await hall.anonymous.get("/nowhere"),
            await hall.anonymous.get("/s3/nobody"),
        ]
        for answer in answers:
            assert answer.headers.get_list("strict-transport-security") == ["max-age=31536000"]
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(s3).port)
        writer.write(b"nonsense\r\n\r\n")
        async with asyncio.timeout(60):
            refused = await reader.read()
        assert refused.startswith(b"HTTP/1.1 400") and b"\r\nstrict-transport-security: " in refused
        writer.close()


async def test_without_https_nothing_is_said_of_it(bucket, hall):
    async with httpx.AsyncClient(verify=False, trust_env=False) as http:
        assert "strict-transport-security" not in (await http.get(hall.addresses["s3"])).headers


async def test_too_much_at_once_is_told_to_slow_down(bucket, refused, monkeypatch):
    monkeypatch.setattr("libs.fair_slots.shares.PER_CREDENTIAL", 0)
    assert await refused(bucket.list_objects_v2()) == ("SlowDown", 503)
