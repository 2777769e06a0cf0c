"""Whether whoever asked for a turn or an agent would still be let in: asked before each thing it does."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from guildhall_sdk import Host, JobCall, PermissionDenied, Principal, Reader
from guildhall_sdk.services.identity import AuthorityEnded, Credentials

USE = "chat:use"


@dataclass(frozen=True, slots=True, eq=False)
class Authority:
    """The person and the credential that something was asked with."""

    host: Host
    user_id: str
    team_id: str
    scope: frozenset[str] | None
    asked_with: str | None

    @classmethod
    def of(cls, host: Host, principal: Principal) -> "Authority":
        """Returns that of a caller, whether they came with the credential or a job acts for them."""
        credential = principal.credential
        return cls(host, principal.user_id, principal.team_id, credential.scope, credential.id or None)

    @classmethod
    def of_job(cls, job: JobCall) -> "Authority":
        """Returns that of whoever asked for a job."""
        return cls(job.host, job.user_id, job.team_id, job.scope, job.asked_with)

    async def principal(self, reader: Reader) -> Principal:
        """Returns whom it acts as now. Raises `AuthorityEnded`, also for who may not use models any more."""
        principal = await self._acting(reader)
        if not principal.may(USE):
            refusal = PermissionDenied(USE)
            raise AuthorityEnded(refusal.code, refusal.detail, refusal)
        return principal

    async def check(self) -> None:
        """Raises `AuthorityEnded`."""
        async with self.host.data.read() as reader:
            await self.principal(reader)

    async def begin(self) -> Principal:
        """Returns whom a job acts as that begins. Raises `AuthorityEnded` and `PermissionDenied`."""
        async with self.host.data.read() as reader:
            principal = await self._acting(reader)
        if not principal.may(USE):
            raise PermissionDenied(USE)
        return principal

    async def _acting(self, reader: Reader) -> Principal:
        return await self.host.service(Credentials).reauthorize(
            reader,
            user_id=self.user_id,
            team_id=self.team_id,
            scope=self.scope,
            asked_with=self.asked_with,
        )


@contextmanager
def refused_as_now() -> Iterator[None]:
    """Answers a caller whose credential ended meanwhile with what a new request of theirs would get."""
    try:
        yield
    except AuthorityEnded as ended:
        raise ended.problem from None
