"""A hall with S3, and clients of it as people use them."""

from datetime import UTC, datetime

import botocore.auth
import botocore.crt.auth
import botocore.signers
import httpx
import pytest
import pytest_asyncio
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from builtin_plugins.repo.tests.reading_here import documents_are_read_here  # noqa: F401 - a fixture
from builtin_plugins.s3.tests.clients import NOTHING, Bucket, Signer, boto_client
from builtin_plugins.s3.tests.forms import Forms
from guildhall_sdk.services.repository import Repository


@pytest.fixture
def signing_clock(monkeypatch):
    """`signing_clock(hall)`: boto3 signs by the hall's clock."""

    def signing_clock(hall):
        def now(remove_tzinfo=True):
            moment = datetime.fromtimestamp(hall.clock.now_ms() / 1000, UTC)
            return moment.replace(tzinfo=None) if remove_tzinfo else moment

        for module in (botocore.auth, botocore.crt.auth, botocore.signers):
            monkeypatch.setattr(module, "get_current_datetime", now)

    return signing_clock


@pytest_asyncio.fixture(loop_scope="session")
async def hall(hall, signing_clock):
    signing_clock(hall)
    yield hall
    await hall.drain_jobs()
    await hall.server.service(Repository).blobs.settled()


@pytest.fixture
def issue():
    """`await issue(client, prefix="inbox/")`: an access key, as the answer shows it."""

    async def issue(client, **scope):
        response = await client.post("/api/s3/credentials", {"scope": scope} if scope else {})
        assert response.status_code == 201, response.text
        return response.json()

    return issue


@pytest.fixture
def open_bucket(hall, issue):
    """`await open_bucket(client)`: their team's bucket through boto3, on the listener of S3."""

    async def open_bucket(client, *, endpoint=None, config=None, **scope):
        key = await issue(client, **scope)
        made = boto_client(
            endpoint or hall.addresses["s3"], key["access_key_id"], key["secret_access_key"], **(config or {})
        )
        return Bucket(made, key["bucket"], key)

    return open_bucket


@pytest_asyncio.fixture(loop_scope="session")
async def bucket(hall, open_bucket):
    return await open_bucket(hall.acme.owner)


@pytest_asyncio.fixture(loop_scope="session")
async def http():
    """For what no client of S3 would send."""
    async with httpx.AsyncClient(verify=False, trust_env=False, timeout=60) as client:
        yield client


@pytest.fixture
def forms(hall, bucket, http):
    """`await forms.send(forms.signed("key"), b"content")`: uploads by a form."""
    return Forms(hall, bucket, http)


@pytest.fixture
def refused():
    """`async with`-less: `await refused(call)` is the code and the status of the refusal."""

    async def refused(call):
        with pytest.raises(ClientError) as caught:
            await call
        answer = caught.value.response
        return answer["Error"]["Code"], answer["ResponseMetadata"]["HTTPStatusCode"]

    return refused


@pytest.fixture
def signed(hall, bucket):
    """The URL and the headers of a signed request, to be spoilt."""

    def signed(method="GET", path="", *, body=b"", region="local", **headers):
        url = f"{hall.addresses['s3']}/{bucket.name}{path}"
        headers = {"x-amz-content-sha256": NOTHING, **headers}
        request = AWSRequest(method, url, headers, body)
        key = Credentials(bucket.key["access_key_id"], bucket.key["secret_access_key"])
        Signer(headers["x-amz-content-sha256"], key, region).add_auth(request)
        return url, dict(request.headers)

    return signed
