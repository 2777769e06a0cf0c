"""What people are told of their runs: that one which they started is done, and any that failed."""

from collections.abc import Iterator, Sequence

from builtin_plugins.workflows.runs.walk import Walk
from guildhall_sdk import Host, Writer
from guildhall_sdk.services.notifications import Notice, NotificationKind, Notifications

SUCCEEDED = NotificationKind(
    name="workflows.succeeded",
    title="workflows.notice_succeeded",
    text="workflows.notice_succeeded_text",
    mail="never",
)
FAILED = NotificationKind(
    name="workflows.failed", title="workflows.notice_failed", text="workflows.notice_failed_text"
)
_HOUR_MS = 3600 * 1000


async def tell_of_ends(host: Host, writer: Writer, ended: Sequence[Walk]) -> None:
    """Tells those whose runs these are; of one that fails by itself again and again, once an hour."""
    notifications = host.find_service(Notifications)
    if notifications is not None:
        for notice in _notices(ended, host.clock.now_ms() // _HOUR_MS):
            await notifications.notify(writer, notice)


def _notices(ended: Sequence[Walk], hour: int) -> Iterator[Notice]:
    for walk in ended:
        by_hand = walk.started_by == "person"
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
