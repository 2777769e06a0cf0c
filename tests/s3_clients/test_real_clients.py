"""What people do with the clients that they have, each as it comes."""

import hashlib
import json
import random

import httpx
import pytest

from guildhall_sdk.metrics import Metrics
from tests.s3_clients.clients import CLIENTS, AwsCli, Boto3, ClientFailed, JavaScript, OldBoto3
from tests.s3_clients.conftest import shortly

pytestmark = pytest.mark.hall_databases("sqlite")

MIB = 1024 * 1024
IN_ONE_REQUEST = (Boto3, OldBoto3, AwsCli, JavaScript)
TREE = {
    "plain.txt": b"plain\n",
    "empty": b"",
    "with space.txt": b"a blank",
    "plus+and&and=.txt": b"a sum",
    "hundred%25percent%.txt": b"what looks encoded is not",
    "quote's;(semi)~.txt": b"marks",
    "ünï/日本語.txt": "gruß".encode(),
    "a/b/c/deep.bin": bytes(range(256)) * 40,
}


@pytest.fixture
def tree(tmp_path):
    folder = tmp_path / "tree"
    for name, content in TREE.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


async def test_a_tree_goes_up_is_changed_and_comes_back(plain_client, tree, tmp_path):
    await plain_client.up(tree, "in here/")
    await plain_client.copy("in here/hundred%25percent%.txt", "in here/ø + copy & more%.txt")
    await plain_client.delete("in here/plus+and&and=.txt")
    expected = TREE | {"ø + copy & more%.txt": TREE["hundred%25percent%.txt"]}
    del expected["plus+and&and=.txt"]
    assert sorted(await plain_client.keys()) == sorted(f"in here/{name}" for name in expected)
    back = tmp_path / "back"
    back.mkdir()
    await plain_client.down("in here/", back)
    found = {path.relative_to(back).as_posix(): path for path in back.rglob("*") if path.is_file()}
    assert {name: path.read_bytes() for name, path in found.items()} == expected


@pytest.mark.parametrize("name", shortly(["boto3", "awscli", "rclone", "s3fs"], "boto3", "rclone"))
async def test_an_endpoint_below_a_path_will_do(name, issued_place, tree, tmp_path):
    """s3cmd and minio-py take none; they use the listener of S3."""
    client = CLIENTS[name](issued_place)
    await client.put(tree / "plain.txt", "ø/one + two%.txt")
    assert await client.keys() == ["ø/one + two%.txt"]
    await client.get("ø/one + two%.txt", tmp_path / "got")
    assert (tmp_path / "got").read_bytes() == TREE["plain.txt"]


async def test_a_large_file_goes_up_in_parts_or_in_one_request_and_comes_back(client, hall, tmp_path):
    """Where a client waits to be told to go on, it is, in words that it knows."""
    content = random.Random(17).randbytes(17 * MIB + 1)
    (tmp_path / "large").write_bytes(content)
    await client.put(tmp_path / "large", "large.bin")
    await client.get("large.bin", tmp_path / "got")
    assert (tmp_path / "got").read_bytes() == content
    assert await completed_uploads(hall) == 1
    if isinstance(client, IN_ONE_REQUEST):
        (tmp_path / "ten").write_bytes(content[: 10 * MIB])
        await client.whole(tmp_path / "ten", "ten.bin")
        await client.get("ten.bin", tmp_path / "got")
        assert (tmp_path / "got").read_bytes() == content[: 10 * MIB]
        assert await completed_uploads(hall) == 1


async def follow(method, link, content=None):
    """As anybody who holds it."""
    async with httpx.AsyncClient(verify=False, trust_env=False) as http:
        return await http.request(method, link, content=content)


@pytest.mark.parametrize("name", shortly(["boto3", "boto3-1.34", "javascript"], "javascript"))
async def test_a_link_is_followed_both_ways(name, plain_place):
    client = CLIENTS[name](plain_place)
    link = await client.link("PUT", "ø/by link.txt")
    for content in (b"by link", b""):
        answer = await follow("PUT", link, content)
        assert answer.status_code == 200, answer.text
        got = await follow("GET", await client.link("GET", "ø/by link.txt"))
        assert (got.status_code, got.content) == (200, content)
    assert (await follow("GET", link)).status_code == 403


@pytest.mark.parametrize("name", shortly(["awscli", "awscli-1.32"], "awscli-1.32"))
async def test_a_link_of_the_command_line_is_followed(name, plain_place, tree):
    client = CLIENTS[name](plain_place)
    await client.put(tree / "plain.txt", "ø/plain.txt")
    got = await follow("GET", await client.link("GET", "ø/plain.txt"))
    assert (got.status_code, got.content) == (200, TREE["plain.txt"])


@pytest.mark.parametrize("name", shortly(["awscli", "awscli-1.32"], "awscli"))
@pytest.mark.long_form
async def test_the_command_line_sets_shows_and_deletes_a_lifecycle(name, plain_place):
    client, bucket = CLIENTS[name](plain_place), ("--bucket", plain_place.bucket)
    rule = {
        "ID": "old",
        "Filter": {"Prefix": "ø/"},
        "Status": "Enabled",
        "NoncurrentVersionExpiration": {"NoncurrentDays": 30, "NewerNoncurrentVersions": 5},
    }
    rules = json.dumps({"Rules": [rule]})
    put = ("s3api", "put-bucket-lifecycle-configuration", *bucket, "--lifecycle-configuration", rules)
    await client.run(*put)
    get = ("s3api", "get-bucket-lifecycle-configuration", *bucket)
    assert json.loads(await client.run(*get))["Rules"] == [rule]
    await client.run("s3api", "delete-bucket-lifecycle", *bucket)
    with pytest.raises(ClientFailed, match="NoSuchLifecycleConfiguration"):
        await client.run(*get)


async def test_javascript_streams_and_sets_conditions(place, tree, tmp_path):
    client = CLIENTS["javascript"](place)
    deep, plain = tree / "a/b/c/deep.bin", tree / "plain.txt"
    await client.stream(deep, "k")
    await client.get("k", tmp_path / "got")
    assert (tmp_path / "got").read_bytes() == TREE["a/b/c/deep.bin"]
    with pytest.raises(ClientFailed, match="PreconditionFailed"):
        await client.create(plain, "k")
    etag = hashlib.md5(TREE["a/b/c/deep.bin"]).hexdigest()
    await client.replace(plain, "k", f'"{etag}"')
    with pytest.raises(ClientFailed, match="PreconditionFailed"):
        await client.replace(deep, "k", f'"{etag}"')
    await client.create(plain, "new")
    await client.get("k", tmp_path / "got")
    assert (tmp_path / "got").read_bytes() == TREE["plain.txt"]


async def completed_uploads(hall):
    families = {family.name: family for family in await hall.server.service(Metrics).collect()}
    return sum(
        sample.value
        for sample in families["guildhall_s3_requests_total"].samples
        if sample.labels == {"operation": "CompleteMultipartUpload", "status": "200"}
    )
