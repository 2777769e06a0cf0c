"""What tasks of one process, and processes of one database, do together."""

from libs.coordination.background import Background, BackgroundReports, Work
from libs.coordination.ends import Channel, EndWatch
from libs.coordination.group_commit import GroupCommit
from libs.coordination.pubsub import PubSub, Subscription, Topic
from libs.coordination.rounds import Loop
from libs.coordination.savepoints import SharedTooLong, run_behind_savepoints
from libs.coordination.silence import SilenceWatch
from libs.coordination.turns import Turns

__all__ = [
    "Background",
    "BackgroundReports",
    "Channel",
    "EndWatch",
    "GroupCommit",
    "Loop",
    "PubSub",
    "SharedTooLong",
    "SilenceWatch",
    "Subscription",
    "Topic",
    "Turns",
    "Work",
    "run_behind_savepoints",
]
