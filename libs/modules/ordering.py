"""What requires what, put in order."""

from collections.abc import Collection, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter


def in_order(requires: Mapping[str, Collection[str]]) -> tuple[Sequence[str], Mapping[str, Sequence[str]]]:
    """Returns the names so that requirements come first, ties as given; and those in a circle, each with it.

    What is required and not there is passed over.
    """
    circles: dict[str, Sequence[str]] = {}
    while True:
        rest = {name: needs for name, needs in requires.items() if name not in circles}
        try:
            return _sorted(rest), circles
        except CycleError as error:
            circles |= dict.fromkeys(error.args[1], error.args[1])


def _sorted(requires: Mapping[str, Collection[str]]) -> Sequence[str]:
    sorter = TopologicalSorter(
        {name: [need for need in needs if need in requires] for name, needs in requires.items()}
    )
    sorter.prepare()
    rank = {name: position for position, name in enumerate(requires)}
    order: list[str] = []
    ready: list[str] = []
    while sorter.is_active():
        ready = sorted([*ready, *sorter.get_ready()], key=rank.__getitem__)
        # One by one: what it lets in may be given before the others that are ready.
        order.append(ready.pop(0))
        sorter.done(order[-1])
    return order
