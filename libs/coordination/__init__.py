"""What tasks of one process, and processes of one database, do together."""

from libs.coordination.answers import VersionedAnswers
from libs.coordination.background import Background, BackgroundReports, Work
from libs.coordination.changes import ChangeSignals
from libs.coordination.clocks import ClockReading
from libs.coordination.ends import Channel, EndWatch
from libs.coordination.group_commit import GroupCommit
from libs.coordination.heartbeat_watch import HeartbeatWatch
from libs.coordination.notices import PolledNotices
from libs.coordination.once import LeasedCall, OnceCalls, StillRunning
from libs.coordination.pending_writes import PendingWrites, WriteLimits
from libs.coordination.presence import Presence
from libs.coordination.pubsub import PubSub, Subscription, Topic
from libs.coordination.retries import backoff
from libs.coordination.rounds import Loop, TaskSet, repeat_when_woken
from libs.coordination.savepoints import SharedTooLong, run_behind_savepoints
from libs.coordination.several import each_of
from libs.coordination.slots import PausableSlots, SlotHolder, TaskSlots
from libs.coordination.turns import Turns
from libs.coordination.waiters import Waiters
from libs.coordination.waits import run_acting_before_waits

__all__ = [
    "Background",
    "BackgroundReports",
    "ChangeSignals",
    "Channel",
    "ClockReading",
    "EndWatch",
    "GroupCommit",
    "HeartbeatWatch",
    "LeasedCall",
    "Loop",
    "OnceCalls",
    "PausableSlots",
    "PendingWrites",
    "PolledNotices",
    "Presence",
    "PubSub",
    "SharedTooLong",
    "SlotHolder",
    "StillRunning",
    "Subscription",
    "TaskSet",
    "TaskSlots",
    "Topic",
    "Turns",
    "VersionedAnswers",
    "Waiters",
    "Work",
    "WriteLimits",
    "backoff",
    "each_of",
    "repeat_when_woken",
    "run_acting_before_waits",
    "run_behind_savepoints",
]
