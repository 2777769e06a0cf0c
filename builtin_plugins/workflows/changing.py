"""Workflows that a team turns off and on, and deletes; runs that began go on."""

from builtin_plugins.workflows.definitions import (
    STORAGE,
    Definition,
    Definitions,
    definition_sql,
    lock_of,
)
from guildhall_sdk import Conflict, Host, NotFound, Principal, Writer
from guildhall_sdk.dimensions import Quotas


class WorkflowChanges:
    """Changes to the workflows of all teams, in the caller's transaction."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._definitions = Definitions(host)

    async def set_enabled(self, writer: Writer, caller: Principal, slug: str, enabled: bool) -> Definition:
        """Lets runs of a workflow be started, or refuses them from now on."""
        before = await self._locked(writer, caller, slug)
        place = {"team_id": caller.team_id, "slug": slug}
        if enabled:
            await writer.run(definition_sql.enable, **place)
        else:
            await writer.run(definition_sql.disable, **place, org_id=caller.org_id)
        if before.enabled != enabled:
            action = "workflow.enabled" if enabled else "workflow.disabled"
            writer.audit(action, ("workflow", before.id), detail={"slug": slug})
        found = await self._definitions.current(writer, caller.org_id, caller.team_id, slug)
        assert found is not None
        return found

    async def delete(self, writer: Writer, caller: Principal, slug: str) -> None:
        """Deletes what the team published under a slug; versions that runs began with stay for those.

        Raises `Conflict` `shipped` for one that a plugin ships.
        """
        found = await self._locked(writer, caller, slug)
        if found.source is not None:
            message = f"The plugin {found.source} ships this workflow: turn the workflow off instead."
            raise Conflict(message, code="shipped")
        place = {"team_id": caller.team_id, "slug": slug}
        gone = await writer.all(definition_sql.delete_unused, **place)
        gone = [*gone, *await writer.all(definition_sql.mark_deleted, **place, now=self._host.clock.now_ms())]
        await writer.run(definition_sql.enable, **place)
        writer.audit("workflow.deleted", ("workflow", found.id), detail={"slug": slug})
        freed = sum(row["size"] for row in gone)
        await self._host.service(Quotas).adjust(writer, caller.org_id, caller.team_id, STORAGE, -freed)

    async def _locked(self, writer: Writer, caller: Principal, slug: str) -> Definition:
        await writer.serialize(lock_of(caller.team_id, slug))
        found = await self._definitions.current(writer, caller.org_id, caller.team_id, slug)
        if found is None:
            raise NotFound("The team has no such workflow.")
        return found
