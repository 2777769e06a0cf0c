"""The store in an object store: signatures, retries, and uploads that break."""

import hashlib
import subprocess
import sys
from datetime import UTC, datetime

import httpx
import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from builtin_plugins.s3_store import open_store
from builtin_plugins.s3_store.bucket import (
    EMPTY_SHA256,
    Bucket,
    Signer,
    StoreFailure,
    encode_path,
    encode_query,
)
from builtin_plugins.s3_store.settings import BUCKET, read_settings
from builtin_plugins.s3_store.store import PART, ObjectStore, parts_of
from builtin_plugins.s3_store.tests.object_store import SECRET, s3_client
from guildhall_sdk.blobs import BlobStore, BlobStoreRefused, BlobStoreUnavailable
from guildhall_sdk.errors import OperatorError


async def in_chunks(content, size=1_000_000):
    for start in range(0, len(content), size):
        yield content[start : start + size]


class Meddling(httpx.AsyncHTTPTransport):
    """Lets a test answer in the server's place, or drop an answer that was on its way."""

    def __init__(self):
        super().__init__(verify=False)
        self.seen = []
        self.instead = lambda request: None
        self.lose = lambda request: False

    async def handle_async_request(self, request):
        self.seen.append(request)
        answer = self.instead(request)
        if answer is not None:
            return answer
        response = await super().handle_async_request(request)
        if self.lose(request):
            await response.aread()
            raise httpx.ReadError("the answer was lost")
        return response


@pytest.fixture
def transport():
    return Meddling()


@pytest.fixture
async def store(tmp_path, s3_environment, transport):
    settings = read_settings(s3_environment)
    opened = ObjectStore(Bucket(settings, transport=transport, pause=0), settings.prefix, tmp_path)
    yield opened
    await opened.close()


@pytest.fixture
def client(s3_environment):
    return s3_client(s3_environment["S3_ENDPOINT"])


def uploads_left(client, environment):
    listed = client.list_multipart_uploads(Bucket=environment["S3_BUCKET"], Prefix=environment["S3_PREFIX"])
    return listed.get("Uploads", [])


async def kept(store):
    return [blob async for blob in store.list()]


@pytest.mark.parametrize(
    ("method", "path", "query", "body"),
    [
        ("GET", "/bucket/a/b", {}, b""),
        ("PUT", "/bucket/with space/plus+/é~_-.", {"partNumber": "7", "uploadId": "a/b=c+d"}, b"content"),
        ("GET", "/bucket", {"list-type": "2", "prefix": "a b/", "continuation-token": "x==&y"}, b""),
        ("POST", "/bucket/key", {"uploads": ""}, b""),
    ],
)
def test_requests_are_signed_as_botocore_signs_them(method, path, query, body):
    at = datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)
    digest = hashlib.sha256(body).hexdigest()
    target = f"{encode_path(path)}?{encode_query(query)}" if query else encode_path(path)
    ours = Signer("AKID", SECRET, "eu-north-1").sign(method, "store.example:9000", target, digest, at)
    theirs = S3SigV4Auth(Credentials("AKID", SECRET), "s3", "eu-north-1")
    stamp = ours["X-Amz-Date"]
    request = AWSRequest(
        method,
        f"http://store.example:9000{target}",
        headers={"X-Amz-Content-SHA256": digest, "X-Amz-Date": stamp},
    )
    request.context["timestamp"] = stamp
    canonical = theirs.canonical_request(request)
    signature = theirs.signature(theirs.string_to_sign(request, canonical), request)
    assert ours["Authorization"].endswith(f"Signature={signature}")
    assert hashlib.sha256(b"").hexdigest() == EMPTY_SHA256


def test_parts_grow_and_cover_everything():
    for size in (PART + 1, 3 * PART, 5 * 1024**4):
        parts = list(parts_of(size))
        assert len(parts) <= 10_000
        assert [number for number, _, _ in parts] == list(range(1, len(parts) + 1))
        assert sum(length for _, _, length in parts) == size
        assert all(length >= PART for _, _, length in parts[:-1])


async def test_a_large_blob_goes_out_in_parts_and_nothing_else_is_left(
    store, transport, client, s3_environment
):
    content = bytes(2 * PART)
    blob = await store.put("org_a", in_chunks(content))
    parts = [request for request in transport.seen if "partNumber" in request.url.params]
    assert len(parts) == 3
    assert [found.sha256 for found in await kept(store)] == [blob.sha256]
    assert uploads_left(client, s3_environment) == []


async def test_an_upload_that_breaks_is_aborted(store, transport, client, s3_environment):
    def refuse_third_part(request):
        return httpx.Response(403) if request.url.params.get("partNumber") == "3" else None

    transport.instead = refuse_third_part
    with pytest.raises(BlobStoreUnavailable):
        await store.put("org_a", in_chunks(bytes(2 * PART)))
    assert await kept(store) == []
    assert uploads_left(client, s3_environment) == []


async def test_an_upload_that_cannot_be_completed_is_aborted(store, transport, client, s3_environment):
    error = b"<Error><Code>InternalError</Code></Error>"

    def refuse_completion(request):
        completes = request.method == "POST" and "uploadId" in request.url.params
        return httpx.Response(200, content=error) if completes else None

    transport.instead = refuse_completion
    with pytest.raises(BlobStoreUnavailable):
        await store.put("org_a", in_chunks(bytes(PART)))
    assert await kept(store) == []
    assert uploads_left(client, s3_environment) == []


async def test_a_completion_whose_answer_was_lost_counts(store, transport):
    lost = []

    def lose_first_completion(request):
        completes = request.method == "POST" and "uploadId" in request.url.params
        if completes and not lost:
            lost.append(request)
            return True
        return False

    gone = b"<Error><Code>NoSuchUpload</Code></Error>"
    transport.lose = lose_first_completion
    transport.instead = lambda request: (
        httpx.Response(404, content=gone) if lost and request.method == "POST" else None
    )
    content = bytes(PART)
    blob = await store.put("org_a", in_chunks(content))
    assert len(lost) == 1
    assert sum([len(chunk) async for chunk in store.get("org_a", blob.sha256)]) == len(content)


async def test_what_is_sent_is_what_was_signed(store, transport):
    await store.put("org_a", in_chunks(b"x"))
    await kept(store)
    for request in transport.seen:
        assert b" " not in request.url.raw_path and b"+" not in request.url.raw_path
    assert b"prefix=test%20" in transport.seen[-1].url.raw_path
    assert transport.seen[-1].url.raw_path.endswith(b"%2F")


@pytest.mark.parametrize("status", [500, 503, 429])
async def test_what_may_heal_is_tried_again(store, transport, status):
    failures = [httpx.Response(status), httpx.Response(status)]
    transport.instead = lambda request: failures.pop() if failures else None
    blob = await store.put("org_a", in_chunks(b"content"))
    assert [chunk async for chunk in store.get("org_a", blob.sha256)] == [b"content"]


async def test_what_cannot_heal_is_not_tried_again(store, transport):
    transport.instead = lambda request: httpx.Response(403)
    with pytest.raises(BlobStoreUnavailable):
        await store.put("org_a", in_chunks(b"content"))
    assert len(transport.seen) == 1


async def test_a_store_that_stays_away_is_unavailable_and_names_no_secret(store, transport):
    def unreachable(request):
        raise httpx.ConnectError("no route")

    transport.instead = unreachable
    digest = hashlib.sha256(b"x").hexdigest()
    for attempt in (
        store.put("org_a", in_chunks(b"x")),
        store.stat("org_a", digest),
        store.delete("org_a", digest),
        anext(store.get("org_a", digest)),
        anext(store.list()),
    ):
        with pytest.raises(BlobStoreUnavailable) as refusal:
            await attempt
        assert refusal.value.status == 503
        assert isinstance(refusal.value.__cause__, StoreFailure)
        assert SECRET not in repr(refusal.value) + repr(refusal.value.__cause__)


async def test_a_body_that_breaks_off_is_unavailable_not_short(store, transport):
    blob = await store.put("org_a", in_chunks(bytes(PART)))

    async def breaking():
        yield bytes(300_000)
        raise httpx.ReadError("cut")

    def cut_the_blocks(request):
        if request.method == "GET" and "range" not in request.headers:
            stored = str(PART + 33 * 32)
            return httpx.Response(200, headers={"content-length": stored}, content=breaking())
        return None

    transport.instead = cut_the_blocks
    given = 0
    with pytest.raises(BlobStoreUnavailable):
        async for chunk in store.get("org_a", blob.sha256):
            given += len(chunk)
    assert given < PART


async def test_a_sweep_aborts_old_uploads_alone(store, client, s3_environment, transport):
    key = s3_environment["S3_PREFIX"] + "org_a/00/x"
    begun = client.create_multipart_upload(Bucket=s3_environment["S3_BUCKET"], Key=key)

    def begun_at(time):
        fields = f"<Key>{key}</Key><UploadId>{begun['UploadId']}</UploadId><Initiated>{time}</Initiated>"
        answer = httpx.Response(200, text=f"<Uploads><Upload>{fields}</Upload></Uploads>")
        transport.instead = lambda request: answer if "uploads" in request.url.params else None

    begun_at(datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z"))
    assert await store.sweep() == 0
    assert len(uploads_left(client, s3_environment)) == 1
    begun_at("2020-01-01T00:00:00.000Z")
    assert await store.sweep() == 1
    assert uploads_left(client, s3_environment) == []


async def test_a_sweep_finds_old_uploads_on_every_page_and_minds_nobody_who_was_faster(store, transport):
    old, young = "2020-01-01T00:00:00.000Z", datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    asked, aborted = [], []

    def page(marker):
        """A thousand young ones and an old one each; the second page is the last."""
        begun = [(f"{marker}{number}", young) for number in range(1000)] + [(f"{marker}old", old)]
        uploads = "".join(
            f"<Upload><Key>{key}</Key><UploadId>id-{key}</UploadId><Initiated>{at}</Initiated></Upload>"
            for key, at in begun
        )
        more = "true" if marker == "a" else "false"
        end = f"<IsTruncated>{more}</IsTruncated><NextKeyMarker>b</NextKeyMarker>"
        return f"<Uploads>{uploads}{end}<NextUploadIdMarker>c</NextUploadIdMarker></Uploads>"

    def answer(request):
        given = request.url.params
        if request.method == "DELETE":
            aborted.append(given["uploadId"])
            return httpx.Response(404, text="<Error><Code>NoSuchUpload</Code></Error>")
        asked.append((given.get("key-marker"), given.get("upload-id-marker")))
        return httpx.Response(200, text=page(given.get("key-marker", "a")))

    transport.instead = answer
    assert await store.sweep() == 2
    assert (asked, aborted) == ([(None, None), ("b", "c")], ["id-aold", "id-bold"])


async def test_a_listing_of_many_pages_is_whole_and_shows_blobs_alone(
    store, client, s3_environment, transport
):
    blobs = {(await store.put("org_a", in_chunks(bytes([n])))).sha256 for n in range(5)}
    client.put_object(
        Bucket=s3_environment["S3_BUCKET"], Key=s3_environment["S3_PREFIX"] + "org_a/readme.txt", Body=b"x"
    )
    seen_tokens = []

    def by_twos(request):
        if request.url.params.get("list-type") == "2":
            seen_tokens.append(request.url.params.get("continuation-token"))
            request.url = request.url.copy_merge_params({"max-keys": "2"})
        return

    transport.instead = by_twos
    assert {blob.sha256 for blob in await kept(store)} == blobs
    assert len(seen_tokens) == 3


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"S3_BUCKET": ""}, "S3_BUCKET"),
        ({"S3_BUCKET": "../up"}, "S3_BUCKET"),
        ({"S3_ACCESS_KEY_ID": ""}, "S3_ACCESS_KEY_ID"),
        ({"S3_SECRET_ACCESS_KEY": ""}, "S3_SECRET_ACCESS_KEY"),
        ({"S3_ENDPOINT": "minio:9000"}, "S3_ENDPOINT"),
        ({"S3_ENDPOINT": "https://user@minio"}, "S3_ENDPOINT"),
        ({"S3_REGION": "a b"}, "S3_REGION"),
    ],
)
async def test_a_setting_that_is_wrong_is_named(tmp_path, s3_environment, changed, name):
    with pytest.raises(BlobStoreRefused, match=f"^{name}: "):
        await open_store(tmp_path, {**s3_environment, **changed})


def test_a_server_with_another_store_pays_nothing_for_this_one():
    looked = "import sys, builtin_plugins.s3_store; print({'awscrt', 'httpx'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", looked], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.hall_databases("sqlite")
@pytest.mark.hall_settings(S3_BUCKET="../up", S3_ENDPOINT="", S3_SECRET_ACCESS_KEY=SECRET)
async def test_what_is_set_for_other_programs_does_not_stop_a_server_with_another_store(hall):
    assert hall.server.host.setting(BUCKET) == "../up"


def test_the_secret_stays_out_of_the_text_of_settings(s3_environment):
    assert SECRET not in repr(read_settings(s3_environment))


@pytest.fixture
def s3_in_the_environment(monkeypatch, s3_environment):
    for name, value in s3_environment.items():
        monkeypatch.setenv(name, value)
    return s3_environment


@pytest.mark.hall_databases("sqlite")
async def test_a_server_keeps_its_bytes_where_the_settings_say(open_hall, s3_in_the_environment):
    async with open_hall(SERVICE_BLOB_STORE="s3") as hall:
        store = hall.server.service(BlobStore)
        blob = await store.put("org_a", in_chunks(b"content"))
        assert [chunk async for chunk in store.get("org_a", blob.sha256)] == [b"content"]
        assert not (hall.server.settings.data / "blobs" / "org_a").exists()


@pytest.mark.hall_databases("sqlite")
async def test_a_bucket_that_cannot_be_used_stops_the_boot(open_hall, s3_in_the_environment, monkeypatch):
    monkeypatch.setenv("S3_BUCKET", "nobodys-bucket")
    with pytest.raises(
        OperatorError, match=r"nobodys-bucket at http://127.0.0.1:[0-9]+ cannot be used"
    ) as refusal:
        async with open_hall(SERVICE_BLOB_STORE="s3"):
            pass
    assert SECRET not in str(refusal.value)
