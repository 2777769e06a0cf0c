"""How often S3 may be called: by key, and by address for whoever has none that holds."""

from itertools import count
from xml.etree import ElementTree

import pytest
import pytest_asyncio
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from builtin_plugins.s3.tests.forms import Forms

pytestmark = pytest.mark.any_database

NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
NEIGHBOUR = "192.0.2.8"
_numbers = count()


@pytest_asyncio.fixture(loop_scope="session")
async def hall(open_hall, signing_clock):
    """60 a minute for an address without a key, 10 at once; 300 and 50 for a key."""
    settings = {"SERVICE_S3_RATE_LIMIT": "300", "SERVICE_TRUSTED_PROXIES": "127.0.0.1"}
    async with open_hall(**settings) as opened:
        signing_clock(opened)
        yield opened


@pytest.fixture
def call(hall, http):
    """`await call(key)`: a list of the bucket, signed; the number and the code of its answer."""

    async def call(key=None, *, address="192.0.2.7", secret=None, path="", at=None):
        url = f"{at or hall.addresses['s3']}/{path}"
        headers = {"x-amz-content-sha256": NOTHING}
        request = AWSRequest("GET", url, headers)
        if key is not None:
            held = Credentials(key["access_key_id"], secret or key["secret_access_key"])
            S3SigV4Auth(held, "s3", "local").add_auth(request)
        forged = f"198.51.100.{next(_numbers) % 250}"
        answer = await http.get(
            url, headers={**dict(request.headers), "X-Forwarded-For": f"{forged}, {address}"}
        )
        code = "" if answer.is_success else ElementTree.fromstring(answer.content).findtext("Code")
        return answer.status_code, code

    return call


@pytest.fixture
def lookups(hall, monkeypatch):
    """The keys that the database was asked about."""
    from builtin_plugins.s3.keys import AccessKeys

    asked, look_up = [], AccessKeys.in_use

    async def in_use(self, access_key_id):
        asked.append(access_key_id)
        return await look_up(self, access_key_id)

    monkeypatch.setattr(AccessKeys, "in_use", in_use)
    return asked


SLOW = (503, "SlowDown")


async def test_a_key_beyond_its_budget_is_told_to_slow_down_before_it_is_looked_up(
    hall, issue, call, lookups
):
    key = await issue(hall.acme.owner)
    answers = [await call(key) for _ in range(60)]
    assert answers == [(200, "")] * 50 + [SLOW] * 10
    assert len(lookups) == 50
    assert (await call(await issue(hall.acme.member)))[0] == 200
    hall.clock.advance(seconds=0.2)
    assert (await call(key), await call(key)) == ((200, ""), SLOW)


async def test_an_address_without_a_signature_is_told_to_slow_down(hall, call):
    for at in (hall.addresses["s3"], f"{hall.base_url}/s3"):
        answers = [await call(at=at) for _ in range(12)]
        assert answers == [(403, "AccessDenied")] * 10 + [SLOW] * 2
        assert (await call(at=at, address=NEIGHBOUR)) == (403, "AccessDenied")
        hall.clock.advance(minutes=1)


@pytest.mark.parametrize("spoilt", ["unknown key", "wrong secret"])
async def test_signatures_that_do_not_hold_are_refused_before_the_lookup(hall, issue, call, lookups, spoilt):
    key = await issue(hall.acme.owner)
    assert await call(key) == (200, "")
    lookups.clear()
    wrong = {**key, "access_key_id": "GH" + "A" * 18} if spoilt == "unknown key" else key
    answers = [await call(wrong, secret="x" * 40) for _ in range(30)]
    refusal = "InvalidAccessKeyId" if spoilt == "unknown key" else "SignatureDoesNotMatch"
    assert answers == [(403, refusal)] * 10 + [SLOW] * 20
    assert len(lookups) == 10
    assert await call(key, address=NEIGHBOUR) == (200, "")


async def test_a_neighbours_failures_stop_nobody_who_is_at_work(hall, issue, call):
    key, fresh = await issue(hall.acme.owner), await issue(hall.acme.member)
    assert await call(key) == (200, "")
    for _ in range(12):
        await call()
    assert [await call(key) for _ in range(5)] == [(200, "")] * 5
    assert await call(fresh) == SLOW
    hall.clock.advance(seconds=1)
    assert await call(fresh) == (200, "")


async def test_a_path_that_is_none_counts_too(hall, call):
    answers = [await call(path="%2e%2e/x" if number % 2 else "%ff") for number in range(12)]
    assert answers[10:] == [SLOW] * 2


async def test_a_refusal_says_when_to_come_again_and_is_counted(hall, http, call):
    for _ in range(10):
        await call()
    refused = await http.get(hall.addresses["s3"], headers={"X-Forwarded-For": "192.0.2.7"})
    assert refused.status_code == 503
    assert int(refused.headers["retry-after"]) >= 1
    families = (await hall.operator.get("/api/metrics")).json()["items"]
    (family,) = [one for one in families if one["name"] == "guildhall_rate_limit_refusals_total"]
    counted = {sample["labels"]["budget"]: sample["value"] for sample in family["samples"]}
    assert counted == {"address": 0, "credential": 0, "s3_address": 1, "s3_credential": 0}


async def test_forms_count_like_any_request(hall, open_bucket, http, lookups):
    bucket = await open_bucket(hall.acme.owner)
    forms = Forms(hall, bucket, http)
    wrong = {**forms.signed("k"), "x-amz-signature": "0" * 64}
    assert [(await forms.send(wrong)).status_code for _ in range(12)] == [403] * 10 + [503] * 2
    assert [(await forms.send({"key": "k"})).status_code for _ in range(2)] == [503] * 2
    assert len(lookups) == 10
    hall.clock.advance(minutes=1)
    lookups.clear()
    answers = [(await forms.send(forms.signed("k"), b"x")).status_code for _ in range(52)]
    assert answers == [204] * 50 + [503] * 2
    assert len(lookups) == 50


async def test_a_limit_of_zero_is_none(open_hall, http):
    async with open_hall(SERVICE_S3_RATE_LIMIT="0") as hall:
        answers = [(await http.get(hall.addresses["s3"])).status_code for _ in range(60)]
        assert answers == [403] * 60
