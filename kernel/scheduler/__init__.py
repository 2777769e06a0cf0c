"""The scheduler of jobs: fair between teams, fenced by leases, durable."""

from kernel.scheduler.lanes import KindSwitches
from kernel.scheduler.rescue import EndedJobs
from kernel.scheduler.scheduler import Scheduler

__all__ = ["EndedJobs", "KindSwitches", "Scheduler"]
