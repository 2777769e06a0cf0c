"""Counting words, by the route and in the registry of tools."""

import pytest

from guildhall_sdk import Tool
from tests import commands

pytestmark = pytest.mark.any_database

PATH = "/api/x/example-tools/word-count"


@pytest.mark.parametrize(
    ("text", "words", "characters"),
    [
        ("", 0, 0),
        ("one", 1, 3),
        ("  two\n\twords ", 2, 13),
        ("né à Reykjavík", 3, 14),
        ("a+b & c=d", 3, 9),
        ("\u00a0\u2003", 0, 2),
    ],
)
async def test_both_routes_count_alike(shared_hall, text, words, characters):
    member = shared_hall.acme.member
    by_query = await member.get(PATH, params={"text": text})
    by_body = await member.post(PATH, {"text": text})
    assert by_query.status_code == by_body.status_code == 200
    assert by_query.json() == by_body.json() == {"words": words, "characters": characters}


async def test_a_caller_without_chat_use_is_refused_before_the_body_is_looked_at(shared_hall):
    for method in ("GET", "POST"):
        response = await shared_hall.acme.viewer.request(method, PATH, content=b"{")
        assert response.status_code == 403
        assert response.json()["permission"] == "chat:use"


async def test_a_query_without_text_is_refused(shared_hall):
    response = await shared_hall.acme.member.get(PATH)
    assert response.status_code == 400
    assert response.json()["errors"] == [{"pointer": "?text", "message": "is required"}]


async def test_the_tool_is_in_the_registry_under_this_plugin(shared_hall):
    tools = (await shared_hall.acme.admin.get("/api/tools")).json()["items"]
    (tool,) = [tool for tool in tools if tool["name"] == "word_count"]
    assert (tool["source"], tool["permission"], tool["enabled"]) == ("example-tools", "chat:use", True)
    assert tool["schema"]["parameters"]["required"] == ["text"]


async def test_the_tool_answers_as_the_route_does(shared_hall):
    (declared,) = [tool for tool in shared_hall.registry.declared(Tool) if tool.name == "word_count"]
    assert await declared.handler(None, None, {"text": "one two"}) == {"words": 2, "characters": 7}


@pytest.mark.every_database
async def test_the_plugin_is_listed_with_what_it_brings(shared_hall):
    items = (await shared_hall.acme.admin.get("/api/plugins")).json()["items"]
    (plugin,) = [item for item in items if item["id"] == "example-tools"]
    assert (plugin["version"], plugin["source"], plugin["status"]) == ("0.1.0", "directory", "loaded")
    assert plugin["tools"] == ["word_count"]
    assert {(route["method"], route["path"]) for route in plugin["routes"]} == {("GET", PATH), ("POST", PATH)}


def test_the_command_counts_a_file(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("one two  three\n")
    counted = commands.run(commands.bare_environment(), ["word-count", text])
    assert (counted.returncode, counted.stdout) == (0, "3 words, 15 characters\n")
    typed = commands.run(commands.bare_environment(), ["word-count"], typed="one two")
    assert (typed.returncode, typed.stdout) == (0, "2 words, 7 characters\n")
    folder = commands.run(commands.bare_environment(), ["word-count", tmp_path])
    assert folder.returncode == 2 and "cannot be read: " in folder.stderr
