"""Executors of model work: the server, an endpoint that it is pushed to, or a worker that pulls."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.errors import BadGateway, GatewayTimeout, RetryLater
from guildhall_sdk.ids import rfc3339_or_none
from guildhall_sdk.jobs import JobBinding
from guildhall_sdk.principal import Credential

ExecutorMode = Literal["local", "push", "pull"]
ExecutorSource = Literal["local", "env", "api"]
HealthStatus = Literal["ok", "down", "unknown"]

EXECUTOR_NAME_MAX = 64
EXECUTOR_NAME_PATTERN = "^[A-Za-z0-9](?:[A-Za-z0-9 ._:/-]*[A-Za-z0-9])?$"
CAPABILITY_PATTERN = "^[a-z0-9](?:[a-z0-9._:-]*[a-z0-9])?$"
MAX_CAPABILITIES = 32
#: The longest that a caller is told to wait for a busy model.
MAX_BUSY_SECONDS = 3600


def executor_name_key(name: str) -> str:
    """Returns what the names of executors are compared by."""
    return name.lower()


@dataclass(frozen=True, slots=True)
class Health:
    """The last check of an executor; `checked_at` None is never."""

    status: HealthStatus
    checked_at: int | None
    detail: str | None

    def public(self) -> dict[str, Any]:
        """The health as the API shows it."""
        checked_at = rfc3339_or_none(self.checked_at)
        return {"status": self.status, "checked_at": checked_at, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Executor:
    """One executor. `org_id` None is for every company's teams. Its key is not here and never shown.

    `quirks` names what its endpoint was found not to take; a request is fitted to it where it is sent.
    """

    id: str
    name: str
    mode: ExecutorMode
    model: str | None
    url: str | None
    capabilities: Sequence[str]
    org_id: str | None
    source: ExecutorSource
    health: Health
    quirks: Sequence[str] = ()

    @property
    def order(self) -> str:
        """The key that lists are sorted by, and their cursors made of: the local one, then by name."""
        rank = "!" if self.mode == "local" else ""
        return f"{rank}{executor_name_key(self.name)}|{self.id}"

    @property
    def binding(self) -> JobBinding:
        """The binding of a job to this executor."""
        return JobBinding(self.id, self.name, pushed=self.mode == "push")

    def public(self, *, with_url: bool) -> dict[str, Any]:
        """As the API shows it; where it lives, and what was found there, is for those who manage it."""
        fields: dict[str, Any] = {
            "id": self.id,
            "name": self.name,
            "mode": self.mode,
            "model": self.model,
            "capabilities": list(self.capabilities),
            "org_id": self.org_id,
            "source": self.source,
            "health": self.health.public(),
        }
        if with_url and self.url is not None:
            fields["url"] = self.url
            fields["quirks"] = dict.fromkeys(self.quirks, True)
        return fields


@dataclass(frozen=True, slots=True)
class NewExecutor:
    """An executor to be made; a push executor needs `url`, and `org_id` binds it to a company."""

    name: str
    mode: Literal["push", "pull"]
    model: str | None = None
    url: str | None = None
    key: str | None = None
    capabilities: Sequence[str] = ()
    org_id: str | None = None


@dataclass(frozen=True, slots=True)
class AdmittedExecutor:
    """A new executor that `Executors.admit` has checked; nothing else makes one."""

    new: NewExecutor
    by_operator: bool


class ModelUnavailable(BadGateway):
    """Raised when a model's endpoint failed, with its status, if any, and whether another try may help.

    `reason` is what the endpoint said, for whoever manages it: the detail, for everybody, holds none of it
    that could be the operator's affair.
    """

    code = "model_unavailable"
    title = "The model cannot be used"

    def __init__(
        self,
        detail: str,
        *,
        upstream_status: int | None = None,
        retry: bool = False,
        reason: str | None = None,
    ) -> None:
        super().__init__(detail)
        self.upstream_status = upstream_status
        self.retry = retry
        self.reason = reason


class ModelBusy(RetryLater):
    """Raised when a model's endpoint says that it is asked too much, and when to ask it again."""

    status = 503
    code = "model_busy"
    title = "The model is asked too much at the moment"

    def __init__(self, seconds: int) -> None:
        seconds = min(MAX_BUSY_SECONDS, max(1, seconds))
        detail = f"The model is asked too much at the moment; try again in {seconds} s."
        super().__init__(detail, headers={"Retry-After": str(seconds)})


class ExecutorTimeout(GatewayTimeout):
    """Raised when a model did not answer in time."""

    code = "executor_timeout"
    title = "The model did not answer in time"


class ModelEndpoint(Protocol):
    """A model to call, in the wire format of chat completions. Its address and its key stay inside.

    What its server refuses of `max_tokens`, `temperature`, `stream_options` and `response_format` is sent
    otherwise, or left out: a caller asks for what it wants, and judges what comes.

    Not for use inside a scope: a model may take its time.
    """

    @property
    def executor(self) -> str:
        """The name of the executor."""

    @property
    def model(self) -> str | None:
        """The model that is asked for where a request names none."""

    async def call(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Sends a request of chat completions, and returns the answer as the endpoint gave it.

        Raises `ModelUnavailable`, `ModelBusy`, `ExecutorTimeout`, or `UserError` `endpoint_refused` for a
        company's endpoint that is not on the public internet any more.
        """

    def stream(self, request: Mapping[str, Any]) -> AsyncGenerator[Mapping[str, Any], None]:
        """Yields the chunks of a streamed answer as they come.

        A server that does not stream gives its whole answer as one chunk. Close it (`contextlib.aclosing`)
        to hang up before the end.
        """


class Executors(Protocol):
    """The local executor, those of the environment and those made over the API."""

    @property
    def timeout_seconds(self) -> float:
        """The seconds that a turn may wait for an executor: `SERVICE_EXECUTOR_TIMEOUT`."""

    async def offered_to(self, reader: Reader, org_id: str) -> Sequence[Executor]:
        """Returns the executors that a company's teams may use, by name; the local one first."""

    async def all(self, reader: Reader) -> Sequence[Executor]:
        """Returns the executors of every company and of the instance, for operators."""

    async def named(self, reader: Reader, org_id: str, name: str) -> Executor | None:
        """Returns an executor that is offered to a company; its own goes before one for everybody."""

    async def endpoint(
        self, reader: Reader, org_id: str, executor: Executor | str | None = None
    ) -> ModelEndpoint | None:
        """Returns the endpoint of an executor that a company may use, by id or name, or the instance's own.

        One that `named` or `offered_to` gave within the same scope is not looked up again.
        Returns None where there is no address to call: an executor that pulls, whose turns are jobs, and the
        local one without `SERVICE_MODEL_URL`. Raises `UserError` `unknown_executor`.
        """

    async def admit(self, new: NewExecutor, *, by_operator: bool) -> AdmittedExecutor:
        """Checks a new executor and its address. Not inside a scope: it may ask the name service.

        Raises `InvalidRequest`, and `UserError` `endpoint_refused`. An endpoint must be public, unless an
        operator gave it or the instance lets companies have private ones.
        """

    async def create(
        self, writer: Writer, admitted: AdmittedExecutor, made_with: Credential | None = None
    ) -> tuple[Executor, str | None]:
        """Makes an executor; returns it, and the worker token of one that pulls.

        The token is shown once, and revoked with its maker. Raises `Conflict` `name_taken` or
        `too_many_executors`, and `InvalidRequest` for a company that is not there.
        """

    async def retire(self, writer: Writer, executor_id: str) -> bool:
        """Revokes the token, forgets the key and gives held jobs back; returns False where there is none.

        Raises `Conflict` `executor_fixed` for the local one and those of the environment.
        """
