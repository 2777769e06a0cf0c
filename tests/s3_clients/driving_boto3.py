"""boto3 with its defaults."""

import os
from pathlib import Path

import boto3
from driving import drive

bucket = boto3.resource("s3", endpoint_url=os.environ["S3_ENDPOINT"]).Bucket(os.environ["S3_BUCKET"])


def link(method, key):
    told = {"Bucket": bucket.name, "Key": key}
    return bucket.meta.client.generate_presigned_url(f"{method.lower()}_object", Params=told)


drive(
    put=bucket.upload_file,
    get=bucket.download_file,
    keys=lambda: (one.key for one in bucket.objects.all()),
    copy=lambda source, key: bucket.copy({"Bucket": bucket.name, "Key": source}, key),
    delete=lambda key: bucket.Object(key).delete(),
    whole=lambda path, key: bucket.put_object(Key=key, Body=Path(path).read_bytes()),
    link=link,
)
