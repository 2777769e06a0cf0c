"""Quart blueprints of plugins: a row of the table for each rule."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from guildhall_sdk import Body, Problem, Reply, Route
from guildhall_sdk.routes import BlueprintRoutes
from kernel.faults import PluginFault
from libs.blueprints import Asked, MountedBlueprint, Refused, Unservable


def blueprint_rows(plugin_id: str, routes: BlueprintRoutes) -> Iterator[Route]:
    """Yields a row for each method of each rule, with a relative path."""
    prefix = f"/api/x/{plugin_id}"
    try:
        mounted = MountedBlueprint(routes.blueprint, prefix)
    except Unservable as fault:
        raise PluginFault(str(fault)) from None

    async def answer(call: Any) -> Reply:
        asked = Asked(
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
            raise _problem(refused) from None
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


def _problem(refused: Refused) -> Problem:
    problem = Problem(
        str(refused), code=re.sub(r"[^a-z]+", "_", refused.name.lower()), headers=refused.headers
    )
    problem.status, problem.title = refused.status, refused.name  # type: ignore[misc]
    return problem
