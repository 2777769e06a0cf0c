"""Which plugin goes before which: by what they require."""

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from guildhall_sdk import Plugin


def in_order(plugins: Mapping[str, Plugin]) -> tuple[Sequence[str], Mapping[str, str]]:
    """The ids so that requirements come first, ties as given; and those in a circle, each with why."""
    circles: dict[str, str] = {}
    while True:
        rest = {name: plugin for name, plugin in plugins.items() if name not in circles}
        try:
            return _sorted(rest), circles
        except CycleError as error:
            names = list(dict.fromkeys(error.args[1]))
            circles.update(
                {name: f"requires itself in a circle: {' → '.join(error.args[1])}" for name in names}
            )


def _sorted(plugins: Mapping[str, Plugin]) -> Sequence[str]:
    sorter = TopologicalSorter(
        {name: [need for need in plugin.requires if need in plugins] for name, plugin in plugins.items()}
    )
    sorter.prepare()
    rank = {name: position for position, name in enumerate(plugins)}
    order: list[str] = []
    ready: list[str] = []
    while sorter.is_active():
        ready = sorted([*ready, *sorter.get_ready()], key=rank.__getitem__)
        # One by one: what it lets in may be given before the others that are ready.
        order.append(ready.pop(0))
        sorter.done(order[-1])
    return order
