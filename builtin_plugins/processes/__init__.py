"""Processes: a server of several processes on one machine, `guildhall serve --workers`."""

from collections.abc import Callable, Mapping
from typing import Any

from guildhall_sdk import Host, Plugin, hookimpl
from libs.own_process.supervision import ProcessSupervisor, Supervision

PLUGIN = Plugin(
    id="processes",
    name="Processes",
    version="0.1.0",
    description="Runs a server in several processes, and replaces one that ends.",
    essential=True,
)


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {ProcessSupervisor: lambda _host: ForkingSupervisor()}


class ForkingSupervisor:
    """Implements `ProcessSupervisor`."""

    def supervise(self, supervision: Supervision) -> int:
        from builtin_plugins.processes.supervisor import Supervisor

        return Supervisor(supervision).run()
