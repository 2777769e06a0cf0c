"""minio-py."""

import os
from urllib.parse import urlsplit

from driving import drive
from minio import Minio
from minio.commonconfig import CopySource

endpoint = urlsplit(os.environ["S3_ENDPOINT"])
bucket = os.environ["S3_BUCKET"]
client = Minio(
    endpoint.netloc,
    access_key=os.environ["AWS_ACCESS_KEY_ID"],
    secret_key=os.environ["AWS_SECRET_ACCESS_KEY"],
    secure=endpoint.scheme == "https",
)

drive(
    put=lambda path, key: client.fput_object(bucket, key, path),
    get=lambda key, path: client.fget_object(bucket, key, path),
    keys=lambda: (one.object_name for one in client.list_objects(bucket, recursive=True)),
    copy=lambda source, key: client.copy_object(bucket, key, CopySource(bucket, source)),
    delete=lambda key: client.remove_object(bucket, key),
)
