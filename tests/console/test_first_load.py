"""What a browser fetches before somebody can work: little, and the shape of a page stands before it."""

import asyncio
import gzip

import pytest

from tests.console.visitor import settled, wait_until

pytestmark = pytest.mark.any_database
MAX_BYTES = 200_000
#: As on a slow line: 50 kB a second, and 400 ms there and back.
SLOW = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
# What is loaded once nobody has touched the page for a while is no part of it, however slow a machine is.
NO_LATER = """
const wait = setTimeout;
window.setTimeout = (act, ms, ...rest) => ms >= 10000 ? 0 : wait(act, ms, ...rest);
"""


@pytest.fixture
def weighed():
    """`await weighed(page)()`: what it fetched since but from the API, each file with its packed bytes."""

    def weigh(page):
        found, weighing = {}, []

        async def add(response):
            path = response.url.split("/", 3)[3].split("?")[0]
            if response.ok and not path.startswith("api/"):
                found[path] = len(gzip.compress(await response.body(), 9))

        async def all_of_it():
            await asyncio.gather(*weighing)
            return found

        page.on("response", lambda response: weighing.append(asyncio.create_task(add(response))))
        return all_of_it

    return weigh


async def test_from_sign_in_to_home_takes_little(hall, visitor, weighed):
    page = await visitor.open(hall.acme.owner, "/activate")
    await settled(page)
    await page.add_init_script(NO_LATER)
    fetched = weighed(page)
    await page.goto(hall.base_url + "/")
    await page.get_by_role("heading", name="Recent work").wait_for()
    await page.get_by_role("heading", name="Who did what").wait_for()
    await settled(page)
    found = await fetched()
    assert 50_000 < sum(found.values()) <= MAX_BYTES, found


async def test_a_page_has_its_shape_before_its_scripts(hall, visitor, open_page):
    page = await open_page(viewport={"width": 1440, "height": 900})
    wire = await page.context.new_cdp_session(page)
    await wire.send("Network.enable")
    await wire.send("Network.emulateNetworkConditions", SLOW)
    await page.goto(hall.base_url + "/", wait_until="load")
    await wait_until(page, "performance.getEntriesByName('first-paint').length > 0")
    timing = await page.evaluate(
        """() => ({
          painted: performance.getEntriesByName("first-paint")[0].startTime,
          answered: performance.getEntriesByType("navigation")[0].responseStart,
          here: Math.min(...performance.getEntriesByType("resource")
            .filter(({ name }) => /assets.index-.*[.]js$/.test(name)).map(({ responseEnd }) => responseEnd)),
        })"""
    )
    assert timing["painted"] < timing["here"], timing
