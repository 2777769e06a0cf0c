"""What tasks of one process, and processes of one database, do together."""

from libs.coordination.ends import Channel, EndWatch
from libs.coordination.group_commit import GroupCommit
from libs.coordination.pubsub import PubSub, Subscription, Topic
from libs.coordination.rounds import Loop, TaskSet
from libs.coordination.savepoints import SharedTooLong, run_behind_savepoints
from libs.coordination.silence import SilenceWatch
from libs.coordination.slots import TaskSlots
from libs.coordination.turns import Turns
from libs.coordination.waiters import Waiters

__all__ = [
    "Channel",
    "EndWatch",
    "GroupCommit",
    "Loop",
    "PubSub",
    "SharedTooLong",
    "SilenceWatch",
    "Subscription",
    "TaskSet",
    "TaskSlots",
    "Topic",
    "Turns",
    "Waiters",
    "run_behind_savepoints",
]
