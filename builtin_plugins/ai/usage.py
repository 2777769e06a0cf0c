"""The book of who used which model with what credential; its sums are those of the quota ledger."""

from pathlib import Path

from guildhall_sdk import Clock, Principal, Writer, load_queries

sql = load_queries(Path(__file__).with_name("queries.sql"))

HOUR_MS = 3_600_000


class UsageBook:
    """Adds up by the hour."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def add(
        self, writer: Writer, principal: Principal, model: str, *, requests: int, tokens: int
    ) -> None:
        """Adds to the caller's line, in the transaction that counts the same in the quotas."""
        credential = principal.credential
        now = self._clock.now_ms()
        await writer.run(
            sql.add_usage,
            team_id=principal.team_id,
            hour=now - now % HOUR_MS,
            user_id=principal.user_id,
            model=model,
            credential=credential.id if credential.kind == "api" else credential.kind,
            requests=requests,
            tokens=tokens,
        )
