"""The rows of hooks in."""

from collections.abc import Mapping
from typing import Any, Literal

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.types.hooks_in import (
    CreatedHooksIn,
    HooksIn2,
    HooksIn2Page,
    HooksInDelivery,
    HooksInDeliveryPage,
    HooksInReplayDeliveryReply,
    HooksInUpdateReply,
)


class AsyncHooksIn:
    """Calls of hooks in."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def create(
        self,
        *,
        scheme: Literal["standard", "github", "stripe", "slack", "none"],
        workflow_slug: str,
        enabled: bool | Omitted = OMITTED,
        schema: Mapping[str, Any] | Omitted | None = OMITTED,
        secret: str | Omitted = OMITTED,
        wait_seconds: int | Omitted = OMITTED,
    ) -> CreatedHooksIn:
        """An address at which messages start a workflow; its secret is shown once.

        `enabled`: Off, the address answers 404
        `scheme`: Whose way to sign a message
        `secret`: The secret that the sender gave you; left out, you get one to give to the sender
        `wait_seconds`: For how long a sender waits for the run's output
        `workflow_slug`: The workflow to start
        Needs workflows:write.
        """
        reply: CreatedHooksIn = await self._api.call(
            "POST",
            "/api/hooks-in",
            fields={
                "enabled": enabled,
                "schema": schema,
                "scheme": scheme,
                "secret": secret,
                "wait_seconds": wait_seconds,
                "workflow_slug": workflow_slug,
            },
        )
        return reply

    async def delete(self, id: str) -> None:
        """Delete an incoming webhook with its history; runs that it started remain.

        Needs workflows:write.
        """
        await self._api.call("DELETE", f"/api/hooks-in/{segment(id)}")

    def deliveries(
        self, id: str, *, page_size: int | None = None
    ) -> AsyncPages[HooksInDelivery, HooksInDeliveryPage]:
        """What came in, newest first.

        Needs workflows:read.
        """
        return AsyncPages(self._api, f"/api/hooks-in/{segment(id)}/deliveries", query={"limit": page_size})

    async def delivery(self, id: str, delivery_id: str) -> HooksInDelivery:
        """What came in once, with its whole body.

        Needs workflows:read.
        """
        reply: HooksInDelivery = await self._api.call(
            "GET", f"/api/hooks-in/{segment(id)}/deliveries/{segment(delivery_id)}"
        )
        return reply

    async def get(self, id: str) -> HooksIn2:
        """An incoming webhook.

        Needs workflows:read.
        """
        reply: HooksIn2 = await self._api.call("GET", f"/api/hooks-in/{segment(id)}")
        return reply

    async def replay_delivery(self, id: str, delivery_id: str) -> HooksInReplayDeliveryReply:
        """Start the workflow again with what came in once.

        Needs workflows:write.
        """
        reply: HooksInReplayDeliveryReply = await self._api.call(
            "POST", f"/api/hooks-in/{segment(id)}/deliveries/{segment(delivery_id)}/replay"
        )
        return reply

    async def update(
        self,
        id: str,
        *,
        enabled: bool | Omitted = OMITTED,
        schema: Mapping[str, Any] | Omitted | None = OMITTED,
        scheme: Literal["standard", "github", "stripe", "slack", "none"] | Omitted = OMITTED,
        secret: str | Omitted = OMITTED,
        wait_seconds: int | Omitted = OMITTED,
        workflow_slug: str | Omitted = OMITTED,
    ) -> HooksInUpdateReply:
        """Change an incoming webhook; another scheme has another secret, shown once.

        `enabled`: Off, the address answers 404
        `scheme`: Whose way to sign a message
        `secret`: The secret that the sender gave you; left out, you get one to give to the sender
        `wait_seconds`: For how long a sender waits for the run's output
        `workflow_slug`: The workflow to start
        Needs workflows:write.
        """
        reply: HooksInUpdateReply = await self._api.call(
            "PATCH",
            f"/api/hooks-in/{segment(id)}",
            fields={
                "enabled": enabled,
                "schema": schema,
                "scheme": scheme,
                "secret": secret,
                "wait_seconds": wait_seconds,
                "workflow_slug": workflow_slug,
            },
        )
        return reply

    def list(self, *, page_size: int | None = None) -> AsyncPages[HooksIn2, HooksIn2Page]:
        """The addresses that start workflows of the team, newest first.

        Needs workflows:read.
        """
        return AsyncPages(self._api, "/api/hooks-in", query={"limit": page_size})
