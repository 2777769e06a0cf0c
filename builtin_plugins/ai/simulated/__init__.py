"""The simulated model: deterministic, honest about being simulated, good enough to use every feature."""

from guildhall_sdk.services.models import ModelTurn
from libs.model_wire import Completion

SIMULATED = "simulated"


def simulate(turn: ModelTurn) -> Completion:
    """Answers a turn from what stands in it: nothing else is read, and the same turn gets the same answer."""
    # Imported when it is needed: a server with a model of its own is not.
    from builtin_plugins.ai.simulated.answers import answer_turn

    return answer_turn(turn)
