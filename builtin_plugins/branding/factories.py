"""A company with a branding and a logo of its own, for the conformance tests."""

import base64

from guildhall_sdk import Factory, SampleClient


async def make_logo(client: SampleClient, canary: str) -> str:
    """Makes a logo and returns its digest; the canary is in the company's title and in the logo itself."""
    picture = f'<svg xmlns="http://www.w3.org/2000/svg"><title>{canary}</title></svg>'
    upload = {"content_type": "image/svg+xml", "data": base64.b64encode(picture.encode()).decode()}
    await client.call("PUT", "/api/org/branding", {"title": canary, "tagline": canary})
    _, branding = await client.call("POST", "/api/org/branding/logo", upload)
    return str(branding["logo"]).rpartition("/")[2]


FACTORIES = (Factory("/api/branding/logos/:digest", make_logo),)
