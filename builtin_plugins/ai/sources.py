"""Where a turn goes: an endpoint that is called, a worker that pulls, or the simulated model."""

import asyncio
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, TypeVar
from weakref import WeakValueDictionary

from builtin_plugins.ai.metering import TurnMetering, estimated_tokens
from builtin_plugins.ai.simulated import simulate
from builtin_plugins.ai.usage import sql as usage_sql
from guildhall_sdk import Host, InvalidRequest, Job, NewJob, Principal, TooLarge, Writer
from guildhall_sdk.jobs import JobBinding
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.models import (
    Embedded,
    Executor,
    ExecutorTimeout,
    ModelBusy,
    ModelChoice,
    ModelEndpoint,
    ModelTurn,
    ModelUnavailable,
    TokenUsage,
)
from libs.model_wire import (
    MODEL_TURN,
    Completion,
    CompletionReader,
    NotACompletion,
    NotEmbeddings,
    TokenCounts,
    checked_vectors,
    completion_of_turn,
    read_completion,
    read_embeddings,
)

THREADS = 4
#: The kind of credential that work has which nobody asked for.
BACKGROUND = "background"
Result = TypeVar("Result")
Stored = Callable[[Writer, Embedded], Awaitable[None]]
Vectors = tuple[Sequence[Sequence[float]], TokenCounts | None]

# A waiting caller asks for the job again after so long: the model may be too busy to answer them in time.
_WAIT_SECONDS = 5.0
_AGAIN_SECONDS = 0.1


class CompanyThreads:
    """Runs what computes beside everything else of the process; whoever asks for much waits for themselves.

    A company has one of the threads at most, also while a turn still runs whose caller has left.
    """

    def __init__(self, name: str, threads: int = THREADS) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._free = asyncio.Semaphore(threads)
        self._companies: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def run(self, org_id: str, work: Callable[..., Result], *arguments: Any) -> Result:
        """Runs work on a thread when it is the company's turn."""
        own = self._companies.get(org_id)
        if own is None:
            own = self._companies[org_id] = asyncio.Lock()
        await own.acquire()
        try:
            await self._free.acquire()
        except BaseException:
            own.release()
            raise
        loop = asyncio.get_running_loop()

        def end() -> None:
            self._free.release()
            own.release()

        def on_done(_: "Future[Result]") -> None:
            with suppress(RuntimeError):  # the loop has ended, and nobody waits any more
                loop.call_soon_threadsafe(end)

        running = self._pool.submit(work, *arguments)
        running.add_done_callback(on_done)
        return await asyncio.wrap_future(running)


class TurnSource(Protocol):
    """One way to a model."""

    async def call(self, turn: ModelTurn) -> Completion: ...

    def stream(self, turn: ModelTurn) -> AsyncGenerator[str | Completion, None]:
        """Pieces of the text, and the whole answer last."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors: ...


class Opened(NamedTuple):
    """A model that is ready to be asked."""

    choice: ModelChoice
    source: TurnSource

    def asking(self, turn: ModelTurn) -> "Opened":
        """Returns it with the model that a turn names, where it names one."""
        if turn.model is None or self.choice.simulated:
            return self
        return self._replace(choice=replace(self.choice, model=turn.model))


def wants_json(turn: ModelTurn) -> bool:
    """Returns whether the answer has to be JSON."""
    return turn.response_format is not None and turn.response_format.get("type") != "text"


def _request(turn: ModelTurn) -> dict[str, Any]:
    request: dict[str, Any] = {"messages": list(turn.messages), "max_tokens": turn.max_tokens}
    if wants_json(turn):
        request["response_format"] = turn.response_format
    if turn.tools:
        request["tools"] = list(turn.tools)
    if turn.temperature is not None:
        request["temperature"] = turn.temperature
    if turn.model is not None:
        request["model"] = turn.model
    return request


class EndpointSource:
    """A model behind an address that the server calls."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint

    async def call(self, turn: ModelTurn) -> Completion:
        answer = await self._endpoint.call({**turn.options, **_request(turn)})
        try:
            return read_completion(answer, wants_json=wants_json(turn))
        except NotACompletion:
            raise ModelUnavailable("The model's answer is not a chat completion.") from None

    async def embed(self, texts: Sequence[str]) -> Vectors:
        answer = await self._endpoint.embed({"input": list(texts)})
        try:
            return read_embeddings(answer, len(texts))
        except NotEmbeddings as fault:
            raise ModelUnavailable(f"The model's vectors cannot be used: {fault}.") from None

    async def stream(self, turn: ModelTurn) -> AsyncGenerator[str | Completion, None]:
        reader = CompletionReader(wants_json=wants_json(turn))
        request = {**turn.options, **_request(turn), "stream_options": {"include_usage": True}}
        async with aclosing(self._endpoint.stream(request)) as chunks:
            async for chunk in chunks:
                if text := reader.add(chunk):
                    yield text
        yield reader.result()


class SimulatedSource:
    """The model that is there when none is configured; it says that it is simulated."""

    def __init__(self, threads: CompanyThreads, org_id: str) -> None:
        self._threads = threads
        self._org_id = org_id

    async def call(self, turn: ModelTurn) -> Completion:
        return await self._threads.run(self._org_id, simulate, turn)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        raise ModelUnavailable(
            "The simulated model makes no vectors; name an executor that has such a model."
        )

    async def stream(self, turn: ModelTurn) -> AsyncGenerator[str | Completion, None]:
        completion = await self.call(turn)
        for word in completion.text.splitlines(keepends=True):
            yield word
        yield completion


async def embed(
    metering: TurnMetering,
    principal: Principal,
    opened: Opened,
    texts: Sequence[str],
    *,
    seconds: float,
    stored: Stored | None,
) -> Embedded:
    """Embeds texts as one request, metered; `stored` runs in the transaction that settles it."""
    tokens = sum(map(estimated_tokens, texts))
    result: list[Embedded] = []

    async def settled(writer: Writer) -> None:
        if stored is not None:
            await stored(writer, result[0])

    choice = opened.choice
    async with metering.work(principal, choice, tokens, seconds=seconds, settled=settled) as meter:
        meter.count(TokenUsage(tokens, 0))
        vectors, counted = await opened.source.embed(texts)
        usage = TokenUsage(tokens, 0, estimated=True) if counted is None else TokenUsage(counted.prompt, 0)
        meter.count(usage)
        result.append(Embedded(vectors=vectors, model=choice.model, executor=choice.executor, usage=usage))
    return result[0]


class WorkerSource:
    """A model behind a worker that pulls: the turn is a job, and its caller waits for it."""

    def __init__(
        self, host: Host, principal: Principal, executor: Executor, seconds: float, within: str | None
    ) -> None:
        self._host = host
        self._principal = principal
        self._executor = executor
        self._seconds = seconds
        self._within = within

    async def call(self, turn: ModelTurn) -> Completion:
        request = _request(turn)
        request.pop("temperature", None)
        return completion_of_turn(await self._run(request))

    async def embed(self, texts: Sequence[str]) -> Vectors:
        result = await self._run({"input": list(texts)})
        try:
            return checked_vectors(result.get("embeddings") or (), len(texts)), None
        except NotEmbeddings as fault:
            raise ModelUnavailable(f"The worker's vectors cannot be used: {fault}.") from None

    async def _run(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        job_id = await self._enqueue(request)
        try:
            return await self._result(job_id)
        except BaseException:
            await asyncio.shield(asyncio.create_task(self._cancel(job_id)))
            raise

    async def stream(self, turn: ModelTurn) -> AsyncGenerator[str | Completion, None]:
        completion = await self.call(turn)
        if completion.text:
            yield completion.text
        yield completion

    async def _enqueue(self, request: Mapping[str, Any]) -> str:
        principal, asked = await self._asker(), self._executor
        new = NewJob(
            MODEL_TURN,
            principal.org_id,
            principal.team_id,
            principal.user_id,
            payload={"model": asked.model, **request},
            bound_to=JobBinding(asked.id, asked.name, pushed=asked.mode == "push"),
            within=self._within,
        )
        try:
            async with self._host.data.write(within=principal.org_id) as writer:
                job = await self._host.service(Jobs).enqueue(writer, new)
        except TooLarge:
            raise InvalidRequest("The turn is too large for an executor that pulls; send less.") from None
        return job.id

    async def _asker(self) -> Principal:
        """Returns whose job it is: where nobody asked, that of the first person of the team."""
        principal = self._principal
        if principal.credential.kind != BACKGROUND:
            return principal
        async with self._host.data.read() as reader:
            user_id = await reader.value(usage_sql.first_people, team_id=principal.team_id, limit=1)
        if user_id is None:
            raise ModelUnavailable("Nobody is in the team that a worker could work for.")
        return replace(principal, user_id=user_id)

    async def _result(self, job_id: str) -> Mapping[str, Any]:
        jobs, loop = self._host.service(Jobs), asyncio.get_running_loop()
        deadline = loop.time() + self._seconds
        while (left := deadline - loop.time()) > 0:
            job = await jobs.wait_for_end(self._principal.team_id, job_id, min(left, _WAIT_SECONDS))
            if job is None or job.state == "cancelled":
                raise ModelUnavailable("The turn was cancelled before a worker ran it.")
            if job.state == "succeeded":
                result: Mapping[str, Any] = job.result
                return result
            if job.state == "failed":
                detail = "The worker failed." if job.error is None else job.error.message
                raise ModelUnavailable(detail)
            if job.state == "queued" and (busy := self._busy_seconds(job)) > deadline - loop.time():
                raise ModelBusy(busy)
            # A server that stops waits for nobody's end, and is finished with this turn all the same.
            await asyncio.sleep(_AGAIN_SECONDS)
        raise ExecutorTimeout(f"No worker answered within {self._seconds:g} s.")

    def _busy_seconds(self, job: Job) -> int:
        """Returns for how long the turn was put off by a worker whose model is busy; 0 where it was not."""
        if job.error is None or job.run_at is None:
            return 0
        return math.ceil((job.run_at - self._host.clock.now_ms()) / 1000)

    async def _cancel(self, job_id: str) -> None:
        async with self._host.data.write() as writer:
            await self._host.service(Jobs).cancel(writer, self._principal.team_id, job_id)
