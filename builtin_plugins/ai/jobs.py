"""Model turns as jobs: what a pull or push executor is given, and what it must bring back."""

from guildhall_sdk import JobKind
from guildhall_sdk.schema import anything, array, integer, obj, string
from guildhall_sdk.turns import turn_fault

TURN = JobKind(
    name="ai.turn",
    doc="One turn with a model, for an executor.",
    validator=turn_fault,
    payload=obj(
        {
            "messages": array(anything(), minItems=1),
            "response_format": anything(),
            "tools": array(anything()),
            "max_tokens": integer(1),
            "model": string(),
        },
        required=["messages"],
        example={"messages": [{"role": "user", "content": "Good morning"}], "model": "some-model"},
    ),
    max_attempts=3,
    public=False,
)
