"""s3fs, the one of fsspec; in parts from 8 MiB instead of 50."""

import os

from driving import drive
from s3fs import S3FileSystem

bucket = os.environ["S3_BUCKET"] + "/"
files = S3FileSystem(endpoint_url=os.environ["S3_ENDPOINT"])

drive(
    put=lambda path, key: files.put_file(path, bucket + key, chunksize=8 * 1024 * 1024),
    get=lambda key, path: files.get_file(bucket + key, path),
    keys=lambda: (path.removeprefix(bucket) for path in files.find(bucket)),
    copy=lambda source, key: files.cp_file(bucket + source, bucket + key),
    delete=lambda key: files.rm_file(bucket + key),
)
