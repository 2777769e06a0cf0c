"""The rows of webhooks."""

from collections.abc import Mapping, Sequence

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.webhooks import (
    CreatedWebhook,
    Webhook,
    WebhookPage,
    WebhookRedeliverDeliveryReply,
    WebhookRedeliverDeliveryReplyPage,
)


class Webhooks:
    """Calls of webhooks."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def create(
        self,
        *,
        events: Sequence[str],
        url: str,
        enabled: bool | Omitted = OMITTED,
        filter: Mapping[str, str | float | bool | None] | Omitted = OMITTED,
        ordered: bool | Omitted = OMITTED,
    ) -> CreatedWebhook:
        """Have events sent to an address, signed by a secret that is shown once.

        `enabled`: Off, nothing is sent, and what happens meanwhile is not sent later
        `events`: Names of events, such as object.written
        `filter`: Members of the data with the value that they must have
        `ordered`: One after the other, in the order in which they happened
        `url`: Where events are sent, by POST
        Needs workflows:write.
        """
        reply: CreatedWebhook = self._api.call(
            "POST",
            "/api/webhooks",
            fields={"enabled": enabled, "events": events, "filter": filter, "ordered": ordered, "url": url},
        )
        return reply

    def delete(self, id: str) -> None:
        """Delete a webhook with its deliveries; what waits is not sent any more.

        Needs workflows:write.
        """
        self._api.call("DELETE", f"/api/webhooks/{segment(id)}")

    def deliveries(
        self, id: str, *, page_size: int | None = None
    ) -> Pages[WebhookRedeliverDeliveryReply, WebhookRedeliverDeliveryReplyPage]:
        """What was sent and answered, newest first.

        Needs workflows:read.
        """
        return Pages(self._api, f"/api/webhooks/{segment(id)}/deliveries", query={"limit": page_size})

    def get(self, id: str) -> Webhook:
        """A webhook.

        Needs workflows:read.
        """
        reply: Webhook = self._api.call("GET", f"/api/webhooks/{segment(id)}")
        return reply

    def redeliver_delivery(self, id: str, delivery_id: str) -> WebhookRedeliverDeliveryReply:
        """Have a delivery sent again, under its id.

        Needs workflows:write.
        """
        reply: WebhookRedeliverDeliveryReply = self._api.call(
            "POST", f"/api/webhooks/{segment(id)}/deliveries/{segment(delivery_id)}/redeliver"
        )
        return reply

    def rotate(self, id: str) -> CreatedWebhook:
        """Another secret, shown once; the one before signs too for a day.

        Needs workflows:write.
        """
        reply: CreatedWebhook = self._api.call("POST", f"/api/webhooks/{segment(id)}/rotate")
        return reply

    def test(self, id: str) -> WebhookRedeliverDeliveryReply:
        """Have a message sent that says nothing.

        Needs workflows:write.
        """
        reply: WebhookRedeliverDeliveryReply = self._api.call("POST", f"/api/webhooks/{segment(id)}/test")
        return reply

    def update(
        self,
        id: str,
        *,
        enabled: bool | Omitted = OMITTED,
        events: Sequence[str] | Omitted = OMITTED,
        filter: Mapping[str, str | float | bool | None] | Omitted = OMITTED,
        ordered: bool | Omitted = OMITTED,
        url: str | Omitted = OMITTED,
    ) -> Webhook:
        """Change a webhook; what is left out stays.

        `enabled`: Off, nothing is sent, and what happens meanwhile is not sent later
        `events`: Names of events, such as object.written
        `filter`: Members of the data with the value that they must have
        `ordered`: One after the other, in the order in which they happened
        `url`: Where events are sent, by POST
        Needs workflows:write.
        """
        reply: Webhook = self._api.call(
            "PATCH",
            f"/api/webhooks/{segment(id)}",
            fields={"enabled": enabled, "events": events, "filter": filter, "ordered": ordered, "url": url},
        )
        return reply

    def list(self, *, page_size: int | None = None) -> Pages[Webhook, WebhookPage]:
        """The addresses that the team's events are sent to, newest first.

        Needs workflows:read.
        """
        return Pages(self._api, "/api/webhooks", query={"limit": page_size})
