"""Keys and links that a token made: none outlives it, and a scope handles its own alone."""

import asyncio

import httpx
import pytest

from builtin_plugins.s3.tests.clients import Bucket, boto_client

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

FILES = ["files:read", "files:write"]


def refusal(response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


@pytest.fixture
def token_of(hall):
    """`await token_of(client, ttl=60)`: an API token that their session issued, with its answer."""

    async def token_of(client, **body):
        response = await client.post("/api/tokens", body)
        assert response.status_code == 201, response.text
        return hall.bearer(response.json()["token"]), response.json()

    return token_of


@pytest.fixture
def bucket_of(hall):
    """The bucket as a key opens it."""

    def bucket_of(key):
        client = boto_client(hall.addresses["s3"], key["access_key_id"], key["secret_access_key"])
        return Bucket(client, key["bucket"], key)

    return bucket_of


@pytest.fixture
async def found(hall):
    return (await hall.acme.owner.put("/api/repo/a.txt", content=b"bytes")).json()


async def status_of(url, method="GET"):
    async with httpx.AsyncClient(verify=False, trust_env=False) as http:
        return (await http.request(method, url)).status_code


async def test_a_key_ends_with_the_token_that_issued_it(hall, token_of, bucket_of, refused):
    token, issued = await token_of(hall.acme.owner, ttl=60)
    key = (await token.post("/api/s3/credentials", {})).json()
    assert key["expires_at"] == issued["expires_at"]
    (listed,) = (await hall.acme.owner.get("/api/s3/credentials")).json()["items"]
    assert (listed["id"], listed["expires_at"]) == (key["id"], issued["expires_at"])
    bucket = bucket_of(key)
    await bucket.put_object(Key="k", Body=b"x")
    link = bucket.client.generate_presigned_url(
        "get_object", Params={"Bucket": bucket.name, "Key": "k"}, ExpiresIn=7 * 24 * 3600
    )
    assert await status_of(link) == 200
    hall.clock.advance(seconds=60)
    assert await refused(bucket.get_object(Key="k")) == ("InvalidAccessKeyId", 403)
    assert await status_of(link) == 403
    assert (await hall.acme.owner.get("/api/s3/credentials")).json()["items"] == []


@pytest.mark.parametrize("ttl", ["never", 61])
async def test_a_key_that_would_outlive_its_token_is_refused(hall, token_of, ttl):
    token, _ = await token_of(hall.acme.owner, ttl=60)
    response = await token.post("/api/s3/credentials", {"ttl": ttl})
    assert refusal(response) == (403, "permission_denied")


async def test_a_sessions_key_lasts_unless_it_is_told_otherwise(hall, issue, bucket_of, refused):
    assert (await issue(hall.acme.owner))["expires_at"] is None
    brief = (await hall.acme.owner.post("/api/s3/credentials", {"ttl": 30})).json()
    assert brief["expires_at"] is not None
    await bucket_of(brief).list_objects_v2()
    hall.clock.advance(seconds=30)
    assert await refused(bucket_of(brief).list_objects_v2()) == ("InvalidAccessKeyId", 403)


async def test_revoking_a_token_revokes_its_keys(hall, token_of, bucket_of, refused):
    token, issued = await token_of(hall.acme.owner, ttl="never")
    inner, _ = await token_of(token)
    keys = [(await maker.post("/api/s3/credentials", {})).json() for maker in (token, inner)]
    for key in keys:
        await bucket_of(key).list_objects_v2()
    assert (await hall.acme.owner.delete(f"/api/tokens/{issued['id']}")).status_code == 204
    for key in keys:
        assert await refused(bucket_of(key).list_objects_v2()) == ("InvalidAccessKeyId", 403)


@pytest.mark.every_database
async def test_a_token_that_is_revoked_while_it_issues_keys_leaves_none(hall, token_of):
    token, issued = await token_of(hall.acme.owner)
    made, revoked = await asyncio.gather(
        asyncio.gather(*(token.post("/api/s3/credentials", {}) for _ in range(4))),
        hall.acme.owner.delete(f"/api/tokens/{issued['id']}"),
    )
    assert revoked.status_code == 204
    assert {answer.status_code for answer in made} <= {201, 401}
    assert (await hall.acme.owner.get("/api/s3/credentials")).json()["items"] == []


async def test_a_link_outlives_neither_the_token_nor_the_key(hall, issue, token_of, found):
    path = f"/api/repo-obj/{found['id']}/presign"
    await issue(hall.acme.owner)
    token, issued = await token_of(hall.acme.owner, ttl=60, scope=["files:read"])
    for seconds in (61, 7 * 24 * 3600):
        assert refusal(await token.post(path, {"expires_in": seconds})) == (403, "permission_denied")
    cut = await token.post(path, {})
    assert cut.status_code == 200
    assert cut.json()["expires_at"] <= issued["expires_at"]
    brief = (await hall.acme.owner.post("/api/s3/credentials", {"ttl": 30})).json()
    too_long = await hall.acme.owner.post(path, {"expires_in": 31})
    assert refusal(too_long) == (403, "permission_denied")
    by_key = (await hall.acme.owner.post(path, {})).json()
    assert by_key["expires_at"] <= brief["expires_at"]
    hall.clock.advance(seconds=30)
    assert await status_of(cut.json()["url"]) == 200
    assert await status_of(by_key["url"]) == 403
    hall.clock.advance(seconds=30)
    assert await status_of(cut.json()["url"]) == 403


async def test_a_link_dies_with_the_token_that_asked_for_it(hall, issue, token_of, found):
    path = f"/api/repo-obj/{found['id']}/presign"
    await issue(hall.acme.owner)
    token, issued = await token_of(hall.acme.owner, ttl="never")
    theirs = (await token.post(path, {"expires_in": 3600})).json()["url"]
    ours = (await hall.acme.owner.post(path, {"expires_in": 3600})).json()["url"]
    assert [await status_of(url) for url in (theirs, ours)] == [200, 200]
    await hall.acme.owner.delete(f"/api/tokens/{issued['id']}")
    assert [await status_of(url) for url in (theirs, ours)] == [403, 200]
    start = theirs.index("X-Guildhall-Made-With")
    end = (theirs + "&").index("&", start)
    without = (theirs[:start] + theirs[end + 1 :]).rstrip("&")
    assert await status_of(without) == 403


async def test_a_scope_lists_and_revokes_the_keys_that_it_issued(hall, issue):
    owner = hall.acme.owner
    own = await issue(owner)
    scoped, twin = [await hall.with_token(owner, scope=FILES) for _ in range(2)]
    assert (await scoped.get("/api/s3/credentials")).json()["items"] == []
    key = await issue(scoped, permissions=["files:read"])
    assert [one["id"] for one in (await scoped.get("/api/s3/credentials")).json()["items"]] == [key["id"]]
    assert (await twin.get("/api/s3/credentials")).json()["items"] == []
    for other, client in ((own, scoped), (key, twin)):
        response = await client.delete(f"/api/s3/credentials/{other['id']}")
        assert refusal(response) == (404, "not_found")
    assert (await scoped.delete(f"/api/s3/credentials/{key['id']}")).status_code == 204
    assert [one["id"] for one in (await owner.get("/api/s3/credentials")).json()["items"]] == [own["id"]]


async def test_an_empty_scope_issues_and_revokes_nothing(hall, issue):
    key = await issue(hall.acme.owner)
    nothing = await hall.with_token(hall.acme.owner, scope=[])
    for body in ({}, {"scope": {"permissions": []}}):
        assert refusal(await nothing.post("/api/s3/credentials", body)) == (403, "permission_denied")
    assert refusal(await nothing.delete(f"/api/s3/credentials/{key['id']}")) == (404, "not_found")
