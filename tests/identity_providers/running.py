"""Providers that are none of ours, for as long as a test lasts; `make setup` installs them."""

import asyncio
import json
import os
import shutil
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from builtin_plugins.saml.tests.idp import IdP
from tests.model_servers.aimock import running

HERE = Path(__file__).parent
VENV = Path(sys.prefix)
SECRET = "what only the two know"
XMLSEC = VENV / "xmlsec-debian"


def catch_up(hall):
    """Sets the hall's clock to where the provider's is, which nobody can move."""
    hall.clock.advance(seconds=time.time() - hall.clock.now_ms() / 1000)


@asynccontextmanager
async def running_oidc_provider(key, port=0):
    """Runs `oidc-provider` with a key of this name; yields its issuer."""
    folder = VENV / "identity-providers"
    assert (folder / "node_modules/oidc-provider").exists(), "make setup installs it"
    command = ("node", str(HERE / "provider.mjs"), str(port), str(folder), key)
    async with running(*command, until="serving at ") as line:
        yield line.rpartition("serving at ")[2].strip()


async def register(issuer, way, base_url):
    """Registers the hall at the provider, by the addresses that the way says."""
    client = {
        "redirect_uris": [way["addresses"]["callback"]],
        "post_logout_redirect_uris": [f"{base_url}/login"],
        "backchannel_logout_uri": way["addresses"]["backchannel_logout"],
        "backchannel_logout_session_required": True,
    }
    async with httpx.AsyncClient() as http:
        answer = await http.post(f"{issuer}/reg", json=client)
    assert answer.status_code == 201, answer.text


class SamlServer:
    """`pysaml2` in a process of its own; `metadata` is what it says of itself."""

    def __init__(self, process, folder, metadata):
        self._process, self._folder, self.metadata = process, folder, metadata

    def know(self, metadata):
        """Tells it who asks."""
        (self._folder / "sp.xml").write_text(metadata)

    async def answer(self, request, *sign):
        """Returns a response to a request as it stands in an address; `sign` names what it signs."""
        self._process.stdin.write(json.dumps({"request": request, "sign": sign}).encode() + b"\n")
        await self._process.stdin.drain()
        return await read_line(self._process)


async def read_line(process):
    async with asyncio.timeout(120):
        line = await process.stdout.readline()
    assert line, "the server ended"
    return json.loads(line)


@asynccontextmanager
async def running_saml_server(folder):
    """Runs the server with a key of its own in this folder."""
    own = XMLSEC / "usr/bin/xmlsec1"
    xmlsec = str(own) if own.exists() else shutil.which("xmlsec1")
    if xmlsec is None:
        pytest.skip("there is no xmlsec1 here, which pysaml2 signs by")
    idp = IdP()
    (folder / "key.pem").write_bytes(idp.key)
    (folder / "cert.pem").write_text(idp.cert)
    libraries = ":".join(str(path) for path in (XMLSEC / "usr/lib").glob("*-linux-gnu"))
    process = await asyncio.create_subprocess_exec(
        str(VENV / "saml-idp/bin/python"),
        str(HERE / "saml_idp.py"),
        str(folder),
        xmlsec,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "LD_LIBRARY_PATH": libraries},
    )
    try:
        yield SamlServer(process, folder, await read_line(process))
    finally:
        process.kill()
        await process.wait()
