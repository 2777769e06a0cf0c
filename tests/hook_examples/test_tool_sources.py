"""The example of `declare_tool_sources`."""

import pytest

from guildhall_sdk import InvalidRequest

pytestmark = pytest.mark.hall_databases("sqlite")


async def test_a_ship_is_loaded_until_it_sails(open_hall, example):
    harbour = example("harbour")
    async with open_hall(harbour) as hall:
        await hall.acme.owner.post("/api/tools/ship_vega", {"enabled": True})
        assert await hall.tool("ship_vega", as_=hall.acme.member, crates=3) == "3 crates on board"
        await harbour.sail(hall.server, "vega")
        with pytest.raises(InvalidRequest, match="no tool of this name"):
            await hall.tool("ship_vega", as_=hall.acme.member, crates=3)
