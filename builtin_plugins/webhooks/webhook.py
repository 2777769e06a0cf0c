"""A webhook and its deliveries: how they are stored, signed, put off, and shown by the API."""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from guildhall_sdk import Host, Row, Writer, load_queries, rfc3339, rfc3339_or_none
from guildhall_sdk.services.notifications import Notice, NotificationKind
from guildhall_sdk.services.pages import LiveLists

if TYPE_CHECKING:
    from builtin_plugins.webhooks.hook import Hook

sql = load_queries(Path(__file__).with_name("webhooks.sql"))

READ, WRITE, FEATURE = "workflows:read", "workflows:write", "workflows"
IN_VAULT, OLD_IN_VAULT = "webhook", "webhook_old"
SECRET_PREFIX = "whsec_"  # noqa: S105
TEST_EVENT = "webhook.test"
SEND = "webhooks.send"
#: The kind of jobs that tell of events, by the name of the subscription.
ON_EVENT = "on-event"
TELL = f"events.webhooks.{ON_EVENT}"

DeliveryState = Literal["waiting", "delivered", "failed", "skipped"]

_SECOND_MS = 1000
_HOUR_MS = 3_600_000
GIVE_UP_MS = 24 * _HOUR_MS
_FIRST_MS = (
    *(5 * _SECOND_MS, 30 * _SECOND_MS, 120 * _SECOND_MS, 600 * _SECOND_MS, 1800 * _SECOND_MS),
    *(_HOUR_MS, 2 * _HOUR_MS, 4 * _HOUR_MS, 8 * _HOUR_MS),
)
#: How long after each failed attempt the next comes; with the last, a day has passed.
RETRIES_MS = (*_FIRST_MS, GIVE_UP_MS - sum(_FIRST_MS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Why something cannot go on."""

    code: str
    message: str
    at: int

    def public(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message, "at": rfc3339(self.at)}

    @classmethod
    def of(cls, row: Row) -> "Stop | None":
        if row["stopped_code"] is None:
            return None
        return cls(code=row["stopped_code"], message=row["stopped_message"], at=row["stopped_at"])


STOPPED = NotificationKind(
    name="webhooks.stopped",
    title="webhooks.notice_stopped",
    text="webhooks.notice_stopped_text",
    mail="at_once",
)


def stop_notice(stopped: "Webhook | Hook", place: str, link: str, at: int) -> Notice:
    """Returns what its owner and the team's admins are told when something cannot go on."""
    return Notice(
        kind=STOPPED,
        org_id=stopped.org_id,
        team_id=stopped.team_id,
        people=[stopped.owner_id],
        roles=["admin", "owner"],
        params={"place": place},
        link=f"{link}/{stopped.id}",
        key=f"{stopped.id} {at}",
    )


OUT_LIST, IN_LIST = "/api/webhooks", "/api/hooks-in"


def list_changed(host: Host, writer: Writer, path: str, team_id: str) -> None:
    """Has whoever looks at a list read it again once the transaction commits."""
    lists = host.find_service(LiveLists)
    if lists is not None:
        writer.after_commit(partial(lists.changed, path, team_id))


def stored_stop(stop: Stop | None) -> dict[str, Any]:
    """Returns the columns of a stop."""
    return {
        "stopped_code": None if stop is None else stop.code,
        "stopped_message": None if stop is None else stop.message,
        "stopped_at": None if stop is None else stop.at,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """A webhook at one moment; times are milliseconds since the epoch."""

    id: str
    org_id: str
    team_id: str
    url: str
    events: Sequence[str]
    filter: Mapping[str, Any]
    ordered: bool
    enabled: bool
    owner_id: str
    owner_name: str | None
    made_with: str | None
    scope: frozenset[str] | None
    old_secret_until: int | None
    failures: int
    failing_since: int | None
    rest_until: int | None
    job_id: str | None
    stop: Stop | None
    created_at: int
    updated_at: int

    @classmethod
    def of(cls, row: Row) -> "Webhook":
        return cls(
            **{name: row[name] for name in _AS_THEY_ARE},
            events=json.loads(row["events"]),
            filter=json.loads(row["filter"]),
            ordered=bool(row["ordered"]),
            enabled=bool(row["enabled"]),
            scope=None if row["scope"] is None else frozenset(json.loads(row["scope"])),
            stop=Stop.of(row),
        )

    @property
    def goes_on(self) -> bool:
        """Whether anything is sent."""
        return self.enabled and self.stop is None

    def stored(self) -> dict[str, Any]:
        """Returns what a person says of it, as its row has it."""
        return {
            **{name: getattr(self, name) for name in _WRITTEN},
            "events": json.dumps(list(self.events)),
            "filter": json.dumps(dict(self.filter)),
            "ordered": int(self.ordered),
            "enabled": int(self.enabled),
            "scope": None if self.scope is None else json.dumps(sorted(self.scope)),
            **stored_stop(self.stop),
        }

    def public(self) -> dict[str, Any]:
        """Returns the webhook as the API shows it."""
        return {
            "id": self.id,
            "url": self.url,
            "events": list(self.events),
            "filter": dict(self.filter),
            "ordered": self.ordered,
            "enabled": self.enabled,
            "owner": {"id": self.owner_id, "name": self.owner_name},
            "failing_since": rfc3339_or_none(self.failing_since),
            "old_secret_until": rfc3339_or_none(self.old_secret_until),
            "stopped": None if self.stop is None else self.stop.public(),
            "created_at": rfc3339(self.created_at),
            "updated_at": rfc3339(self.updated_at),
        }

    def wants(self, data: Mapping[str, Any]) -> bool:
        """Tells whether an event's data has every value that the filter names."""
        return all(name in data and _equal(data[name], value) for name, value in self.filter.items())


_WRITTEN = (
    *("id", "org_id", "team_id", "url", "owner_id", "made_with", "failures", "failing_since", "rest_until"),
    *("created_at", "updated_at"),
)
_AS_THEY_ARE = (*_WRITTEN, "owner_name", "old_secret_until", "job_id")


def _equal(one: Any, other: Any) -> bool:
    """Compares as JSON does, where true is no number."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def delivery_json(row: Row) -> dict[str, Any]:
    """Returns a delivery as the API shows it, with both bodies."""
    status = row["response_status"]
    response = None if status is None else {"status": status, "body": row["response_body"]}
    return {
        "id": row["id"],
        "event": row["event"],
        "event_id": row["event_id"],
        "state": row["state"],
        "attempts": row["attempts"],
        "request": {"body": row["body"]},
        "response": response,
        "status": status,
        "error": row["error"],
        "duration_ms": row["duration_ms"],
        "next_at": rfc3339_or_none(row["due_at"]),
        "last_at": rfc3339_or_none(row["last_at"]),
        "created_at": rfc3339(row["created_at"]),
        "finished_at": rfc3339_or_none(row["finished_at"]),
    }


def body_of(event: str, at: int, data: Mapping[str, Any]) -> str:
    """Returns the body of a delivery, as it is sent at each attempt."""
    content = {"type": event, "timestamp": rfc3339(at), "data": data}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def new_secret() -> str:
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def key_of(secret: str) -> bytes:
    """Returns the key that a secret of Standard Webhooks stands for."""
    return base64.b64decode(secret.removeprefix(SECRET_PREFIX))


def signature(secret: str, message_id: str, seconds: int, body: bytes) -> str:
    """Signs a message as Standard Webhooks says."""
    signed = b"%s.%d.%s" % (message_id.encode(), seconds, body)
    return "v1," + base64.b64encode(hmac.new(key_of(secret), signed, hashlib.sha256).digest()).decode()


def retry_in_ms(attempts: int) -> int:
    """Returns how long after so many failed attempts the next comes."""
    return RETRIES_MS[min(attempts, len(RETRIES_MS)) - 1]
