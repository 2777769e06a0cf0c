"""What every part of one process's scheduler works with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from guildhall_sdk import Clock, Host, JobKind, Row, Writer
from kernel.db import Database
from kernel.scheduler.lanes import BlockedLanes
from kernel.scheduler.signals import Signals
from kernel.scheduler.statements import LeaseClock


class JobEvents:
    """Records events of jobs, and delivers events by jobs. Here nobody is interested; `kernel.events` is."""

    async def jobs_ended(self, writer: Writer, rows: Sequence[Row]) -> None:
        """Runs in the transaction in which jobs end or change hands."""

    def kind_of_another(self, name: str) -> JobKind | None:
        """Returns a kind for a job whose own no plugin here brings; None puts the job off."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """`hosts` are those of the plugins that bring the kinds, by kind; `host` is for others.

    Everybody has the same `kinds`: what is withdrawn from them is gone for all.
    """

    host: Host
    data: Database
    kinds: dict[str, JobKind]
    hosts: Mapping[str, Host]
    events: JobEvents
    time: LeaseClock
    lease_ms: int
    signals: Signals
    blocked: BlockedLanes

    @property
    def clock(self) -> Clock:
        return self.host.clock

    def host_of(self, kind: str) -> Host:
        return self.hosts.get(kind, self.host)
