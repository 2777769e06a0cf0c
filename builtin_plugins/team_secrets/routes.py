"""The rows of a team's secrets with their handlers, and a secret for the conformance tests."""

from builtin_plugins.team_secrets.service import MAX_VALUE, StoredSecrets
from guildhall_sdk import Call, Factory, Reply, Route, SampleClient, no_content, rfc3339
from guildhall_sdk.schema import listing, obj, shape, string, time
from guildhall_sdk.services.outbound import TeamSecrets

READ, WRITE = "workflows:read", "settings:manage"
PUT = obj(
    {"value": string(min_length=1, max_length=MAX_VALUE, description="The secret; it is never shown again")},
    required=["value"],
    example={"value": "a key of another service"},
)
SECRET = shape({"name": string(), "updated_at": time(description="When it was set last")})


async def list_secrets(call: Call) -> Reply:
    async with call.read() as reader:
        rows = await _secrets(call).rows(reader, call.principal.team_id)
    items = [{"name": row["name"], "updated_at": rfc3339(row["updated_at"])} for row in rows]
    return Reply({"items": items, "next_cursor": None})


async def put_secret(call: Call) -> Reply:
    name = call.params["name"]
    async with call.write() as writer:
        now = await _secrets(call).put(writer, call.principal, name, call.body["value"])
    return Reply({"name": name, "updated_at": rfc3339(now)})


async def delete_secret(call: Call) -> Reply:
    async with call.write() as writer:
        await _secrets(call).delete(writer, call.principal, call.params["name"])
    return no_content()


def _secrets(call: Call) -> StoredSecrets:
    found = call.service(TeamSecrets)
    assert isinstance(found, StoredSecrets)
    return found


ROUTES = (
    Route(
        "GET",
        "/api/team-secrets",
        list_secrets,
        "The names of the team's secrets, all of them; what they hold is shown to nobody",
        permission=READ,
        reply=listing(SECRET),
    ),
    Route(
        "PUT",
        "/api/team-secrets/:name",
        put_secret,
        "Store a secret of the team under a name, in place of the one that is there",
        permission=WRITE,
        body=PUT,
        reply=SECRET,
        max_body=128 * 1024,
    ),
    Route(
        "DELETE",
        "/api/team-secrets/:name",
        delete_secret,
        "Delete a secret; what uses it fails from then on",
        permission=WRITE,
        status=204,
    ),
)


async def make_secret(client: SampleClient, canary: str) -> str:
    name = f"sample-{len(canary)}"
    await client.call("PUT", f"/api/team-secrets/{name}", {"value": canary})
    return name


FACTORIES = (Factory("/api/team-secrets/:name", make_secret, tenant=False),)
