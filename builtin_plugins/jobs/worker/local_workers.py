"""A pull worker in the server's own process, which tests run beside it."""

import asyncio
import io
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from guildhall_sdk import Clock, Host
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.services.jobs import WorkerModel
from libs.model_wire import MODEL_TURN

# A claim that is under way when the block ends need not be waited for as long as a real worker does.
_SETTLE_SECONDS = 0.05


class InProcessWorkers:
    """Implements the SDK's `LocalWorkers`."""

    def __init__(self, host: Host) -> None:
        self._plugins = host.service(Plugins)

    @asynccontextmanager
    async def running(
        self,
        url: str,
        token: str,
        clock: Clock,
        *,
        kinds: Sequence[str] | None = None,
        slots: int = 1,
        model: WorkerModel | None = None,
    ) -> AsyncIterator[None]:
        # At the first use: a server does without a client and a worker.
        import httpx

        from builtin_plugins.jobs.worker.api_client import ApiClient
        from builtin_plugins.jobs.worker.clock import RealTime
        from builtin_plugins.jobs.worker.display import PlainLines, ProgressReport
        from builtin_plugins.jobs.worker.kinds import runnable_kinds
        from builtin_plugins.jobs.worker.pull_worker import Worker

        runnable, time = runnable_kinds(self._plugins, model, kinds), RealTime(clock)
        timeout = httpx.Timeout(None, connect=10)
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(
            base_url=url, headers=headers, timeout=timeout, trust_env=False
        ) as client:
            worker = Worker(
                ApiClient(client, time),
                time,
                runnable,
                ProgressReport(PlainLines(io.StringIO(), time)),
                models=[model.name] if model is not None and MODEL_TURN in runnable else [],
                slots=slots,
                settle_seconds=_SETTLE_SECONDS,
            )
            working = asyncio.create_task(worker.run())
            try:
                yield
            except BaseException:
                working.cancel()
                with suppress(asyncio.CancelledError):
                    await working
                raise
            worker.stop()
            await working
