"""The scheduler of jobs: fair between teams, fenced by leases, durable."""

from kernel.scheduler.parking import KindSwitches
from kernel.scheduler.scheduler import Scheduler
from kernel.scheduler.upkeep import EndedJobs

__all__ = ["EndedJobs", "KindSwitches", "Scheduler"]
