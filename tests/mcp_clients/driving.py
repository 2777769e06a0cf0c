"""Python's MCP client, which tours a server with each token; run by its own interpreter, answers in JSON."""

import asyncio
import json
import os
import sys

from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client


async def tour(client):
    tools = await client.list_tools()
    resources = await client.list_resources()
    read = await client.read_resource(os.environ["MCP_RESOURCE"])
    seen = {
        "version": client.protocol_version,
        "tools": [tool.name for tool in tools.tools],
        "resources": [str(resource.uri) for resource in resources.resources],
        "read": read.contents[0].text,
    }
    for name, arguments in (("count_words", {"text": "two words"}), ("search", {"q": "tariffs"})):
        result = await client.call_tool(name, arguments)
        seen[name] = {"error": result.is_error, "value": result.structured_content}
    try:
        await client.call_tool("no_such", {})
    except MCPError as error:
        seen["unknown"] = error.code
    return seen


async def take_tour(token):
    headers = {"Authorization": f"Bearer {token}"}
    async with create_mcp_http_client(headers=headers) as http:
        transport = streamable_http_client(os.environ["MCP_URL"], http_client=http)
        try:
            async with Client(transport, mode=os.environ["MCP_MODE"]) as client:
                answer = await tour(client)
        except* MCPError as group:
            answer = {"refused": str(group.exceptions)}
    return answer


async def main():
    answers = [await take_tour(token) for token in os.environ["MCP_TOKENS"].split()]
    sys.stdout.write(json.dumps(answers))


asyncio.run(main())
