"""A store that does what the specification names and no more: put, get, delete, stat."""

import asyncio
import hashlib
import json
import textwrap

import pytest

from builtin_plugins.blobs.stores import StoreRefused, open_blob_store
from guildhall_sdk.blobs import BlobStoreKind
from guildhall_sdk.services.repository import Repository
from guildhall_testing.servers import settings_from
from tests import commands

STORE = """
    import hashlib

    from guildhall_sdk import hookimpl
    from guildhall_sdk.blobs import Blob, BlobMissing, BlobStoreKind

    class Cellar:
        def __init__(self, folder):
            self.folder = folder

        async def put(self, namespace, chunks, *, also=(), check=None):
            content = b"".join([chunk async for chunk in chunks])
            for hasher in also:
                hasher.update(content)
            blob = Blob(hashlib.sha256(content).hexdigest(), len(content))
            if check is not None:
                check(blob)
            (self.folder / f"{namespace}-{blob.sha256}").write_bytes(content)
            return blob

        async def get(self, namespace, sha256, start=0, end=None):
            if await self.stat(namespace, sha256) is None:
                raise BlobMissing
            yield (self.folder / f"{namespace}-{sha256}").read_bytes()[start:end]

        async def delete(self, namespace, sha256):
            (self.folder / f"{namespace}-{sha256}").unlink(missing_ok=True)

        async def stat(self, namespace, sha256):
            path = self.folder / f"{namespace}-{sha256}"
            return path.stat().st_size if path.exists() else None

    async def open_store(data, environment):
        folder = data / "cellar"
        folder.mkdir(exist_ok=True)
        return Cellar(folder)

    @hookimpl
    def declare_blob_stores():
        return [BlobStoreKind("cellar", open_store)]
"""
CONTENT = b"a good many bytes " * 20_000


@pytest.fixture
def cellar(tmp_path):
    home = tmp_path / "plugins" / "cellar"
    home.mkdir(parents=True)
    manifest = {"id": "cellar", "name": "C", "version": "1", "description": "x", "entry": "plugin.py"}
    (home / "plugin.json").write_text(json.dumps(manifest))
    (home / "plugin.py").write_text(textwrap.dedent(STORE))
    return {"SERVICE_PLUGINS": str(home.parent), "SERVICE_BLOB_STORE": "cellar"}


@pytest.mark.hall_databases("sqlite")
async def test_it_serves_and_is_scrubbed_and_backed_up(
    open_hall, cellar, monkeypatch, capsys, caplog, tmp_path
):
    async with open_hall(**cellar) as hall:
        made = await hall.acme.owner.put("/api/repo/deep.bin", content=CONTENT)
        assert made.status_code == 201, made.text
        assert (await hall.acme.owner.get(f"/api/repo-obj/{made.json()['id']}/content")).content == CONTENT
        await hall.server.service(Repository).blobs.sweep()
        (told,) = [record for record in caplog.records if record.msg == "blobs.not_swept"]
        assert told.fields == {"reason": "the store cellar cannot list what it keeps"}
        settings = hall.server.settings
        monkeypatch.setenv("SERVICE_DATA", str(settings.data))
        monkeypatch.setenv("SERVICE_DATABASE_URL", settings.database_url)
        for name, value in cellar.items():
            monkeypatch.setenv(name, value)
        capsys.readouterr()
        assert await asyncio.to_thread(commands.main, ["scrub"]) == 0
        note, figures = capsys.readouterr().out.splitlines()
        assert note.startswith("note: the store cellar cannot list what it keeps: only what is in use")
        assert "1 blobs, 0.3 MiB: all sound; unused ones are not known" in figures
        assert await asyncio.to_thread(commands.main, ["backup", str(tmp_path / "backup")]) == 0
        name = f"{hall.acme.org_id}-{hashlib.sha256(CONTENT).hexdigest()}"
        (settings.data / "cellar" / name).write_bytes(b"spoiled")
        assert await asyncio.to_thread(commands.main, ["scrub"]) == 1
        (settings.data / "cellar" / name).unlink()
        assert await asyncio.to_thread(commands.main, ["scrub"]) == 1
        assert f"missing  {name.replace('-', ' ')}" in capsys.readouterr().out


async def test_a_store_without_one_of_the_four_is_named():
    async def open_store(data, environment):
        return object()

    settings = settings_from({"SERVICE_BLOB_STORE": "cellar"})
    with pytest.raises(StoreRefused, match="the store cellar has no put, get, delete, stat"):
        await open_blob_store({"cellar": BlobStoreKind("cellar", open_store)}, settings)
