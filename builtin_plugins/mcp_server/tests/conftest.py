"""A hall, and messages to its MCP server."""

import itertools
from dataclasses import dataclass

import pytest

PATH = "/api/mcp/server"
_ids = itertools.count(1)


@dataclass(frozen=True)
class Session:
    """One caller who speaks one revision; `None` is whoever sends no header."""

    client: object
    revision: str | None = "2025-11-25"

    async def post(self, body, **headers):
        named = {} if self.revision is None else {"MCP-Protocol-Version": self.revision}
        return await self.client.post(PATH, body, headers={**named, **headers})

    async def send(self, method, **params):
        """The whole answer to a request."""
        answer = await self.post({"jsonrpc": "2.0", "id": next(_ids), "method": method, "params": params})
        return answer.json()

    async def result(self, method, **params):
        answer = await self.send(method, **params)
        assert "result" in answer, answer
        return answer["result"]

    async def error(self, method, **params):
        return (await self.send(method, **params))["error"]

    async def tools(self):
        return [tool["name"] for tool in (await self.result("tools/list"))["tools"]]

    async def call(self, name, **arguments):
        return await self.result("tools/call", name=name, arguments=arguments)

    async def resources(self):
        """All pages."""
        found, cursor = [], {}
        while True:
            page = await self.result("resources/list", **cursor)
            found += page["resources"]
            if "nextCursor" not in page:
                return found
            cursor = {"cursor": page["nextCursor"]}


@pytest.fixture
def speak():
    """`speak(client)`: somebody who speaks the newest revision with a handshake."""
    return Session
