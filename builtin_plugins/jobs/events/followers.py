"""Those who follow jobs in this process."""

from guildhall_sdk import Host
from guildhall_sdk.followers import Followers


class JobFollowers(Followers):
    """Woken when their job has said something."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.news("job-events"))
