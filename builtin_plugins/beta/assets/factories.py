"""An asset for the conformance tests."""

import base64

from guildhall_sdk import Factory, SampleClient


async def make_asset(client: SampleClient, canary: str) -> str:
    """Makes a picture whose title and filename are the canary; returns its id."""
    picture = f'<svg xmlns="http://www.w3.org/2000/svg"><title>{canary}</title></svg>'
    upload = {
        "kind": "logo",
        "content_type": "image/svg+xml",
        "data": base64.b64encode(picture.encode()).decode(),
        "filename": f"{canary}.svg",
    }
    _, asset = await client.call("POST", "/api/beta/assets", upload)
    return str(asset["id"])


FACTORIES = (Factory("/api/beta/asset/:id", make_asset),)
