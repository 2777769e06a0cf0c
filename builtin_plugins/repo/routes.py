"""The rows of the repository and of text documents, and some of both for the conformance tests."""

from collections.abc import Sequence

from builtin_plugins.repo import schemas
from builtin_plugins.repo.object_row import DELETE, MANAGE, READ, WRITE
from builtin_plugins.repo.thumbnails import WEBP
from guildhall_sdk import PAGE_QUERY, Auth, Body, Factory, Route, SampleClient

_OBJECT = "/api/repo-obj/:id"
_THUMBNAIL = f"{_OBJECT}/thumbnail"
_LIFECYCLE = "/api/repo-lifecycle"
_MANAGE_TEAM = "settings:manage"

DOCUMENT_ROUTES = (
    Route(
        "POST",
        "/api/documents",
        "create_document",
        "Create a text document, private unless told otherwise.",
        permission=WRITE,
        body=schemas.CREATE_DOCUMENT,
        reply=schemas.DOCUMENT,
        status=201,
        max_body=schemas.MAX_DOCUMENT_BODY,
    ),
    Route(
        "GET",
        "/api/documents",
        "list_documents",
        "The text documents that the caller can read, newest first and without their bodies.",
        permission=READ,
        query=PAGE_QUERY,
        reply=schemas.DOCUMENTS,
    ),
    Route(
        "GET",
        "/api/documents/:id",
        "read_document",
        "One text document with its body.",
        permission=READ,
        reply=schemas.DOCUMENT,
        resource_decides=True,
    ),
    Route(
        "PUT",
        "/api/documents/:id",
        "update_document",
        "Change a text document; every change is a new version, and what is left out stays as it is.",
        permission=WRITE,
        body=schemas.UPDATE_DOCUMENT,
        reply=schemas.DOCUMENT,
        max_body=schemas.MAX_DOCUMENT_BODY,
        resource_decides=True,
    ),
    Route(
        "DELETE",
        "/api/documents/:id",
        "delete_document",
        "Delete a text document with all its versions.",
        permission=DELETE,
        status=204,
        resource_decides=True,
    ),
)

OBJECT_ROUTES = (
    Route(
        "GET",
        "/api/repo",
        "list_objects",
        "The objects that the caller can read, by key; scope=org spans the company.",
        permission=READ,
        query=schemas.LIST_QUERY,
        reply=schemas.OBJECTS,
    ),
    Route(
        "PUT",
        "/api/repo/*key",
        "put_object",
        "Write the raw body to a key: a new object, or a new version of the one that is there.",
        permission=WRITE,
        body_kind=Body.RAW,
        query=schemas.UPLOAD_QUERY,
        reply=schemas.OBJECT,
        status=201,
        also_statuses=(200,),
        max_body=schemas.MAX_UPLOAD,
        resource_decides=True,
        raw_wildcard=True,
        instead="To read a file, find its id with GET /api/repo?prefix=KEY and read "
        "GET /api/repo-obj/ID/content; DELETE /api/repo-obj/ID removes it.",
    ),
    Route(
        "GET",
        _OBJECT,
        "read_object",
        "An object's metadata with its versions, newest first.",
        permission=READ,
        query={"scope": schemas.SCOPE},
        reply=schemas.OBJECT,
        resource_decides=True,
    ),
    Route(
        "DELETE",
        _OBJECT,
        "delete_object",
        "Delete an object with all its versions; keep=1 only hides it until it is restored.",
        permission=DELETE,
        query=schemas.DELETE_QUERY,
        status=204,
        resource_decides=True,
    ),
    Route(
        "POST",
        f"{_OBJECT}/restore",
        "restore_object",
        "Bring back what was deleted, or make an older version the newest again, as a new one.",
        permission=READ,
        body=schemas.RESTORE,
        reply=schemas.OBJECT,
        resource_decides=True,
    ),
    Route(
        "POST",
        f"{_OBJECT}/move",
        "move_object",
        "Give an object another key, with its versions, grants and all that is known of it.",
        permission=WRITE,
        body=schemas.MOVE,
        reply=schemas.OBJECT,
        resource_decides=True,
    ),
    Route(
        "GET",
        f"{_OBJECT}/content",
        "read_content",
        "The bytes of an object, or of an older version; one range of them where asked.",
        permission=READ,
        query={"version": schemas.VERSION, "scope": schemas.SCOPE},
        also_statuses=(206,),
        resource_decides=True,
        content_type="*/*",
    ),
    Route(
        "POST",
        f"{_OBJECT}/playback",
        "begin_playback",
        "A path at which a player, which sends no bearer, gets sound or a film, for ten minutes.",
        permission=READ,
        body=schemas.PLAYBACK,
        query={"scope": schemas.SCOPE},
        reply=schemas.PLAYBACK_PATH,
        resource_decides=True,
    ),
    Route(
        "GET",
        f"{_OBJECT}/playback/:ticket",
        "play_content",
        "Sound or a film, or one range of it, for a player that has a ticket.",
        Auth.PUBLIC,
        query={"version": schemas.VERSION, "scope": schemas.SCOPE},
        also_statuses=(206,),
        content_type="*/*",
    ),
    Route(
        "GET",
        _THUMBNAIL,
        "read_thumbnail",
        "A small WebP of a picture, or of the first page of a PDF; 404 where there is none.",
        permission=READ,
        query={"size": schemas.THUMBNAIL_SIZE, "scope": schemas.SCOPE},
        resource_decides=True,
        content_type=WEBP,
    ),
    Route(
        "GET",
        f"{_OBJECT}/text",
        "read_text",
        "The text that was read from an object's newest version, once it is indexed.",
        permission=READ,
        reply=schemas.TEXT,
        resource_decides=True,
    ),
    Route(
        "GET",
        f"{_OBJECT}/diff",
        "read_diff",
        "What changed between two versions of a text, as a unified diff.",
        permission=READ,
        query=schemas.DIFF_QUERY,
        reply=schemas.DIFF,
        resource_decides=True,
    ),
    Route(
        "POST",
        f"{_OBJECT}/share",
        "share_object",
        "Grant somebody, or a team, a capability on an object; a second time changes it.",
        permission=MANAGE,
        body=schemas.SHARE,
        reply=schemas.GRANTS,
        resource_decides=True,
    ),
    Route(
        "POST",
        f"{_OBJECT}/unshare",
        "unshare_object",
        "Revoke what somebody, or a team, was granted on an object.",
        permission=MANAGE,
        body=schemas.UNSHARE,
        reply=schemas.GRANTS,
        resource_decides=True,
    ),
    Route(
        "GET",
        f"{_OBJECT}/grants",
        "list_grants",
        "Who was granted what on an object, the expired too.",
        permission=MANAGE,
        query=PAGE_QUERY,
        reply=schemas.GRANTS,
        resource_decides=True,
    ),
    Route(
        "POST",
        f"{_OBJECT}/visibility",
        "set_visibility",
        "Make an object private, shared or visible to the team.",
        permission=MANAGE,
        body=schemas.SET_VISIBILITY,
        reply=schemas.OBJECT,
        resource_decides=True,
    ),
    Route(
        "GET",
        f"{_OBJECT}/derivations",
        "read_derivations",
        "What an object was derived from, and what was derived from it.",
        permission=READ,
        reply=schemas.DERIVATIONS,
        resource_decides=True,
    ),
    Route(
        "GET",
        f"{_OBJECT}/processing",
        "read_processing",
        "What an object was derived from, what was derived from it, and the runs that touched it.",
        permission=READ,
        reply=schemas.PROCESSING,
        resource_decides=True,
    ),
    Route(
        "POST",
        "/api/repo-folders/move",
        "move_folder",
        "Give all objects below a prefix another one, as a job; those that cannot be moved stay.",
        permission=WRITE,
        body=schemas.MOVE_PREFIX,
        reply=schemas.JOB,
        status=202,
    ),
    Route(
        "GET",
        "/api/share-targets",
        "list_share_targets",
        "Whom an object can be shared with: the team's people and the company's teams.",
        permission=READ,
        reply=schemas.TARGETS,
    ),
)

LIFECYCLE_ROUTES = (
    Route(
        "GET",
        _LIFECYCLE,
        "read_lifecycle",
        "For how long the team's bucket keeps old versions and what was deleted, and what would go now.",
        permission=_MANAGE_TEAM,
        reply=schemas.LIFECYCLE,
    ),
    Route(
        "PUT",
        _LIFECYCLE,
        "set_lifecycle",
        "Set all rules at once; those that throw more away than before hold a day later.",
        permission=_MANAGE_TEAM,
        body=schemas.SET_LIFECYCLE,
        reply=schemas.LIFECYCLE,
    ),
)

ROUTES = (*DOCUMENT_ROUTES, *OBJECT_ROUTES, *LIFECYCLE_ROUTES)


async def make_document(client: SampleClient, canary: str) -> str:
    """Makes a document that was written twice, so that it has versions to compare."""
    fields = {"title": canary, "body": canary, "visibility": "team"}
    _, answer = await client.call("POST", "/api/documents", fields)
    await client.call("PUT", f"/api/documents/{answer['id']}", {"body": f"{canary} again"})
    return str(answer["id"])


async def make_key(_client: SampleClient, canary: str) -> str:
    return f"conformance-{canary}"


# The smallest bitmap: a head of 54 bytes, and one pixel in blue, green and red.
_PICTURE = bytes.fromhex(
    "424d3a000000000000003600000028000000010000000100000001001800"
    "000000000400000000000000000000000000000000000000ff800000"
)


async def make_picture(client: SampleClient, canary: str) -> str:
    _, answer = await client.call("PUT", f"/api/repo/conformance-{canary}.bmp", _PICTURE)
    return str(answer["id"])


async def make_sound(client: SampleClient, canary: str) -> str:
    _, answer = await client.call("PUT", f"/api/repo/conformance-{canary}.mp3", canary.encode())
    return str(answer["id"])


async def make_ticket(client: SampleClient, canary: str) -> str:
    """Makes a sound and a ticket for it; returns both, as the path has them."""
    sound = await make_sound(client, canary)
    _, issued = await client.call("POST", f"/api/repo-obj/{sound}/playback", {})
    ticket = str(issued.get("path", "/none")).rpartition("/")[2].partition("?")[0]
    return f"{sound}/{ticket}"


FACTORIES: Sequence[Factory] = (
    Factory("/api/documents/:id", make_document),
    Factory("/api/repo/*key", make_key, tenant=False),
    Factory("/api/repo-obj/:id", make_document),
    Factory(_THUMBNAIL, make_picture),
    Factory(f"{_OBJECT}/playback", make_sound),
    Factory(f"{_OBJECT}/playback/:ticket", make_ticket, tenant=False),
)
