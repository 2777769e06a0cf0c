"""`declare_dimensions`: who may bring which dimension."""

import pytest

from guildhall_sdk.dimensions import Dimension

pytestmark = pytest.mark.any_database


def dimension(name="toy.spins", kind="rate"):
    return Dimension(name, "Spins", kind)


async def listed(hall):
    answer = (await hall.acme.viewer.get("/api/usage")).json()
    return {(item["dimension"], item["window"]) for item in answer["items"]}


async def test_a_plugins_dimension_is_listed_and_limited_like_any_other(open_hall, make_plugin):
    plugin = make_plugin(dimensions=[dimension(), dimension("toy.boxes", "stock")])
    async with open_hall(plugin) as hall:
        assert {("toy.spins", "day"), ("toy.boxes", "none")} <= await listed(hall)
        operator = await hall.join(hall.acme, operator=True)
        body = {"dimension": "toy.spins", "limit": 3, "window": "hour"}
        assert (await operator.post("/api/quota", body)).status_code == 200
        assert ("toy.spins", "hour") in await listed(hall)


@pytest.mark.parametrize(
    ("dimensions", "reason"),
    [
        ([dimension(), dimension()], "the dimension toy.spins is declared twice"),
        ([dimension("storage.bytes", "stock")], "the dimension storage.bytes is declared twice"),
        ([dimension("spins")], "must be words with dots"),
        ([dimension("Toy.Spins")], "must be words with dots"),
        ([dimension("toy.spins\n")], "must be words with dots"),
        ([dimension("toy." + "s" * 61)], "must be words with dots"),
        ([dimension(kind="flow")], "there is no kind flow"),
        ([{"name": "toy.spins"}], "declare_dimensions must give Dimension rows"),
    ],
)
async def test_a_dimension_that_cannot_stand_keeps_the_plugin_out(open_hall, make_plugin, dimensions, reason):
    async with open_hall(make_plugin(dimensions=dimensions), allow_refused=True) as hall:
        (refused,) = [status for status in hall.registry.refused if status.id == "toy"]
        assert reason in refused.reason
        assert ("toy.spins", "day") not in await listed(hall)
