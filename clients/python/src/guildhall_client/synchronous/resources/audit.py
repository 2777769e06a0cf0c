"""The rows of audit."""

from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.audit import AuditEvent, AuditEventDays, AuditEventPage


class Audit:
    """Calls of audit."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def days(
        self, *, actor: str | None = None, from_: str | None = None, to: str | None = None
    ) -> AuditEventDays:
        """How many events of the team each day has; the last 30 without from and to, at most 92.

        `actor`: What this user did, by id
        `from_`: From this time on, RFC 3339
        `to`: Before this time, RFC 3339
        Needs settings:manage.
        """
        reply: AuditEventDays = self._api.call(
            "GET", "/api/audit/days", query={"actor": actor, "from": from_, "to": to}
        )
        return reply

    def list(
        self,
        *,
        actor: str | None = None,
        action: str | None = None,
        target: str | None = None,
        q: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        page_size: int | None = None,
    ) -> Pages[AuditEvent, AuditEventPage]:
        """The team's audit trail, newest first.

        `actor`: What this user did, by id
        `action`: Such as token.issued, or the noun alone for all its verbs
        `target`: What was done to this, by its id
        `q`: Words that all stand in what is shown of an event
        `from_`: From this time on, RFC 3339
        `to`: Before this time, RFC 3339
        Needs settings:manage.
        """
        return Pages(
            self._api,
            "/api/audit",
            query={
                "actor": actor,
                "action": action,
                "target": target,
                "q": q,
                "from": from_,
                "to": to,
                "limit": page_size,
            },
        )
