"""boto3 as people set it up."""

import asyncio

import boto3
from botocore.auth import S3SigV4Auth
from botocore.config import Config

NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


class Signer(S3SigV4Auth):
    """Says of the body what it is told to say."""

    def __init__(self, payload, credentials, region):
        super().__init__(credentials, "s3", region)
        self._payload = payload

    def payload(self, request):
        return self._payload


def boto_client(endpoint, access_key_id, secret, **config):
    return boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name="local",
        aws_access_key_id=access_key_id,
        aws_secret_access_key=secret,
        verify=config.pop("verify", None),
        config=Config(retries={"max_attempts": 1}, **config),
    )


class Bucket:
    """`await bucket.put_object(Key=…)`: boto3 in a thread, with the bucket filled in."""

    def __init__(self, client, name, key):
        self.client = client
        self.name = name
        self.key = key

    def __getattr__(self, operation):
        call = getattr(self.client, operation)

        async def called(**arguments):
            return await asyncio.to_thread(call, **{"Bucket": self.name, **arguments})

        return called

    async def read(self, key, **more):
        """The bytes of an object."""

        def read():
            return self.client.get_object(Bucket=self.name, Key=key, **more)["Body"].read()

        return await asyncio.to_thread(read)

    async def keys(self, **more):
        listed = await self.list_objects_v2(**more)
        return [entry["Key"] for entry in listed.get("Contents", [])]

    async def versions(self):
        """Every version there is, as its key and its id."""

        def all_versions():
            pages = self.client.get_paginator("list_object_versions").paginate(Bucket=self.name)
            return {(one["Key"], one["VersionId"]) for page in pages for one in page.get("Versions", [])}

        return await asyncio.to_thread(all_versions)
