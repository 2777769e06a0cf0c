"""Templates: workflows that are shipped as data, and that a team makes its own by using them."""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from builtin_plugins.workflows.definitions import Definition, Definitions
from guildhall_sdk import Conflict, Host, NotFound, Principal, Writer

_FILE = Path(__file__).with_name("templates.json")
# A slug takes 64 characters.
_LONGEST = 60
_MOST = 100


@lru_cache(maxsize=1)
def templates() -> Mapping[str, Mapping[str, Any]]:
    """Returns the templates by slug, in the order in which they are shown."""
    return {one["slug"]: one for one in json.loads(_FILE.read_text("utf-8"))}


def template(slug: str) -> Mapping[str, Any]:
    """Returns a template; raises `NotFound`."""
    found = templates().get(slug)
    if found is None:
        raise NotFound("There is no such template; see GET /api/workflow-templates.")
    return found


class Templates:
    """Workflows that teams make of templates."""

    def __init__(self, host: Host) -> None:
        self._definitions = Definitions(host)

    async def use(
        self, writer: Writer, caller: Principal, raw: Mapping[str, Any], slug: str | None
    ) -> Definition:
        """Publishes a template under a slug, or under its own with a number where that is taken.

        Raises `Conflict` `workflow_taken` for a slug that was asked for and is taken.
        """
        for number in range(1, _MOST):
            wanted = slug or (raw["slug"] if number == 1 else f"{raw['slug'][:_LONGEST]}-{number}")
            there = await self._definitions.current(writer, caller.org_id, caller.team_id, wanted)
            if there is None:
                return await self._definitions.publish(writer, caller, {**raw, "slug": wanted})
            if slug is not None:
                break
        raise Conflict("The team has a workflow of this name already; choose another.", code="workflow_taken")
