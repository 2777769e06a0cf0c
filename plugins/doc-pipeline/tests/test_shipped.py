"""The shipped workflows and tools are there, named and versioned as the specification tables them."""

import pytest

pytestmark = pytest.mark.any_database

SHIPPED = {
    "doc-indexer": ([], ["index-documents"]),
    "doc-pipeline": ([], ["process-upload"]),
    "translate-chat": (["chat_message", "translate_text"], ["translate-chat"]),
}
TOOLS = {
    "word_count",
    "shipment_eta",
    "chat_message",
    "translate_text",
    "doc_text",
    "doc_extract_fields",
    "doc_render",
    "doc_translate",
    "repo_list_unindexed",
    "repo_extract_text",
}


async def test_the_plugins_are_loaded_with_their_tools_and_workflows(shared_hall):
    items = (await shared_hall.acme.member.get("/api/plugins")).json()["items"]
    found = {item["id"]: item for item in items}
    for plugin_id, (tools, workflows) in SHIPPED.items():
        item = found[plugin_id]
        assert (item["status"], item["version"], item["source"]) == ("loaded", "0.1.0", "directory")
        assert (item["tools"], item["workflows"]) == (tools, workflows)
        assert (item["routes"], item["job_kinds"]) == ([], [])


@pytest.mark.every_database
async def test_every_tool_of_the_specification_is_listed(shared_hall):
    items = (await shared_hall.acme.member.get("/api/tools")).json()["items"]
    found = {item["name"]: item for item in items}
    assert found.keys() >= TOOLS
    assert {found[name]["source"] for name in found if name.startswith("doc_")} == {"documents"}
    assert found["chat_message"]["permission"] == found["translate_text"]["permission"] == "chat:use"
    assert found["doc_text"]["permission"] == "files:read"
    assert found["doc_render"]["permission"] == "files:write"


@pytest.mark.parametrize("name", ["chat_message", "translate_text"])
async def test_the_tools_of_chat_answer_with_a_text(shared_hall, name):
    more = {"target": "nl"} if name == "translate_text" else {}
    answer = await shared_hall.tool(name, as_=shared_hall.acme.member, text="Good morning, Ada.", **more)
    assert isinstance(answer, str)
    assert answer
