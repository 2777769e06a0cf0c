"""`GET /api/explain`: why somebody may or may not."""

from typing import Any

from builtin_plugins.explain.gates import Asked, Gates, public, row_for
from builtin_plugins.explain.reasons import ADDRESS, GATES, MAX_PATH, OVER_INSTANCE, OVER_MEMBERS
from guildhall_sdk import Call, InvalidRequest, NotFound, Reader, Route
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.schema import array, boolean, enum, nullable, shape, string
from guildhall_sdk.services.tenancy import Directory, Team, User

_ANSWER = shape(
    {
        "allowed": boolean(),
        "gates": array(
            shape(
                {
                    "gate": enum(*GATES),
                    "plugin": string(),
                    "rule": nullable(string()),
                    "decision": enum("allow", "deny", "skip"),
                    "because": string(),
                    "lifted_by": nullable(string()),
                }
            )
        ),
    }
)


async def explain(call: Call) -> dict[str, Any]:
    """Answers about the caller, a member of their team, or anybody for who manages the instance."""
    query, who = call.query, call.principal
    if not query["path"]:
        raise InvalidRequest.at("/path", "must name a path, such as /api/notes")
    plugin, row = row_for(call.service(Plugins), query["method"], query["path"])
    async with call.read() as reader:
        directory = call.service(Directory)
        team = await _team(call, reader, directory)
        user = await _user(call, reader, directory, team)
        own = user.id == who.user_id and team.id == who.team_id
        caller, limit = who if own else None, query.get("limit")
        asked = Asked(plugin=plugin, row=row, user=user, team=team, caller=caller, limit=limit)
        return public(await Gates(call.host, call.host.find_service(Quotas)).judge(reader, asked))


async def _team(call: Call, reader: Reader, directory: Directory) -> Team:
    who, ref = call.principal, call.query.get("team")
    if ref is None or ref == who.team_id:
        found = await directory.team(reader, who.team_id)
    else:
        found = await directory.team(reader, ref) or await directory.team_by_ref(reader, who.org_id, ref)
        if found is not None and found.id != who.team_id and not who.may(OVER_INSTANCE):
            found = None
    if found is None:
        raise NotFound("There is no such team that you can see.")
    return found


async def _user(call: Call, reader: Reader, directory: Directory, team: Team) -> User:
    ref = call.query.get("user", call.principal.user_id)
    found = await directory.user(reader, ref) or await directory.user_by_name(reader, ref)
    if found is None or await directory.member(reader, team.id, found.id) is None:
        raise NotFound("There is no such person in the team.")
    return found


ROUTES = (
    Route(
        "GET",
        ADDRESS,
        explain,
        "Why somebody may send a request or may not: what each gate says, and who could change it",
        permission=OVER_MEMBERS,
        query={
            "method": enum("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", default="GET"),
            "path": string(max_length=MAX_PATH, default="", examples=["/api/notes"]),
            "user": string(min_length=1, max_length=200),
            "limit": string(
                max_length=200,
                description="A dimension that is looked at too, where others than the row's plugin count it",
                examples=["storage.bytes"],
            ),
            "team": string(min_length=1, max_length=200),
        },
        reply=_ANSWER,
    ),
)
