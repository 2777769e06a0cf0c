"""What people are told of runs: that one of theirs is done or failed, and that one asks them."""

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
ASKED = NotificationKind(
    name="workflows.asked", title="workflows.notice_asked", text="workflows.notice_asked_text", mail="at_once"
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
        if walk.parent_run is not None:
            # The run that waits for it tells of its own end.
            continue
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
