"""What requires what: an order, or a reason why there is none."""

import pytest

pytestmark = pytest.mark.hall_databases("sqlite")

BARE = """
@hookimpl
def declare_routes():
    return []

@hookimpl
def declare_handlers():
    return {}

@hookimpl
def declare_features():
    return []

@hookimpl
def declare_tools():
    return []
"""


async def test_requirements_come_first_whatever_they_are_called(folder, open_with):
    folder.write("alpha", BARE, requires=["omega"])
    folder.write("omega", BARE, requires=["notes"])
    async with open_with() as hall:
        loaded = [one.id for one in hall.registry.plugins]
    assert loaded.index("notes") < loaded.index("omega") < loaded.index("alpha")


async def test_a_missing_requirement_keeps_a_plugin_out(folder, open_with, expect_out):
    folder.write("toy", requires=["nowhere"])
    async with open_with() as hall:
        await expect_out(hall, "toy", "requires nowhere, which is not loaded")


async def test_what_requires_a_refused_plugin_is_refused_too(folder, open_with, expect_out):
    folder.write("base", "raise RuntimeError('no')\n")
    folder.write("toy", requires=["base"])
    async with open_with() as hall:
        await expect_out(hall, "base", "RuntimeError: no (plugin.py:")
        await expect_out(hall, "toy", "requires base, which is not loaded")


async def test_a_circle_keeps_out_those_in_it_and_nobody_else(folder, open_with, expect_out, expect_in):
    folder.write("one", requires=["two"])
    folder.write("two", requires=["one"])
    folder.write("toy")
    async with open_with() as hall:
        for name in ("one", "two"):
            found = (await hall.operator.get("/api/plugins")).json()["items"]
            reason = next(one["reason"] for one in found if one["id"] == name)
            assert reason.startswith("requires itself in a circle: ")
            assert "one" in reason
            assert "two" in reason
        await expect_in(hall, "toy")


async def test_what_is_required_must_be_named_in_text(folder, open_with, expect_out):
    folder.write("toy", requires=[["notes"]])
    async with open_with() as hall:
        await expect_out(hall, "toy", "requires must be a list of plugin ids")
