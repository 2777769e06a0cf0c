"""Those who follow runs in this process."""

from guildhall_sdk import Host
from guildhall_sdk.followers import Followers


class RunFollowers(Followers):
    """Woken when their run has moved."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.news("runs"))
