"""The rows of passkeys, and a real one for the conformance tests, made through the front door."""

from builtin_plugins.passkeys.authenticator import SoftwareAuthenticator
from guildhall_sdk import PAGE_QUERY, Auth, Factory, Route, SampleClient
from guildhall_sdk.schema import array, boolean, listing, nullable, obj, shape, string, time
from libs.names import NAME_MAX, USERNAME_MAX

_name = string(min_length=1, max_length=NAME_MAX, description="What its owner calls it")
_credential = shape({}, description="What the browser answered, as WebAuthn's JSON")
_SAMPLE = {"id": "a", "rawId": "a", "type": "public-key", "response": {}}

REGISTER = obj(
    {"name": _name, "credential": _credential},
    required=["credential"],
    example={"name": "My laptop", "credential": _SAMPLE},
)
RENAME = obj({"name": _name}, required=["name"], example={"name": "The old laptop"})
OPTIONS = obj(
    {"username": string(max_length=USERNAME_MAX, description="Not looked up: nothing tells who is here")},
    example={},
)
VERIFY = obj(
    {"credential": _credential, "team": string(min_length=1, max_length=64, description="Its id or slug")},
    required=["credential"],
    example={"credential": _SAMPLE},
)
CREATION = shape(
    {
        "rp": shape({"id": string(), "name": string()}),
        "user": shape({"id": string(), "name": string(), "displayName": string()}),
        "challenge": string(),
        "pubKeyCredParams": array(shape({})),
        "excludeCredentials": array(shape({})),
    }
)
REQUEST = shape({"challenge": string(), "rpId": string(), "allowCredentials": array(shape({}))})
PASSKEY = shape(
    {
        "id": string(),
        "name": string(),
        "signs_in": boolean(description="It verifies its owner, and so signs in without a password"),
        "synced": boolean(description="Its maker keeps copies of it on further devices"),
        "created_at": time(),
        "last_used_at": nullable(time()),
    }
)
_SESSION = shape({"token": string(), "expires_at": time(), "user": shape({}), "team": shape({})})
#: So many calls a minute from one address: an office signs in at nine.
_LIMIT = 300

ROUTES = (
    Route(
        "POST",
        "/api/passkeys/options",
        "registration_options",
        "WebAuthn's options for a new passkey of the caller. Wants a session of the last 15 minutes.",
        body=obj({}, example={}),
        reply=CREATION,
        session_only=True,
        while_suspended=True,
    ),
    Route(
        "POST",
        "/api/passkeys/register",
        "register_passkey",
        "Add the passkey that the browser made for these options.",
        body=REGISTER,
        reply=PASSKEY,
        status=201,
        session_only=True,
        while_suspended=True,
    ),
    Route(
        "GET",
        "/api/passkeys",
        "list_passkeys",
        "The caller's own passkeys, newest first.",
        query=PAGE_QUERY,
        reply=listing(PASSKEY),
        session_only=True,
    ),
    Route(
        "PATCH",
        "/api/passkeys/:id",
        "rename_passkey",
        "Give one of the caller's own passkeys another name.",
        body=RENAME,
        reply=PASSKEY,
        session_only=True,
    ),
    Route(
        "DELETE",
        "/api/passkeys/:id",
        "remove_passkey",
        "Remove one of the caller's own passkeys; every other session of theirs ends. Wants a session of the "
        "last 15 minutes.",
        status=204,
        session_only=True,
        while_suspended=True,
    ),
    Route(
        "POST",
        "/api/login/passkey/options",
        "passkey_sign_in_options",
        "WebAuthn's options to sign in with a passkey; the same for everybody.",
        auth=Auth.PUBLIC,
        body=OPTIONS,
        reply=REQUEST,
        while_suspended=True,
        limit=_LIMIT,
    ),
    Route(
        "POST",
        "/api/login/passkey/verify",
        "sign_in_with_passkey",
        "Sign in with what a passkey answered, in place of password and second factor.",
        auth=Auth.PUBLIC,
        body=VERIFY,
        reply=_SESSION,
        while_suspended=True,
        limit=_LIMIT,
    ),
)


async def make_passkey(client: SampleClient, canary: str) -> str:
    _, described = await client.call("GET", "/api/openapi.json")
    _, options = await client.call("POST", "/api/passkeys/options", {})
    authenticator = SoftwareAuthenticator(described["servers"][0]["url"])
    body = {"name": canary, "credential": authenticator.create(options)}
    _, made = await client.call("POST", "/api/passkeys/register", body)
    return str(made["id"])


FACTORIES = (Factory("/api/passkeys/:id", make_passkey),)
