"""Going back to a moment on PostgreSQL, as `docs/operating.md` shows it: archive, destroy, restore."""

import re
import shutil
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from guildhall_testing.postgres import PostgresServer
from tests import commands
from tests.processes import free_port

pytestmark = [pytest.mark.long_form, pytest.mark.any_database]
PAGE = Path(__file__).resolve().parents[2] / "docs/operating.md"
PATIENCE = 60
LONG = "A sentence that is stored in the blob store. " * 1000


def shown(number):
    """The settings of the page's section: those of the archive (0) and those of the way back (1)."""
    _, _, behind = PAGE.read_text("utf-8").partition("### To a moment, on PostgreSQL")
    return re.findall(r"```ini\n(.*?)```", behind.partition("\n### ")[0], re.DOTALL)[number]


class Archived(PostgresServer):
    """A PostgreSQL whose settings are those that the page shows, with folders of the test's."""

    def __init__(self):
        super().__init__(durable=True)
        for name in ("wal_level", "max_wal_senders"):
            del self._settings[name]
        self.archive, self.copy, self.data = (self._folder / name for name in ("wal", "base", "data"))
        self.archive.mkdir()
        if self._identity:
            shutil.chown(self.archive, self._identity["user"], self._identity["group"])
        for line in shown(0).splitlines():
            name, _, value = line.partition(" = ")
            self._settings[name] = value.strip("'").replace("/var/backups/wal", str(self.archive))

    def ask(self, statement, url):
        name = url.partition("@/")[2].partition("?")[0]
        words = ["-qAtX", "-h", self._folder, "-U", "guildhall", "-d", name, "-c", statement]
        done = subprocess.run(
            [self._binaries / "psql", *words], capture_output=True, text=True, check=True, **self._identity
        )
        return done.stdout.strip()

    def copy_all(self):
        self._run(
            "pg_basebackup",
            *("-h", str(self._folder), "-U", "guildhall", "--checkpoint=fast", f"--pgdata={self.copy}"),
        )

    def archived(self, url):
        """Waits until all that was written by now is in the archive."""
        segment = self.ask("SELECT pg_walfile_name(pg_switch_wal())", url)
        deadline = time.monotonic() + PATIENCE
        while not (self.archive / segment).exists():
            assert time.monotonic() < deadline, (self._folder / "log").read_text()[-2000:]
            time.sleep(0.05)

    def go_back(self, moment):
        """Loses the data folder, and comes back from the copy and the archive as it was then."""
        self.halt()
        shutil.rmtree(self.data)
        shutil.copytree(self.copy, self.data)
        lines = shown(1).replace("/var/backups/wal", str(self.archive))
        lines = re.sub(r"(recovery_target_time = )'.*'", rf"\1'{moment}'", lines)
        with (self.data / "postgresql.auto.conf").open("a") as settings:
            settings.write(lines)
        (self.data / "recovery.signal").touch()
        if self._identity:
            for path in (self.data, *self.data.rglob("*")):
                shutil.chown(path, self._identity["user"], self._identity["group"])
        self.data.chmod(0o700)
        self.launch()

    def recovered(self, url):
        """Waits until the database takes writes again."""
        deadline = time.monotonic() + PATIENCE
        while self.ask("SELECT pg_is_in_recovery()", url) != "f":
            assert time.monotonic() < deadline, (self._folder / "log").read_text()[-2000:]
            time.sleep(0.05)


@pytest.fixture
def database():
    server = Archived().start()
    yield server
    server.stop()


async def test_the_database_comes_back_as_it_was_between_two_notes(database, tmp_path):
    url = database.create_database()
    environ = commands.bare_environment(
        SERVICE_DATA=str(tmp_path),
        SERVICE_DATABASE_URL=url,
        SERVICE_BIND=f"127.0.0.1:{free_port()}",
        SERVICE_S3_BIND=f"127.0.0.1:{free_port()}",
        SERVICE_LOG_LEVEL="error",
    )
    process, http = await _serve(environ)
    async with http:
        body = {"username": "ada", "password": "difference engine"}
        signed_in = (await http.post("/api/bootstrap", json=body)).raise_for_status()
        http.headers["Authorization"] = f"Bearer {signed_in.json()['token']}"
        await _write(http, "Before the copy")
        database.copy_all()
        await _write(http, "Before the moment")
        moment = database.ask("SELECT clock_timestamp()", url)
        await _write(http, "After the moment")
    await process.stop()
    database.archived(url)
    database.go_back(moment)
    database.recovered(url)
    process, again = await _serve(environ)
    async with again:
        again.headers["Authorization"] = http.headers["Authorization"]
        notes = (await again.get("/api/notes")).raise_for_status().json()["items"]
        assert {note["title"] for note in notes} == {"Before the copy", "Before the moment"}
        files = (await again.get("/api/repo")).raise_for_status().json()["items"]
        assert {file["key"] for file in files} == {"Before the copy.md", "Before the moment.md"}
        for file in files:
            content = await again.get(f"/api/repo-obj/{file['id']}/content")
            assert content.text == f"{file['key']} {LONG}"
        await _write(again, "Since then")
    await process.stop()
    scrubbed = commands.run(environ, ["scrub"])
    assert scrubbed.returncode == 0, scrubbed.output


async def _serve(environ):
    process = await commands.start(environ, "serve")
    if b"Guildhall" not in await process.stdout.readline():
        pytest.fail((await process.stderr.read()).decode())
    base_url = f"http://{environ['SERVICE_BIND']}"
    return process, httpx.AsyncClient(base_url=base_url, trust_env=False, timeout=60)


async def _write(http, title):
    """A note, and a file whose content is too long for the database."""
    (await http.post("/api/notes", json={"title": title, "body": "Words."})).raise_for_status()
    (await http.put(f"/api/repo/{title}.md", content=f"{title}.md {LONG}".encode())).raise_for_status()
