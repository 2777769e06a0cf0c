"""The examples of `declare_routes`: rows and pages."""

import pytest

pytestmark = pytest.mark.hall_databases("sqlite")


async def test_pages(open_hall, example, tmp_path):
    (tmp_path / "dist/assets").mkdir(parents=True)
    (tmp_path / "dist/index.html").write_text("<h1>Atlas</h1>")
    (tmp_path / "dist/assets/app-1.js").write_text("export {}")
    async with open_hall(example("atlas")) as hall:
        for path in ("/atlas/", "/atlas/maps/17"):
            assert (await hall.anonymous.get(path)).text == "<h1>Atlas</h1>"
        script = await hall.anonymous.get("/atlas/assets/app-1.js")
        assert "immutable" in script.headers["cache-control"]


async def test_a_row_for_other_origins(open_hall, example):
    async with open_hall(example("guestbook"), SERVICE_RATE_LIMIT="6000") as hall:
        said = [await hall.anonymous.post("/api/guestbook", {"text": "Hello"}) for _ in range(21)]
        assert said[0].json() == {"heard": "Hello"}
        assert [answer.status_code for answer in said[19:]] == [200, 429]
        assert {answer.headers["access-control-allow-origin"] for answer in said} == {"*"}
