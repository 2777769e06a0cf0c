"""Keeps small data of a version that is released: `python -m tests.upgrade.released`, once for each.

A folder by the version holds the data folder on SQLite, a backup with its key on PostgreSQL, and what the API
answered about them. Later versions answer with all of that, and may add to it.
"""

import asyncio
import json
import sys
import tarfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from deploy.releases.sources import read_release
from guildhall_testing.postgres import session_server
from tests import commands
from tests.processes import free_port
from tests.upgrade.fill import PASSWORD, fill

HERE = Path(__file__).parent
ENGINES = ("sqlite", "postgresql")
#: What is asked of both versions, as the one who set the hall up.
PATHS = tuple(
    f"/api/{path}"
    for path in (
        *(
            "audit?limit=200",
            "conversations",
            "doc-triggers",
            "documents",
            "executors",
            "features",
            "glossary",
        ),
        *("jobs", "kg/entities", "members", "notes", "org/members", "org/sign-in", "org/teams", "profile"),
        *("repo?prefix=minutes/", "runs", "s3/credentials", "schedules", "tokens", "webhooks", "workflows"),
    )
)
#: What says when or how it was asked, and not what is there.
_PASSING = {
    "budget",  # of the day
    "endpoint",
    "next_cursor",
    "cursor",
    "last_used_at",
    "last_seen_at",
    "seen_at",
    "health",
    "state_at",
    "checked_at",
}


def fill_more(url: str) -> None:
    """Adds what came after the first hall of `fill`."""
    with httpx.Client(base_url=url, timeout=60, trust_env=False) as http:
        token = http.post("/api/login", json={"username": "ada", "password": PASSWORD}).json()["token"]
        for path, body in (
            ("/api/features/chat", {"enabled": True}),
            (
                "/api/conversations",
                {"title": "Berths in winter", "messages": [{"role": "user", "text": "Hello"}]},
            ),
            (
                "/api/schedules",
                {
                    "cron": "0 8 * * MON-FRI",
                    "timezone": "Europe/Amsterdam",
                    "workflow_slug": "count",
                    "input": {"message": "one"},
                },
            ),
            ("/api/webhooks", {"events": ["note.changed"], "url": "https://example.com/guildhall"}),
            ("/api/org/teams", {"name": "Harbour"}),
        ):
            answer = http.post(path, json=body, headers={"Authorization": f"Bearer {token}"})
            if answer.is_error:
                raise SystemExit(f"{path}: {answer.status_code} {answer.text}")


def holds(now: Any, before: Any) -> bool:
    """Whether an answer has all of an earlier one: fields and items may have been added."""
    if isinstance(before, dict):
        return isinstance(now, dict) and all(
            name in now and holds(now[name], value) for name, value in before.items() if name not in _PASSING
        )
    if isinstance(before, list):
        return isinstance(now, list) and all(any(holds(one, item) for one in now) for item in before)
    return bool(now == before)


async def answers(http: httpx.AsyncClient) -> dict[str, Any]:
    """Signs in and returns what each of the paths answers."""
    signed_in = await http.post("/api/login", json={"username": "ada", "password": PASSWORD})
    headers = {"Authorization": f"Bearer {signed_in.raise_for_status().json()['token']}"}
    return {path: (await http.get(path, headers=headers)).raise_for_status().json() for path in PATHS}


@asynccontextmanager
async def serving(environ: dict[str, str]) -> AsyncIterator[httpx.AsyncClient]:
    """Serves in a process of its own, and gives a client of it."""
    bind = f"127.0.0.1:{free_port()}"
    s3 = f"127.0.0.1:{free_port()}"
    process = await commands.start({**environ, "SERVICE_BIND": bind, "SERVICE_S3_BIND": s3}, "serve")
    try:
        if b"Guildhall" not in await process.stdout.readline():
            raise AssertionError((await process.stderr.read()).decode())
        async with httpx.AsyncClient(base_url=f"http://{bind}", trust_env=False, timeout=60) as http:
            yield http
    finally:
        await process.stop()


async def keep(engine: str, target: Path) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        data = folder / "data"
        environ = commands.bare_environment(SERVICE_DATA=str(data), SERVICE_LOG_LEVEL="error")
        if engine == "postgresql":
            environ["SERVICE_DATABASE_URL"] = session_server().create_database()
        async with serving(environ) as http:
            await asyncio.to_thread(fill, str(http.base_url))
            await asyncio.to_thread(fill_more, str(http.base_url))
            said = await answers(http)
        kept = data
        if engine == "postgresql":
            kept = folder / "kept"
            kept.mkdir()
            done = commands.run(environ, ["backup", kept / "backup"])
            assert done.returncode == 0, done.output
            (data / "secret.key").rename(kept / "secret.key")
        with tarfile.open(target / f"{engine}.tar.xz", "w:xz") as packed:
            packed.add(kept, ".", filter=_without_owner)
        (target / f"{engine}.json").write_text(json.dumps(said, indent=1, sort_keys=True) + "\n")


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


if __name__ == "__main__":
    version = read_release(HERE.parents[1]).version
    place = HERE / version
    place.mkdir()
    for one in ENGINES:
        asyncio.run(keep(one, place))
    sys.stdout.write(f"{place} is what {version} leaves\n")
