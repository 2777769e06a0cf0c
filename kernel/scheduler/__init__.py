"""The scheduler of jobs: fair between teams, fenced by leases, durable."""

from kernel.scheduler.enqueueing import CompileSchema
from kernel.scheduler.scheduler import Scheduler

__all__ = ["CompileSchema", "Scheduler"]
