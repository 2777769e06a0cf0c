"""Which tools the agent offers where a team has very many."""

import time

import pytest

from builtin_plugins.ai.agent.offering import MAX_OFFERED, best_names, text_of
from builtin_plugins.ai.tests.agent_tools import PATH
from guildhall_sdk import Plugin, Tool, hookimpl

pytestmark = pytest.mark.any_database

MANY = 500


class Warehouse:
    """Five hundred tools that nobody needs, and two that somebody asks for."""

    PLUGIN = Plugin("warehouse", "Warehouse", "1.0", "Very many tools.")

    @hookimpl
    def declare_tools(self):
        plain = [Tool(f"shelf_{n:03}", "Looks into a shelf.", "chat:use", hosted=look) for n in range(MANY)]
        wanted = [
            Tool("tell_weather", "Forecasts rain and sun.", "chat:use", hosted=look),
            Tool("zz_convert", "Converts currencies at the rate of a day.", "chat:use", hosted=look),
        ]
        return [*plain, *wanted]


async def listed_tools(client):
    """Of all pages; each has as many as it is asked for."""
    answer = (await client.get("/api/tools", params={"limit": 200})).json()
    found = answer["items"]
    while (cursor := answer["next_cursor"]) is not None:
        assert len(answer["items"]) == 200
        answer = (await client.get("/api/tools", params={"limit": 200, "cursor": cursor})).json()
        found += answer["items"]
    return found


async def look(host, principal, arguments):
    return "nothing"


async def test_of_many_tools_those_that_match_the_prompt_are_offered_and_the_others_listed(open_hall):
    async with open_hall(Warehouse(), with_model=True) as hall:
        tools = await listed_tools(hall.acme.member)
        permissions = (await hall.acme.member.get("/api/whoami")).json()["permissions"]
        mine = {tool["name"] for tool in tools if tool["enabled"] and tool["permission"] in permissions}
        prompt = "Will the WEATHER be fine, and what is the rate of currency today?"
        body = (await hall.acme.member.post(PATH, {"prompt": prompt})).json()
        offered = [tool["function"]["name"] for tool in hall.model.calls[0].body["tools"]]
        assert (len(offered), {"tell_weather", "zz_convert"} <= set(offered)) == (MAX_OFFERED, True)
        assert sorted([*offered, *body["not_offered"]]) == sorted(mine)

        named = [f"shelf_{n:03}" for n in range(100, 140)]
        body = (await hall.acme.member.post(PATH, {"prompt": prompt, "tools": named})).json()
        offered = [tool["function"]["name"] for tool in hall.model.calls[1].body["tools"]]
        assert (offered, "not_offered" in body) == (named, False)


def test_choosing_among_many_long_tools_takes_no_visible_time(slowness):
    tools = [
        {"name": f"tool_{n}", "description": f"word{n} " * 500, "schema": {"parameters": {"type": "object"}}}
        for n in range(MANY)
    ]
    began = time.thread_time()
    best = best_names(tools, text_of("word7 and word8 " * 1_000_000))
    assert time.thread_time() - began < 0.5 * slowness()
    assert len(best) == MAX_OFFERED


def test_a_word_of_the_name_weighs_more_than_one_of_the_description():
    def tool(name, description):
        return {"name": name, "description": description, "schema": {"parameters": {}}}

    others = [tool(f"note_{n}", "Sends mail about a note.") for n in range(MAX_OFFERED)]
    assert "send_mails" in best_names([*others, tool("send_mails", "Does it.")], "Please send a mail")
