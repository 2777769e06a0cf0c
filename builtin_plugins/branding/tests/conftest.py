"""A hall with branding in it, pictures to upload, and companies with hostnames."""

import base64
import importlib.metadata

import pytest
import pytest_asyncio

from builtin_plugins import branding
from guildhall_sdk import Statement

_installed = {entry.name for entry in importlib.metadata.entry_points(group="guildhall.plugins")}
_SET_DOMAIN = Statement("set_domain", *["UPDATE orgs SET domain = :domain WHERE id = :id"] * 2)


@pytest_asyncio.fixture(loop_scope="session")
async def hall(share_hall):
    """Brings the plugin along where the installed program does not have it yet."""
    async with share_hall(*(() if "branding" in _installed else (branding,))) as opened:
        yield opened


@pytest.fixture
def settle_at(hall):
    """`await settle_at(hall.acme, "acme.example")`: registers a hostname for a company."""

    async def settle(company, hostname):
        async with hall.server.data.write() as writer:
            await writer.run(_SET_DOMAIN, id=company.org_id, domain=hostname)

    return settle


@pytest.fixture
def rows_of(hall):
    """`await rows_of("branding_logos")`: what a table holds."""

    async def rows(table, where="1 = 1"):
        text = f"SELECT * FROM {table} WHERE {where}"
        async with hall.server.data.read() as reader:
            return await reader.all(Statement(text, text, text))

    return rows


@pytest.fixture
def svg():
    """`svg('<path d="…"/>')`: a whole document around it."""

    def document(inside="", attributes=""):
        return f'<svg xmlns="http://www.w3.org/2000/svg" {attributes}>{inside}</svg>'.encode()

    return document


@pytest.fixture
def upload_of():
    """The body of an upload."""

    def body(content, content_type="image/svg+xml"):
        return {"content_type": content_type, "data": base64.b64encode(content).decode()}

    return body


@pytest.fixture
def give_logo(upload_of, svg):
    """`await give_logo(client, "Acme")`: a company logo that says so; gives its URL."""

    async def give(client, words, at="/api/org/branding/logo"):
        response = await client.post(at, upload_of(svg(f"<title>{words}</title>")))
        assert response.status_code == 200, response.text
        return response.json()["logo"]

    return give
