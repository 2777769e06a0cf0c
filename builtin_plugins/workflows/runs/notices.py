"""What people are told of runs: one that they started is done, any that failed, and what waits for them."""

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from builtin_plugins.workflows.runs.statements import approval_sql
from builtin_plugins.workflows.runs.walk import Walk
from guildhall_sdk import Host, Writer
from guildhall_sdk.principal import ORG_ROLES, TEAM_ROLES, role_includes
from guildhall_sdk.services.notifications import Notice, NotificationKind, Notifications, notify

SUCCEEDED = NotificationKind(
    name="workflows.succeeded",
    title="workflows.notice_succeeded",
    text="workflows.notice_succeeded_text",
    mail="never",
)
FAILED = NotificationKind(
    name="workflows.failed", title="workflows.notice_failed", text="workflows.notice_failed_text"
)
ASKED = NotificationKind(
    name="workflows.asked", title="workflows.notice_asked", text="workflows.notice_asked_text", mail="at_once"
)
REMINDED = NotificationKind(
    name="workflows.reminded",
    title="workflows.notice_reminded",
    text="workflows.notice_reminded_text",
    mail="at_once",
)
_HOUR_MS = 3600 * 1000


async def tell_of_ends(host: Host, writer: Writer, ended: Sequence[Walk]) -> None:
    """Tells those whose runs these are; of one that fails by itself again and again, once an hour."""
    notifications = host.find_service(Notifications)
    if notifications is not None:
        for notice in _notices(ended, host.clock.now_ms() // _HOUR_MS):
            await notifications.notify(writer, notice)


class Question(NamedTuple):
    """What is asked of `people`, by their ids, or of whoever has the role."""

    id: str
    org_id: str
    team_id: str
    title: str
    people: Sequence[str]
    role: str | None


async def tell_of_question(
    host: Host, writer: Writer, asked: Question, *, kind: NotificationKind = ASKED, key: str = ""
) -> None:
    """Tells those who are asked to decide: by name, or whoever has the role or one above it."""
    role = asked.role
    managers: list[str] = []
    if role in ORG_ROLES:
        held = json.dumps([one for one in ORG_ROLES if role_includes(one, role)])
        binds = {"org_id": asked.org_id, "team_id": asked.team_id, "roles": held}
        managers = [row["user_id"] for row in await writer.all(approval_sql.with_org_role, **binds)]
    notice = Notice(
        kind=kind,
        org_id=asked.org_id,
        team_id=asked.team_id,
        people=[*asked.people, *managers],
        roles=[one for one in TEAM_ROLES if role in TEAM_ROLES and role_includes(one, role)],
        params={"title": asked.title},
        link="/approvals",
        key=asked.id + key,
    )
    await notify(host, writer, notice)


def _notices(ended: Sequence[Walk], hour: int) -> Iterator[Notice]:
    for walk in ended:
        by_hand = walk.started_by == "person"
        if walk.parent_run is not None:
            continue  # its parent says what became of it
        if walk.state == "failed" or (walk.state == "succeeded" and by_hand):
            code, message, _ = walk.error or ("", "", "")
            yield Notice(
                kind=FAILED if walk.state == "failed" else SUCCEEDED,
                org_id=walk.org_id,
                team_id=walk.team_id,
                people=[walk.created_by],
                params={"workflow": walk.slug, "error": message.rstrip(".") or code},
                link=f"/runs/{walk.id}",
                key=walk.id if by_hand else f"{walk.slug} {hour}",
            )
