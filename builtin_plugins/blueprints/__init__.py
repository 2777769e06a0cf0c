"""Quart blueprints of plugins: a row of the table for each rule."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import urlsplit

from guildhall_sdk import Body, Call, Plugin, Problem, Reply, Route, UserError, hookimpl
from guildhall_sdk.hooks import RowMaker
from guildhall_sdk.routes import BlueprintRoutes

PLUGIN = Plugin(
    id="blueprints",
    name="Blueprints",
    version="0.1.0",
    description="Mounts the Quart blueprints of plugins behind the gates of rows.",
)


def blueprint_rows(routes: BlueprintRoutes, plugin_id: str) -> Iterator[Route]:
    """Yields a row for each method of each rule, with a relative path."""
    # Quart takes its time to import, and few plugins bring a blueprint.
    from libs.blueprints import BlueprintRequest, MountedBlueprint, Refused, Unservable

    prefix = f"/api/x/{plugin_id}"
    try:
        mounted = MountedBlueprint(routes.blueprint, prefix)
    except Unservable as fault:
        raise UserError(str(fault)) from None

    async def answer(call: Call) -> Reply:
        asked = BlueprintRequest(
            method=call.method,
            scheme=urlsplit(call.host.settings.base_url).scheme,
            path=call.path,
            query=call.raw_query,
            headers=call.headers,
            address=call.address,
            body=call.body or b"",
        )
        try:
            found = await mounted.answer(asked, call=call)
        except Refused as refused:
            raise _problem(str(refused), refused.status, refused.name, refused.headers) from None
        if found.content is not None and found.content_type == "application/json":  # kept for repeats
            return Reply(json.loads(found.content), found.status, headers=found.headers)
        return Reply(
            status=found.status,
            headers=found.headers,
            content_type=found.content_type,
            content=found.content,
            stream=found.stream,
        )

    for rule in mounted.rules():
        path = rule.path.removeprefix(f"{prefix}/")
        yield Route(
            rule.method,
            path,
            answer,
            rule.doc,
            permission=routes.permission,
            feature=routes.feature,
            body_kind=Body.WHOLE,
            query=None,
            max_body=routes.max_body,
        )


def _problem(detail: str, status: int, name: str, headers: Mapping[str, str]) -> Problem:
    problem = Problem(detail, code=re.sub(r"[^a-z]+", "_", name.lower()), headers=headers)
    problem.status, problem.title = status, name  # type: ignore[misc]
    return problem


class BlueprintRows:
    """Blueprints among the rows of others."""

    row_makers: ClassVar[Mapping[type[Any], RowMaker]] = {BlueprintRoutes: blueprint_rows}


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (BlueprintRows,)
