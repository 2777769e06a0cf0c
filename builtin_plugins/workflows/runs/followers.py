"""Those who follow runs in this process."""

from functools import partial

from guildhall_sdk import Host, TooManyRequests
from libs.change_watch import Followers


class RunFollowers(Followers):
    """Woken when their run has moved."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.news("runs"), partial(TooManyRequests, headers={"Retry-After": "5"}))
