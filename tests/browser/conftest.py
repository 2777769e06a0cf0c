"""A site of somebody else, for pages that are not ours."""

import asyncio
from dataclasses import dataclass, field

import pytest_asyncio


@dataclass
class OtherSite:
    """Pages by path, at a hostname of its own: another origin than any hall."""

    base_url: str
    pages: dict[str, tuple[str, dict[str, str]]] = field(default_factory=dict)

    def page(self, path, html, **headers):
        """Puts a page there and returns its address; `headers` are spelt with underscores."""
        self.pages[path] = html, {name.replace("_", "-"): value for name, value in headers.items()}
        return self.base_url + path

    async def answer(self, reader, writer):
        try:
            request = await reader.readuntil(b"\r\n\r\n")
            html, headers = self.pages.get(request.split()[1].decode(), ("", {}))
            head = {
                "Content-Type": "text/html; charset=utf-8",
                "Content-Length": str(len(html.encode())),
                "Connection": "close",
                **headers,
            }
            lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
            writer.write(f"HTTP/1.1 200 OK\r\n{lines}\r\n{html}".encode())
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # a browser opens connections that it may never use
        finally:
            writer.close()


@pytest_asyncio.fixture(loop_scope="session")
async def other_site():
    site = OtherSite("")
    server = await asyncio.start_server(site.answer, "127.0.0.1", 0)
    site.base_url = f"http://elsewhere.test:{server.sockets[0].getsockname()[1]}"
    yield site
    server.close()
