"""The scheduler of jobs: fair between teams, fenced by leases, durable."""

from kernel.scheduler.ending import Record
from kernel.scheduler.enqueueing import CompileSchema
from kernel.scheduler.parking import KindSwitches
from kernel.scheduler.running import KindOfAnother
from kernel.scheduler.scheduler import Scheduler

__all__ = ["CompileSchema", "KindOfAnother", "KindSwitches", "Record", "Scheduler"]
