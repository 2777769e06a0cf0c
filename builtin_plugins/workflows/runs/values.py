"""What runs compute with: their inputs and the outputs of their steps, read when something refers to them."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from builtin_plugins.workflows.runs.plans import Needs
from builtin_plugins.workflows.runs.statements import sql
from guildhall_sdk import Reader
from libs.strict_json import room_after

# What is longer is read and written on a thread.
LONG = 32 * 1024
# A call and a list of items may put together several outputs of a MiB, but not one of them a thousand times.
MAX_GIVEN = 8 * 1024 * 1024
TOO_MUCH_GIVEN = (
    "input_too_large",
    "The step would be given over 8 MiB in all: keep what is long in the repository, and give its key.",
)
# What is stored has nothing around it that `json.loads` would have to look for.
_decode = json.JSONDecoder().raw_decode


async def decoded(text: str) -> Any:
    """Reads JSON that was stored, on a thread where it is long."""
    return _decode(text)[0] if len(text) <= LONG else await asyncio.to_thread(json.loads, text)


def is_long(value: Any) -> bool:
    """Tells whether a value is long, without walking through more of it than that takes."""
    return room_after(value, LONG) <= 0


class KnownValues:
    """The inputs and outputs of some runs, as far as they are needed."""

    def __init__(self) -> None:
        self.inputs: dict[str, Mapping[str, Any]] = {}
        self.outputs: dict[str, dict[str, Mapping[str, Any]]] = {}
        self._sizes: Counter[str] = Counter()

    def are_long(self, run_id: str, needs: Needs) -> bool:
        """Tells whether computing with the values of a run takes long enough for a thread."""
        return self._sizes[run_id] * max(needs.references, 1) > LONG

    def add_input(self, run_id: str, inputs: Mapping[str, Any], size: int) -> None:
        """Adds the input of a run that need not be read any more."""
        self.inputs[run_id] = inputs
        self._sizes[run_id] += size

    async def add_stored(self, run_id: str, name: str | None, text: str) -> None:
        """Adds the output of a step, or the input of a run for None, that is known as it is stored."""
        if name is None:
            self.inputs[run_id] = await decoded(text)
        else:
            self.outputs.setdefault(run_id, {})[name] = await decoded(text)
        self._sizes[run_id] += len(text)

    async def load(self, reader: Reader, wanted: Iterable[tuple[str, Needs]]) -> None:
        """Reads what runs need, by their ids, in two statements at most."""
        wanted = list(wanted)
        ids = [run_id for run_id, needs in wanted if needs.input and run_id not in self.inputs]
        if ids:
            for row in await reader.all(sql.inputs, ids=json.dumps(ids)):
                await self.add_stored(row["id"], None, row["input"])
        pairs = [
            [run_id, name]
            for run_id, needs in wanted
            for name in sorted(needs.steps)
            if name not in self.outputs.get(run_id, ())
        ]
        if pairs:
            for row in await reader.all(sql.outputs, wanted=json.dumps(pairs)):
                if row["output"] is not None:
                    await self.add_stored(row["run_id"], row["name"], row["output"])
