"""The rows of webhook events."""

from guildhall_client.synchronous.api import Api
from guildhall_client.types.webhook_events import WebhookEvent


class WebhookEvents:
    """Calls of webhook events."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def get(self) -> WebhookEvent:
        """The events that a webhook may want.

        Needs workflows:read.
        """
        reply: WebhookEvent = self._api.call("GET", "/api/webhook-events")
        return reply
