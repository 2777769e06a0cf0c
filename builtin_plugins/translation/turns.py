"""Turns that translate: with the model of the role `utility`, without tools, outside every scope."""

from dataclasses import replace

from guildhall_sdk import Host, Principal
from guildhall_sdk.services.executors import ExecutorTimeout, ModelUnavailable
from guildhall_sdk.services.models import ModelFormat, ModelReply, Models, ModelTurn
from libs.model_wire import sound

#: What a turn that comes on top of another may fail with, without taking that one along.
TURN_FAILURES = (ModelFormat, ModelUnavailable, ExecutorTimeout)


class TranslationTurns:
    """Asks the model, and gives its answer as a value that fits; the simulated one translates nothing."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._models = host.service(Models)

    async def ask(self, principal: Principal, turn: ModelTurn, within: str | None) -> ModelReply:
        """Runs a metered turn; `parsed` is there unless the reply is `simulated`."""
        async with self._host.data.read() as reader:
            choice = await self._models.choose(reader, principal, role="utility")
        # Of a simulated answer nothing is used, so that nothing has to be asked of its form.
        sent = replace(turn, response_format=None) if choice.simulated else turn
        reply = await self._models.ask(principal, sent, role="utility", within=within)
        if not reply.simulated and not isinstance(reply.parsed, dict):
            raise ModelFormat("The model's answer is no translation; try again.")
        return reply


def readable(text: str) -> str:
    """What a model wrote, without what no database takes."""
    return sound(text).replace("\0", "")
