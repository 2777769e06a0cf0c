"""Turns of a model behind an OpenAI-compatible endpoint that this machine can reach."""

from typing import Any

from guildhall_sdk import RemoteCall
from kernel.worker.kinds import Runnable

TURN_SECONDS = 600
"""The server may wait for less; whoever asked has gone then, and the result is for nobody."""


def model_turns(url: str, key: str | None) -> Runnable:
    """The endpoint is this machine's own choice: it may be anywhere, and is asked without a guard."""
    import httpx

    trust = httpx.create_ssl_context()  # slow to make, and the same for every turn

    async def turn(call: RemoteCall) -> Any:
        from kernel.executors.turns import run_turn

        async with httpx.AsyncClient(verify=trust, timeout=TURN_SECONDS) as client:
            return await run_turn(client, url, key, call.payload, timeout_seconds=TURN_SECONDS)

    return Runnable(turn, TURN_SECONDS + 30)
