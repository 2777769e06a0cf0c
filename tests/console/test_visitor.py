"""What journeys wait for: a screen has settled when it has read all that it asked for."""

import asyncio

import pytest

from tests.console.visitor import settled

pytestmark = pytest.mark.any_database

# An answer whose head is there, and whose body comes when somebody says so.
SLOW_BODY = """() => {
  const body = new ReadableStream({ start: (text) => { window.finish = () => text.close(); } });
  void new Response(body).text();
}"""
# More of them than a calm page takes to be told from one that is not.
FRAMES = """async () => {
  for (let left = 20; left; left -= 1) await new Promise(requestAnimationFrame);
}"""


async def test_a_screen_that_still_reads_an_answer_has_not_settled(hall, visitor):
    page = await visitor.open(hall.acme.member, "/notes")
    await settled(page)
    await page.evaluate(SLOW_BODY)
    settling = asyncio.create_task(settled(page))
    await page.evaluate(FRAMES)
    assert not settling.done()
    await page.evaluate("window.finish()")
    await settling


async def test_a_screen_of_which_no_frame_is_drawn_settles_too(hall, visitor):
    page = await visitor.open(hall.acme.member, "/notes")
    await page.evaluate("window.requestAnimationFrame = () => 0")
    await settled(page)
