"""The rows of triggers."""

from collections.abc import Mapping, Sequence
from typing import Any

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.triggers import CreatedTrigger, ListedTrigger, ListedTriggerPage, Trigger


class Triggers:
    """Calls of triggers."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def create(
        self,
        *,
        workflow_slug: str,
        enabled: bool | Omitted = OMITTED,
        fire_on_derived: bool | Omitted = OMITTED,
        input: Mapping[str, Any] | Omitted = OMITTED,
        match_prefix: str | Omitted = OMITTED,
        match_types: Sequence[str] | Omitted = OMITTED,
    ) -> CreatedTrigger:
        """Start a workflow for every object that is written from now on and matches.

        `enabled`: Off, it matches nothing that is written; its history stays
        `fire_on_derived`: Also for documents that were made from others
        `input`: The workflow's input; object_id is added where the workflow declares it
        `match_prefix`: What the key begins with; empty for every key
        `match_types`: Media types, such as text/plain, text/* or */*; none is any
        `workflow_slug`: The workflow to start
        Needs workflows:write.
        """
        reply: CreatedTrigger = self._api.call(
            "POST",
            "/api/doc-triggers",
            fields={
                "enabled": enabled,
                "fire_on_derived": fire_on_derived,
                "input": input,
                "match_prefix": match_prefix,
                "match_types": match_types,
                "workflow_slug": workflow_slug,
            },
        )
        return reply

    def delete(self, id: str) -> None:
        """Delete a trigger with its history; runs that it started remain.

        Needs workflows:write.
        """
        self._api.call("DELETE", f"/api/doc-triggers/{segment(id)}")

    def get(self, id: str, *, fires_cursor: str | None = None) -> Trigger:
        """A trigger with what became of the versions that it matched, newest first.

        `fires_cursor`: `fires_cursor` of the answer before
        Needs workflows:read.
        """
        reply: Trigger = self._api.call(
            "GET", f"/api/doc-triggers/{segment(id)}", query={"fires_cursor": fires_cursor}
        )
        return reply

    def update(
        self,
        id: str,
        *,
        enabled: bool | Omitted = OMITTED,
        fire_on_derived: bool | Omitted = OMITTED,
        input: Mapping[str, Any] | Omitted = OMITTED,
        match_prefix: str | Omitted = OMITTED,
        match_types: Sequence[str] | Omitted = OMITTED,
        workflow_slug: str | Omitted = OMITTED,
    ) -> CreatedTrigger:
        """Change a trigger; what is left out stays.

        `enabled`: Off, it matches nothing that is written; its history stays
        `fire_on_derived`: Also for documents that were made from others
        `input`: The workflow's input; object_id is added where the workflow declares it
        `match_prefix`: What the key begins with; empty for every key
        `match_types`: Media types, such as text/plain, text/* or */*; none is any
        `workflow_slug`: The workflow to start
        Needs workflows:write.
        """
        reply: CreatedTrigger = self._api.call(
            "PATCH",
            f"/api/doc-triggers/{segment(id)}",
            fields={
                "enabled": enabled,
                "fire_on_derived": fire_on_derived,
                "input": input,
                "match_prefix": match_prefix,
                "match_types": match_types,
                "workflow_slug": workflow_slug,
            },
        )
        return reply

    def list(self, *, page_size: int | None = None) -> Pages[ListedTrigger, ListedTriggerPage]:
        """The team's triggers, newest first, and what is left of its AI budget.

        Needs workflows:read.
        """
        return Pages(self._api, "/api/doc-triggers", query={"limit": page_size})
