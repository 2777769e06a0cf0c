"""Backups in the console: a company's owner takes it along, and operators see how old the last backup is."""

import io
import json
import zipfile

import pytest
from playwright.async_api import expect

from builtin_plugins.backup.schedule import LAST
from guildhall_sdk.services.server import InstanceFacts
from tests.console.visitor import serious_violations_in_both_modes, settled, visiting

pytestmark = pytest.mark.hall_databases("sqlite")


async def test_an_owner_takes_the_company_along(hall, visitor):
    page = await visitor.open(hall.acme.org_owner, "/company/export")
    await page.get_by_role("button", name="Make an export").click()
    await page.get_by_text("The export is ready.").wait_for()
    await settled(page)
    assert await serious_violations_in_both_modes(page) == []
    await page.reload()  # the tab knows it again
    async with page.expect_download() as downloading:
        await page.get_by_role("link", name="export.zip").click()
    file = await (await downloading.value).path()
    with zipfile.ZipFile(io.BytesIO(file.read_bytes())) as packed:
        assert json.loads(packed.read("company.json"))["org"]["slug"] == hall.acme.slug


async def test_who_manages_a_company_and_does_not_own_it_reads_who_may(hall, visitor):
    page = await visitor.open(hall.acme.org_admin, "/company/export")
    await page.get_by_text("Only an owner of the company takes it along.").wait_for()
    await expect(page.get_by_role("button", name="Make an export")).to_have_count(0)


async def test_operators_see_how_old_the_last_backup_is(open_hall, open_page, tmp_path):
    settings = {"SERVICE_BACKUP_TO": str(tmp_path), "SERVICE_BACKUP_EVERY": "3600"}
    async with visiting(open_hall(**settings), open_page) as (hall, visitor):
        page = await visitor.open(hall.operator, "/instance/backups")
        await page.get_by_text("No backup has been made on the schedule yet.").wait_for()
        host = hall.server.host_of("backup")
        last = {"name": "backup-1", "at_ms": host.clock.now_ms(), "rehearsed": True}
        async with host.data.write() as writer:
            await host.service(InstanceFacts).set(writer, LAST, json.dumps(last))
        await page.reload()
        await page.get_by_text("backup-1").wait_for()
        await expect(page.get_by_text(str(tmp_path))).to_be_visible()
        await settled(page)
        assert await serious_violations_in_both_modes(page) == []
        hall.clock.advance(hours=3)
        await page.reload()
        await page.get_by_text("No backup was made for too long").wait_for()
