"""Python's MCP client, which signs in by OAuth; it says which address to open, and then what it was given."""

import asyncio
import json
import os
import sys
from urllib.parse import parse_qsl, urlsplit

from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import OAuthClientMetadata

URL = os.environ["MCP_URL"]
DONE = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\nConnection: close\r\n\r\nDone"


class Kept:
    """Keeps what it was given for as long as it runs."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


def say(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


async def main():
    answered = asyncio.get_running_loop().create_future()

    async def hear(reader, writer):
        target = (await reader.readline()).split()[1].decode()
        if target.startswith("/callback") and not answered.done():
            answered.set_result(dict(parse_qsl(urlsplit(target).query)))
        writer.write(DONE)
        await writer.drain()
        writer.close()

    async def open_page(url):
        say({"open": url})

    async def wait_for_answer():
        answer = await answered
        return AuthorizationCodeResult(
            code=answer.get("code"), state=answer.get("state"), iss=answer.get("iss")
        )

    server = await asyncio.start_server(hear, "127.0.0.1", 0)
    callback = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/callback"
    kept = Kept()
    provider = OAuthClientProvider(
        server_url=URL,
        client_metadata=OAuthClientMetadata(client_name="Python's client", redirect_uris=[callback]),
        storage=kept,
        redirect_handler=open_page,
        callback_handler=wait_for_answer,
    )
    async with (
        create_mcp_http_client(auth=provider) as http,
        Client(streamable_http_client(URL, http_client=http)) as client,
    ):
        tools = await client.list_tools()
        # As long after as an access token lasts.
        provider.context.token_expiry_time = 1
        again = await client.list_tools()
    say(
        {
            "tools": [tool.name for tool in tools.tools],
            "again": [tool.name for tool in again.tools],
            "scope": kept.tokens.scope,
        }
    )
    server.close()


asyncio.run(main())
