"""A server that is killed outright at any step of an import or an export: file and table are whole.

SOAK_ROUNDS takes every step; `make soak` does so.
"""

import json
import os
import random
import signal

import pytest

from builtin_plugins.l10n.catalogs.files import SHIPPED
from guildhall_testing.site_databases import opened_site
from tests import commands
from tests.process.mortal_localization import PART

pytestmark = pytest.mark.any_database

SOAKING = "SOAK_ROUNDS" in os.environ
SHIPPED_KEYS = {
    key
    for catalog in SHIPPED.parents[1].glob("*/texts/en.json")
    for key in json.loads(catalog.read_text("utf-8"))
}
PLACES = 1
KEYS = 250


class Catalogs:
    """The files of a site, whose texts change with every edition; and what its table says of them."""

    def __init__(self, site):
        self._site = site
        self._folder = site.folder / "locales"
        self._edition = 0
        self._folder.mkdir(exist_ok=True)

    def _texts(self, what):
        return {f"demo.k{number:04}": f"{what} {self._edition} {number}" for number in range(KEYS)}

    def change(self):
        """Every source and every text of the namespace is another one."""
        self._edition += 1
        for locale, what in (("en", "source"), ("nl", "text")):
            path = self._folder / f"{locale}.json"
            path.write_text(json.dumps(self._texts(what)), "utf-8")

    async def rows(self, text):
        async with opened_site(self._site) as opened:
            return await opened.rows(text)

    async def check(self):
        """Each part of the table is of one edition; the file is the one that was there, or the new one."""
        table = await self.rows(
            "SELECT id, key, source, text, approved_text, status, version FROM l10n_messages"
            " WHERE locale = 'nl' AND status <> 'gone' ORDER BY key"
        )
        history = await self.rows("SELECT message_id, version, text FROM l10n_history")
        recorded = {(row["message_id"], row["version"]): row["text"] for row in history}
        all_keys = sorted({*SHIPPED_KEYS, *self._texts("")})
        assert [row["key"] for row in table] == all_keys[: len(table)]
        listed = await self.rows("SELECT code FROM l10n_locales WHERE code = 'nl'")
        assert len(table) == len(all_keys) or (len(table) % PART == 0 and not listed)
        own = [row for row in table if row["key"].startswith("demo.")]
        editions = {}
        for row in own:
            assert (row["status"], row["approved_text"]) == ("approved", row["text"])
            assert row["source"].split()[1:] == row["text"].split()[1:]
            assert recorded[row["id"], row["version"]] == row["text"]
            part = all_keys.index(row["key"]) // PART
            editions.setdefault(part, set()).add(row["text"].split()[1])
        assert all(len(of_part) == 1 for of_part in editions.values()), editions
        on_disk = json.loads((self._folder / "nl.json").read_text("utf-8"))
        approved = {row["key"]: row["approved_text"] for row in table if row["approved_text"] is not None}
        assert on_disk in (self._texts("text"), approved)

    async def check_end(self):
        await self.check()
        own = await self.rows("SELECT text FROM l10n_messages WHERE locale = 'nl' AND ns = 'demo'")
        assert {row["text"] for row in own} == {*self._texts("text").values()}
        on_disk = json.loads((self._folder / "nl.json").read_text("utf-8"))
        assert len(on_disk) > KEYS, "what ships is exported as well"


async def life(site, dies_at):
    """Returns how many steps it had, or None where it was killed."""
    environ = commands.bare_environment(
        **site.environment(),
        SERVICE_LOG_LEVEL="error",
        SERVICE_RATE_LIMIT="0",
        DIES_AT=str(dies_at),
        TOKEN=site.people.operator.token,
    )
    process = await commands.start(environ, "-m", "tests.process.mortal_localization")
    said, complaints = await process.communicate()
    if process.returncode == -signal.SIGKILL:
        return None
    assert process.returncode == 0, complaints.decode()
    lines = said.decode().splitlines()
    assert lines[:2] == ["import 200", "export 200"], lines
    return int(lines[-1].removeprefix("steps "))


async def test_an_import_and_an_export_killed_at_any_step_leave_a_whole_table_and_a_whole_file(
    hall_sites, hall_database
):
    async with hall_sites.lease(hall_database) as site:
        catalogs = Catalogs(site)
        catalogs.change()
        assert await life(site, 15) is None, "it is killed in its first import"
        await catalogs.check()
        steps = await life(site, 0)
        await catalogs.check_end()
        places = range(1, steps + 1) if SOAKING else sorted(random.sample(range(1, steps + 1), PLACES))
        for place in places:
            catalogs.change()
            await life(site, place)
            await catalogs.check()
        assert await life(site, 0)
        await catalogs.check_end()
