"""An object in parts over S3, several at once, by links: the client only writes bytes to sockets."""

import http.client
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from urllib.parse import urlsplit

from bench.object_stores import Store
from bench.servers import BenchFailed

MIB = 1024 * 1024


def upload(store: Store, key: str, parts: int, part_mib: int, at_once: int) -> None:
    """Uploads the parts, so many at once, and completes the object."""
    begun = store.client.create_multipart_upload(Bucket=store.bucket, Key=key)
    named = {"Bucket": store.bucket, "Key": key, "UploadId": begun["UploadId"]}

    def put(number: int) -> dict[str, object]:
        link = store.client.generate_presigned_url("upload_part", {**named, "PartNumber": number})
        return {"PartNumber": number, "ETag": _put(link, number, part_mib)}

    with ThreadPoolExecutor(at_once) as pool:
        done = list(pool.map(put, range(1, parts + 1)))
    store.client.complete_multipart_upload(**named, MultipartUpload={"Parts": done})


def _put(link: str, number: int, part_mib: int) -> str:
    url = urlsplit(link)
    with closing(http.client.HTTPConnection(url.netloc, timeout=120)) as connection:
        headers = {"Content-Length": str(part_mib * MIB)}
        connection.request("PUT", f"{url.path}?{url.query}", _content(number, part_mib), headers)
        answer = connection.getresponse()
        if answer.status != 200:
            raise BenchFailed(f"a part was answered {answer.status}: {answer.read().decode()}")
        answer.read()
        return answer.headers["ETag"]


def _content(number: int, part_mib: int) -> Iterator[bytes]:
    for one in range(part_mib):
        yield f"{number:08}{one:08}".encode() * (MIB // 16)
