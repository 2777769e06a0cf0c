"""Clients of others, each told what to do in its own words."""

import asyncio
import json
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE.parents[1] / ".venv" / "s3-clients" / "bin"
OLD = HERE.parents[1] / ".venv" / "s3-clients-old" / "bin"
JAVASCRIPT = HERE / "javascript"
_PATIENCE_SECONDS = 120


class ClientFailed(Exception):
    """A client ended with an error; what it said."""


@dataclass(frozen=True)
class Place:
    """A bucket, how to get there and with which key; `trusted` is a certificate for TLS."""

    endpoint: str
    bucket: str
    access_key_id: str
    secret: str
    trusted: Path | None
    home: Path

    @property
    def host(self) -> str:
        return self.endpoint.partition("://")[2]

    def environment(self) -> dict[str, str]:
        """Nothing of whoever runs the tests: no configuration, no proxy, no other keys."""
        told = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LC_ALL": "C.UTF-8",
            "PYTHONUTF8": "1",
            "AWS_ACCESS_KEY_ID": self.access_key_id,
            "AWS_SECRET_ACCESS_KEY": self.secret,
            "AWS_DEFAULT_REGION": "local",
            "AWS_EC2_METADATA_DISABLED": "true",
            "S3_ENDPOINT": self.endpoint,
            "S3_BUCKET": self.bucket,
        }
        if self.trusted is not None:
            names = ("AWS_CA_BUNDLE", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
            told |= dict.fromkeys(names, str(self.trusted))
        return told


class Client(ABC):
    """Told in the words of `driving`; those that are commands themselves have their own."""

    def __init__(self, place: Place) -> None:
        self.place = place

    async def put(self, path: Path, key: str) -> None:
        await self.run("put", str(path), key)

    async def get(self, key: str, path: Path) -> None:
        await self.run("get", key, str(path))

    async def keys(self) -> list[str]:
        return json.loads(await self.run("list"))

    async def copy(self, source: str, key: str) -> None:
        await self.run("copy", source, key)

    async def delete(self, key: str) -> None:
        await self.run("delete", key)

    async def up(self, folder: Path, prefix: str) -> None:
        await self.run("up", str(folder), prefix)

    async def down(self, prefix: str, folder: Path) -> None:
        await self.run("down", prefix, str(folder))

    async def whole(self, path: Path, key: str) -> None:
        """In one request, however large."""
        await self.run("whole", str(path), key)

    async def link(self, method: str, key: str) -> str:
        """Presigned, to GET or to PUT."""
        return (await self.run("link", method, key)).strip()

    @abstractmethod
    def command(self) -> Sequence[str]:
        """How the program is called, before what it is to do."""

    async def run(self, *arguments: str) -> str:
        process = await asyncio.create_subprocess_exec(
            *self.command(),
            *arguments,
            env=self.place.environment(),
            cwd=self.place.home,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                said, complained = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            raise ClientFailed(f"{arguments}: {complained.decode()}{said.decode()}")
        return said.decode()


class Library(Client):
    """A library in a program of ours, which is started once and told one thing after the other."""

    _process: asyncio.subprocess.Process | None = None

    async def run(self, *arguments: str) -> str:
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *self.command(),
                env=self.place.environment(),
                cwd=self.place.home,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
            _running.append(self._process)
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(arguments).encode() + b"\n")
        async with asyncio.timeout(_PATIENCE_SECONDS):
            line = await self._process.stdout.readline()
        said = json.loads(line) if line else {"failed": "it has ended"}
        if "failed" in said:
            raise ClientFailed(f"{arguments}: {said['failed']}")
        return said["answer"]


_running: list[asyncio.subprocess.Process] = []


async def end_all() -> None:
    """Ends the programs of all libraries."""
    while _running:
        process = _running.pop()
        if process.returncode is None:
            process.kill()
        await process.communicate()


class Boto3(Library):
    def command(self) -> Sequence[str]:
        return (sys.executable, str(HERE / "driving_boto3.py"))


class OldBoto3(Library):
    def command(self) -> Sequence[str]:
        return (str(OLD / "python"), str(HERE / "driving_boto3.py"))


class JavaScript(Library):
    def command(self) -> Sequence[str]:
        return ("node", str(JAVASCRIPT / "driving.mjs"))

    async def stream(self, path: Path, key: str) -> None:
        await self.run("stream", str(path), key)

    async def create(self, path: Path, key: str) -> None:
        """Only where nothing is."""
        await self.run("create", str(path), key)

    async def replace(self, path: Path, key: str, etag: str) -> None:
        """Only what has this ETag."""
        await self.run("replace", str(path), key, etag)


class Minio(Library):
    def command(self) -> Sequence[str]:
        return (str(FOLDER / "python"), str(HERE / "driving_minio.py"))


class S3fs(Library):
    def command(self) -> Sequence[str]:
        return (str(FOLDER / "python"), str(HERE / "driving_s3fs.py"))


class AwsCli(Client):
    folder = FOLDER

    def command(self) -> Sequence[str]:
        return (str(self.folder / "python"), str(self.folder / "aws"), "--endpoint-url", self.place.endpoint)

    def at(self, key: str) -> str:
        return f"s3://{self.place.bucket}/{key}"

    async def put(self, path: Path, key: str) -> None:
        await self.run("s3", "cp", "--quiet", str(path), self.at(key))

    async def get(self, key: str, path: Path) -> None:
        await self.run("s3", "cp", "--quiet", self.at(key), str(path))

    async def keys(self) -> list[str]:
        asked = ("--bucket", self.place.bucket, "--query", "Contents[].Key", "--output", "json")
        return json.loads(await self.run("s3api", "list-objects-v2", *asked)) or []

    async def copy(self, source: str, key: str) -> None:
        await self.run("s3", "cp", "--quiet", self.at(source), self.at(key))

    async def delete(self, key: str) -> None:
        await self.run("s3", "rm", "--quiet", self.at(key))

    async def up(self, folder: Path, prefix: str) -> None:
        await self.run("s3", "sync", "--quiet", str(folder), self.at(prefix))

    async def down(self, prefix: str, folder: Path) -> None:
        await self.run("s3", "sync", "--quiet", self.at(prefix), str(folder))

    async def whole(self, path: Path, key: str) -> None:
        told = ("--bucket", self.place.bucket, "--key", key, "--body", str(path))
        await self.run("s3api", "put-object", *told)

    async def link(self, method: str, key: str) -> str:
        """It makes none to PUT."""
        assert method == "GET"
        return (await self.run("s3", "presign", self.at(key))).strip()


class OldAwsCli(AwsCli):
    folder = OLD


class S3cmd(Client):
    def command(self) -> Sequence[str]:
        place = self.place
        trusted = () if place.trusted is None else (f"--ca-certs={place.trusted}",)
        return (
            *(str(FOLDER / "python"), str(FOLDER / "s3cmd"), "--config=none.cfg", "--no-progress", *trusted),
            *(f"--host={place.host}", f"--host-bucket={place.host}", "--region=local"),
            *(f"--access_key={place.access_key_id}", f"--secret_key={place.secret}"),
            "--no-ssl" if place.trusted is None else "--ssl",
        )

    def at(self, key: str) -> str:
        return f"s3://{self.place.bucket}/{key}"

    async def put(self, path: Path, key: str) -> None:
        await self.run("put", str(path), self.at(key))

    async def get(self, key: str, path: Path) -> None:
        await self.run("get", "--force", self.at(key), str(path))

    async def keys(self) -> list[str]:
        listed = await self.run("ls", "--recursive", self.at(""))
        return [line.partition(self.at(""))[2] for line in listed.splitlines()]

    async def copy(self, source: str, key: str) -> None:
        await self.run("cp", self.at(source), self.at(key))

    async def delete(self, key: str) -> None:
        await self.run("del", self.at(key))

    async def up(self, folder: Path, prefix: str) -> None:
        await self.run("sync", f"{folder}/", self.at(prefix))

    async def down(self, prefix: str, folder: Path) -> None:
        await self.run("sync", self.at(prefix), f"{folder}/")


class Rclone(Client):
    def command(self) -> Sequence[str]:
        place = self.place
        trusted = () if place.trusted is None else ("--ca-cert", str(place.trusted))
        return (
            *(str(FOLDER / "rclone"), "--config", "", "--quiet", "--retries", "1", *trusted),
            *("--s3-provider", "Other", "--s3-env-auth", "--s3-endpoint", place.endpoint),
            *("--s3-upload-cutoff", "8M", "--s3-chunk-size", "8M"),
        )

    def at(self, key: str) -> str:
        return f":s3:{self.place.bucket}/{key}"

    async def put(self, path: Path, key: str) -> None:
        await self.run("copyto", str(path), self.at(key))

    async def get(self, key: str, path: Path) -> None:
        await self.run("copyto", self.at(key), str(path))

    async def keys(self) -> list[str]:
        return (await self.run("lsf", "--recursive", "--files-only", self.at(""))).splitlines()

    async def copy(self, source: str, key: str) -> None:
        await self.run("copyto", self.at(source), self.at(key))

    async def delete(self, key: str) -> None:
        await self.run("deletefile", self.at(key))

    async def up(self, folder: Path, prefix: str) -> None:
        await self.run("sync", str(folder), self.at(prefix))

    async def down(self, prefix: str, folder: Path) -> None:
        await self.run("sync", self.at(prefix), str(folder))


CLIENTS: dict[str, type[Client]] = {
    "boto3": Boto3,
    "boto3-1.34": OldBoto3,
    "awscli": AwsCli,
    "awscli-1.32": OldAwsCli,
    "javascript": JavaScript,
    "s3cmd": S3cmd,
    "rclone": Rclone,
    "minio-py": Minio,
    "s3fs": S3fs,
}
