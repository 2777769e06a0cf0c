"""What a browser asks on behalf of a page from elsewhere: nothing is allowed until a team asks for it."""

import pytest

from builtin_plugins.s3.tests.forms import refusal

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

PAGE = "https://page.example"
ANY = {"AllowedOrigins": ["*"], "AllowedMethods": ["GET"]}
FORBIDDEN = (403, "AccessForbidden")


def of_origins(answer):
    return {
        name.removeprefix("access-control-"): value
        for name, value in answer.headers.items()
        if name.startswith("access-control-")
    }


@pytest.fixture
def allow(bucket):
    """`await allow({"AllowedOrigins": …}, …)`: sets the rules of the bucket."""

    async def allow(*rules):
        await bucket.put_bucket_cors(CORSConfiguration={"CORSRules": list(rules)})

    return allow


@pytest.fixture
def preflight(hall, bucket, http):
    async def preflight(method="GET", origin=PAGE, *headers, path="/k", at=None):
        told = {"Origin": origin, "Access-Control-Request-Method": method}
        if headers:
            told["Access-Control-Request-Headers"] = ", ".join(headers)
        told = {name: value for name, value in told.items() if value is not None}
        return await http.options(f"{at or hall.addresses['s3']}/{bucket.name}{path}", headers=told)

    return preflight


@pytest.fixture
def link(bucket):
    def link(operation="get_object", key="k"):
        return bucket.client.generate_presigned_url(operation, Params={"Bucket": bucket.name, "Key": key})

    return link


async def test_until_a_team_asks_for_it_no_page_from_elsewhere_sees_anything(bucket, http, link, preflight):
    await bucket.put_object(Key="k", Body=b"x")
    asked = await preflight()
    assert (refusal(asked)[:2], of_origins(asked)) == (FORBIDDEN, {})
    seen = await http.get(link(), headers={"Origin": PAGE})
    assert (seen.status_code, of_origins(seen)) == (200, {})
    assert seen.headers["cross-origin-resource-policy"] == "same-origin"


async def test_a_preflight_tells_nothing_of_a_bucket_without_a_rule_for_it(hall, http, allow, preflight):
    """One that does not exist, has no rules, or none for this: the same answer."""
    await allow({"AllowedOrigins": ["https://other.example"], "AllowedMethods": ["GET"]})
    asked = {"Origin": PAGE, "Access-Control-Request-Method": "GET"}
    answers = [await preflight()] + [
        await http.options(f"{hall.addresses['s3']}/{path}", headers=asked)
        for path in ("nobody--knows/k", "nobody--knows", "globex--general/k", "", "a%00b/k")
    ]
    for answer in answers:
        assert refusal(answer) == refusal(answers[0])
        assert (answer.status_code, of_origins(answer)) == (403, {})


@pytest.mark.parametrize(
    "headers", [{}, {"Origin": PAGE}, {"Origin": PAGE, "Access-Control-Request-Method": "PATCH"}]
)
async def test_a_preflight_says_what_it_asks_for(hall, bucket, http, allow, headers):
    await allow(ANY)
    answer = await http.options(f"{hall.addresses['s3']}/{bucket.name}/k", headers=headers)
    assert (refusal(answer)[:2], of_origins(answer)) == ((400, "BadRequest"), {})


@pytest.mark.every_database
async def test_the_rules_are_set_read_and_deleted(bucket, refused):
    assert await refused(bucket.get_bucket_cors()) == ("NoSuchCORSConfiguration", 404)
    rule = {
        "ID": "the page",
        "AllowedOrigins": [PAGE, "http://*.example"],
        "AllowedMethods": ["GET", "PUT", "POST", "DELETE", "HEAD"],
        "AllowedHeaders": ["x-amz-*", "Content-Type"],
        "ExposeHeaders": ["ETag", "x-amz-version-id"],
        "MaxAgeSeconds": 600,
    }
    await bucket.put_bucket_cors(CORSConfiguration={"CORSRules": [rule, ANY]})
    assert (await bucket.get_bucket_cors())["CORSRules"] == [rule, ANY]
    await bucket.put_bucket_cors(CORSConfiguration={"CORSRules": [ANY]})
    assert (await bucket.get_bucket_cors())["CORSRules"] == [ANY]
    for _ in range(2):
        await bucket.delete_bucket_cors()
        assert await refused(bucket.get_bucket_cors()) == ("NoSuchCORSConfiguration", 404)


@pytest.mark.every_database
async def test_a_rule_answers_a_preflight_at_once(hall, bucket, allow, preflight):
    rule = {
        "AllowedOrigins": [PAGE],
        "AllowedMethods": ["PUT", "POST"],
        "AllowedHeaders": ["content-*", "X-Amz-Meta-A"],
        "ExposeHeaders": ["ETag"],
        "MaxAgeSeconds": 60,
    }
    await allow(rule)
    for at in (hall.addresses["s3"], f"{hall.base_url}/s3"):
        answer = await preflight("PUT", PAGE, "Content-Type", "x-amz-meta-a", at=at)
        assert (answer.status_code, answer.content) == (200, b"")
        assert of_origins(answer) == {
            "allow-origin": PAGE,
            "allow-methods": "PUT, POST",
            "allow-headers": "content-type, x-amz-meta-a",
            "allow-credentials": "true",
            "expose-headers": "ETag",
            "max-age": "60",
        }
        assert "Origin" in answer.headers["vary"]
    assert (await preflight("POST", path="")).status_code == 200
    for asked in (("GET", PAGE), ("PUT", "https://evil.example"), ("PUT", PAGE, "authorization")):
        assert refusal(await preflight(*asked))[:2] == FORBIDDEN
    await bucket.delete_bucket_cors()
    assert refusal(await preflight("PUT"))[:2] == FORBIDDEN


@pytest.mark.parametrize(
    ("pattern", "let", "kept_out"),
    [
        ("*", ("https://a", "null"), ()),
        (
            "https://*.example",
            ("https://a.example", "https://.example"),
            ("http://a.example", "https://example"),
        ),
        ("start*end", ("startend", "start1end"), ("0startend", "startend0", "starend")),
        ("https://a.example", ("https://a.example",), ("https://A.example", "https://a.example.evil")),
        ("http://localhost:*", ("http://localhost:5173",), ("http://localhost",)),
    ],
)
async def test_a_star_in_an_origin_stands_for_anything(bucket, allow, preflight, pattern, let, kept_out):
    await allow({"AllowedOrigins": [pattern], "AllowedMethods": ["GET"]})
    for origin in let:
        told = of_origins(await preflight(origin=origin))
        assert told["allow-origin"] == ("*" if pattern == "*" else origin)
        assert ("allow-credentials" in told) == ("*" not in pattern)
    for origin in kept_out:
        assert refusal(await preflight(origin=origin))[:2] == FORBIDDEN


async def test_a_page_sees_answers_and_refusals_alike(bucket, http, allow, link, forms):
    await bucket.put_object(Key="k", Body=b"x")
    rule = {"AllowedOrigins": [PAGE], "AllowedMethods": ["GET", "PUT", "POST"], "ExposeHeaders": ["ETag"]}
    await allow(rule)
    page = {"Origin": PAGE}
    plain = link().partition("?")[0]
    for status, answer in (
        (200, await http.get(link(), headers=page)),
        (304, await http.get(link(), headers={**page, "If-None-Match": "*"})),
        (200, await http.put(link("put_object"), content=b"y", headers=page)),
        (404, await http.get(link(key="absent"), headers=page)),
        (403, await http.get(link() + "&policy", headers=page)),
        (403, await http.get(plain, headers=page)),
        (204, await forms.send(forms.signed("k"), headers=page)),
        (403, await forms.send({"key": "k"}, headers=page)),
    ):
        assert answer.status_code == status
        assert of_origins(answer) == {
            "allow-origin": PAGE,
            "allow-methods": "GET, PUT, POST",
            "allow-credentials": "true",
            "expose-headers": "ETag",
        }
        assert {"Authorization", "Origin"} <= set(answer.headers["vary"].split(", "))
        assert answer.headers.get_list("vary") == [answer.headers["vary"]]
    for answer in (
        await http.get(link()),
        await http.get(link(), headers={"Origin": "https://evil.example"}),
        await http.head(link("head_object"), headers=page),
        await http.delete(plain, headers=page),
    ):
        assert of_origins(answer) == {}


async def test_only_who_may_change_the_settings_changes_the_rules(hall, bucket, allow, open_bucket, refused):
    rules = {"CORSConfiguration": {"CORSRules": [ANY]}}
    denied = ("AccessDenied", 403)
    admin = await open_bucket(await hall.join(hall.acme, "admin"))
    await admin.put_bucket_cors(**rules)
    for other in (
        await open_bucket(await hall.join(hall.acme, "member")),
        await open_bucket(await hall.join(hall.acme, "viewer")),
        await open_bucket(hall.acme.owner, permissions=["files:read", "files:write"]),
        await open_bucket(hall.acme.owner, prefix="in/"),
    ):
        assert await refused(other.put_bucket_cors(**rules)) == denied
        assert await refused(other.get_bucket_cors()) == denied
        assert await refused(other.delete_bucket_cors()) == denied
    foreign = await open_bucket(hall.globex.owner)
    assert await refused(foreign.delete_bucket_cors(Bucket=bucket.name)) == denied
    assert await refused(foreign.get_bucket_cors()) == ("NoSuchCORSConfiguration", 404)
    assert (await bucket.get_bucket_cors())["CORSRules"] == [ANY]
    await hall.suspend(hall.acme)
    assert await refused(bucket.delete_bucket_cors()) == denied
    assert (await bucket.get_bucket_cors())["CORSRules"] == [ANY]


async def test_a_change_of_the_rules_is_in_the_trail(hall, bucket, allow):
    await allow(ANY, {"AllowedOrigins": [PAGE], "AllowedMethods": ["PUT"]})
    await bucket.delete_bucket_cors()
    await bucket.delete_bucket_cors()
    items = (await hall.acme.owner.get("/api/audit")).json()["items"]
    found = [(item["action"], item["detail"]) for item in items if item["action"].startswith("s3_cors")]
    assert sorted(found) == [("s3_cors.deleted", {}), ("s3_cors.set", {"rules": 2, "any_origin": True})]


async def test_preflights_count_for_their_address(open_hall, http):
    async with open_hall(SERVICE_S3_RATE_LIMIT="300") as hall:
        asked = {"Origin": PAGE, "Access-Control-Request-Method": "GET"}
        answers = [await http.options(f"{hall.addresses['s3']}/b/k", headers=asked) for _ in range(12)]
        assert [answer.status_code for answer in answers] == [403] * 10 + [503] * 2
        assert "retry-after" in answers[-1].headers
