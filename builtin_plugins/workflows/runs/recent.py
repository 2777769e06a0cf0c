"""What runs were just given or computed here: the next step mostly begins here too, and reads no more."""

from collections import OrderedDict
from collections.abc import Iterable

_MAX_VALUES = 2_000
_MAX_LENGTH = 4_096

#: The run and the number of the step whose output it is; 0 is the input of the run.
Place = tuple[str, int]


class RecentValues:
    """The inputs and outputs that transactions of this process have committed, as JSON, until they are used.

    None of them ever changes: whoever commits one is the only one who ever will.
    """

    def __init__(self) -> None:
        self._values: OrderedDict[Place, tuple[str, str]] = OrderedDict()

    def keep(self, values: Iterable[tuple[Place, str, str]]) -> None:
        """Keeps values that are committed, each with the name of its step."""
        for place, name, text in values:
            if len(text) <= _MAX_LENGTH:
                self._values[place] = name, text
        while len(self._values) > _MAX_VALUES:
            self._values.popitem(last=False)

    def take(self, place: Place) -> tuple[str, str] | None:
        """Returns a value with the name of its step, once."""
        return self._values.pop(place, None)
