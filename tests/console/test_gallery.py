"""Every component of `@guildhall/console`, in light, dark, on a phone and from right to left."""

import re
from pathlib import Path

import pytest

from tests.console.visitor import PHONE, serious_violations_in_both_modes

pytestmark = pytest.mark.hall_databases("sqlite")
INDEX = Path(__file__).parents[2] / "console/packages/kit/src/index.ts"
#: What is shown within others, and what shows nothing by itself.
PARTS = {"Actions", "Line", "Redirect", "Route", "Routes", "RowAction", "RowMeta", "RowTitle", "PageHead"}
PARTS |= {"Panel", "Problem", "Tabs", "Unreachable"}


def components():
    exported = re.findall(r"^export \{([^}]*)\}", INDEX.read_text("utf-8"), re.MULTILINE)
    names = {name.strip().split(" as ")[-1] for line in exported for name in line.split(",")}
    return {name for name in names if re.fullmatch(r"[A-Z][A-Za-z]+", name)} - PARTS


async def test_the_gallery_shows_every_component_in_every_look(hall, visitor):
    page = await visitor.open(hall.acme.member, "/kit")
    await page.get_by_role("heading", name="@guildhall/console").wait_for()
    await page.get_by_role("img", name="Things by day").wait_for()
    shown = await page.locator("[data-component]").evaluate_all(
        "all => all.map(one => one.dataset.component)"
    )
    assert {*shown} == components()
    assert await serious_violations_in_both_modes(page) == []
    await page.get_by_role("switch", name="Right to left").press("Space")
    assert await serious_violations_in_both_modes(page) == []
    await page.set_viewport_size(PHONE)
    assert not await page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert await serious_violations_in_both_modes(page) == []
