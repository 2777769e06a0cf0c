"""Whom a turn acts as: whoever asked, as long as the credential that they asked with would be let in."""

from dataclasses import dataclass

from builtin_plugins.conversations.conversation import USE
from guildhall_sdk import Actor, Host, JobCall, PermissionDenied, Principal, Reader
from guildhall_sdk.services.identity import AuthorityEnded, Credentials


@dataclass(frozen=True, slots=True, eq=False)
class Acting:
    """The person and the credential of a job; `actor` is whom the trail names."""

    host: Host
    job: JobCall
    actor: Actor

    @classmethod
    async def begin(cls, job: JobCall) -> "tuple[Acting, Principal]":
        """Returns it for a job that begins, and whom it acts as. Raises `AuthorityEnded`."""
        async with job.host.data.read() as reader:
            principal = await _principal(job, reader)
        actor = Actor(principal.username, principal.user_id, principal.org_id, principal.team_id)
        return cls(job.host, job, actor), principal

    async def principal(self, reader: Reader) -> Principal:
        """Returns whom it acts as now. Raises `AuthorityEnded`, also for who may not use models any more."""
        return await _principal(self.job, reader)

    async def check(self) -> None:
        """Raises `AuthorityEnded`."""
        async with self.host.data.read() as reader:
            await _principal(self.job, reader)


async def _principal(job: JobCall, reader: Reader) -> Principal:
    principal = await job.host.service(Credentials).reauthorize(
        reader,
        user_id=job.user_id,
        team_id=job.team_id,
        scope=job.scope,
        asked_with=job.asked_with,
    )
    if not principal.may(USE):
        refusal = PermissionDenied(USE)
        raise AuthorityEnded(refusal.code, refusal.detail, refusal)
    return principal
