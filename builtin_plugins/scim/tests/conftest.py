"""A directory as the tests of SCIM meet it: a token of one company."""

import json
from dataclasses import dataclass

import pytest


@dataclass
class Directory:
    """SCIM of one company, by a token of its own."""

    client: object
    token: str
    token_id: str

    async def call(self, method, path, body=None, *, expect=None, **headers):
        response = await self.client.request(
            method,
            f"/scim/v2{path}",
            content=None if body is None else json.dumps(body).encode(),
            headers={"content-type": "application/scim+json", **headers},
        )
        if expect is not None:
            assert response.status_code == expect, response.text
        return response

    async def user(self, user_name, **more):
        """Creates a person, and returns them."""
        response = await self.call("POST", "/Users", {"userName": user_name, **more}, expect=201)
        return response.json()

    async def group(self, name, *ids, **more):
        members = [{"value": one} for one in ids]
        response = await self.call(
            "POST", "/Groups", {"displayName": name, "members": members, **more}, expect=201
        )
        return response.json()

    async def find(self, kind, text):
        response = await self.client.get(f"/scim/v2/{kind}", params={"filter": text})
        assert response.status_code == 200, response.text
        return response.json()["Resources"]

    async def patch(self, path, *operations, expect=200):
        return await self.call("PATCH", path, {"Operations": list(operations)}, expect=expect)


async def directory_of(hall, admin):
    response = await admin.post("/api/tokens", {"kind": "scim", "name": "directory"})
    assert response.status_code == 201, response.text
    made = response.json()
    return Directory(hall.bearer(made["token"]), made["token"], made["id"])


@pytest.fixture
async def directory(hall):
    """Acme's directory, by its owner."""
    return await directory_of(hall, hall.acme.org_owner)


@pytest.fixture
async def other_directory(hall):
    """The directory of the other company."""
    return await directory_of(hall, hall.globex.org_owner)
