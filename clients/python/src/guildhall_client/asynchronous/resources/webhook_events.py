"""The rows of webhook events."""

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.types.webhook_events import WebhookEvent


class AsyncWebhookEvents:
    """Calls of webhook events."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def get(self) -> WebhookEvent:
        """The events that a webhook may want.

        Needs workflows:read.
        """
        reply: WebhookEvent = await self._api.call("GET", "/api/webhook-events")
        return reply
