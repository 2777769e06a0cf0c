"""`POST /api/org/export`: a company's owner takes it along, as a file that is there for a day."""

import asyncio
import json
import os
import shutil
import zipfile
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from guildhall_sdk import Call, JobCall, JobKind, NotFound, PermissionDenied, Reply, Route, rfc3339
from guildhall_sdk.blobs import BlobReferences, BlobStore
from guildhall_sdk.jobs import NewJob
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.replies import accepted
from guildhall_sdk.routes import Auth
from guildhall_sdk.schema import obj, string
from guildhall_sdk.services.identity import Credentials, Vault
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.sign_in import check_step_up

EXPORT = "backup.export"
FOLDER = "exports"
_PURPOSE = "export of a company"
_OWNER = "org_owner"
_DAY_MS = 24 * 3600 * 1000
_CHUNK = 256 * 1024
_GONE = "This download has ended: ask for another export."

ROUTES = (
    Route(
        "POST",
        "/api/org/export",
        "export_company",
        "Put all that the company has into a file, as a job whose result is its address, good for 24 hours. "
        "Passwords, tokens and secrets are not in it.",
        permission="org:manage",
        session_only=True,
        reply=obj({"job": obj({"id": string()}, required=["id"])}, required=["job"]),
        status=202,
    ),
    Route(
        "GET",
        "/api/org/export/download",
        "download_export",
        "The file of an export, by the token in its address.",
        Auth.PUBLIC,
        query={"token": string(min_length=1, max_length=2000)},
        content_type="application/zip",
        limit=30,
    ),
)


async def export(call: Call) -> Reply:
    who = call.principal
    if who.org_role != _OWNER:
        raise PermissionDenied(_OWNER, "Only an org_owner takes all that the company has along.")
    async with call.write() as writer:
        await check_step_up(call, writer)
        new = NewJob(EXPORT, who.org_id, who.team_id, who.user_id, {}, unique_key=f"export {who.org_id}")
        job = await call.host.service(Jobs).enqueue(writer, new)
        writer.audit("company.export_asked", ("org", who.org_id), detail={"job": job.id})
    return accepted({"job": {"id": job.id}}, f"/api/jobs/{job.id}")


async def run(job: JobCall) -> dict[str, Any]:
    """Makes the file; a repeat after a kill makes it anew, under the same name."""
    from builtin_plugins.backup.companies import CompanySource, export_company, steps_of

    host = job.host
    folder = host.settings.data / FOLDER
    work, file = folder / f"{job.id}.d", folder / f"{job.id}.zip"
    await asyncio.to_thread(_make_room, folder, work, host.clock.now_ms())
    store = host.service(BlobStore)
    source = CompanySource(
        data=host.data,
        store=store,
        references=host.service(Plugins).declared(BlobReferences),
        clock=host.clock,
        version=host.settings.version,
        steps=await steps_of(host.data),
        vault=None,
    )
    try:
        await export_company(source, job.org_id, work, lambda what, state: None)
        await asyncio.to_thread(_pack, work, file)
        # Every server finds it there. Nothing refers to it: it is swept a day later, or with the company.
        blob = await store.put(job.org_id, _chunks(file))
    finally:
        await asyncio.to_thread(_remove, work, file)
    ends = host.clock.now_ms() + _DAY_MS
    told = [job.org_id, blob.sha256, ends, job.user_id, job.team_id]
    token = host.service(Vault).seal(_PURPOSE, json.dumps(told))
    url = f"{host.settings.base_url}/api/org/export/download?token={token}"
    return {"url": url, "expires_at": rfc3339(ends)}


async def download(call: Call) -> Reply:
    text = call.host.service(Vault).unseal(_PURPOSE, call.query.get("token", ""))
    if text is None:
        raise NotFound(_GONE)
    org_id, sha256, ends, user_id, team_id = json.loads(text)
    async with call.host.data.read() as reader:
        who = await call.service(Credentials).acting(reader, user_id=user_id, team_id=team_id, scope=None)
    if who is None or who.org_role != _OWNER:
        raise NotFound(_GONE)  # whoever asked owns the company no more
    store = call.host.service(BlobStore)
    size = None if ends <= call.host.clock.now_ms() else await store.stat(org_id, sha256)
    if size is None:
        raise NotFound(_GONE)
    headers = {
        "Content-Disposition": 'attachment; filename="export.zip"',
        "Content-Length": str(size),
        "Cache-Control": "no-store",
    }
    return Reply(stream=store.get(org_id, sha256), content_type="application/zip", headers=headers)


async def _chunks(path: Path) -> AsyncIterator[bytes]:
    with await asyncio.to_thread(path.open, "rb") as file:
        while chunk := await asyncio.to_thread(file.read, _CHUNK):
            yield chunk


def _make_room(folder: Path, work: Path, now_ms: int) -> None:
    """Removes what an attempt that was killed left, of this export or of any a day ago."""
    folder.mkdir(mode=0o700, exist_ok=True)
    shutil.rmtree(work, ignore_errors=True)
    for path in folder.iterdir():
        if path.stat().st_mtime * 1000 < now_ms - _DAY_MS:
            _remove(path, path)


def _remove(folder: Path, file: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if not file.is_dir():
        file.unlink(missing_ok=True)


def _pack(folder: Path, file: Path) -> None:
    draft = file.with_suffix(".draft")
    with draft.open("wb") as out:
        os.fchmod(out.fileno(), 0o600)
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    packed.write(path, path.relative_to(folder))
        out.flush()
        os.fsync(out.fileno())
    draft.replace(file)


JOB_KINDS = (
    JobKind(
        EXPORT,
        "Puts all that a company has into a file.",
        handler=run,
        public=False,
        timeout_seconds=6 * 3600,
    ),
)
HANDLERS: Mapping[str, Any] = {"export_company": export, "download_export": download}
