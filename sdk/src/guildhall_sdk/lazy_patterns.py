"""Regular expressions that are compiled when they are first used: a long one takes milliseconds."""

import re
from typing import Any, cast


def lazy_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Returns what is used like the compiled expression, as `re.compile` gives it."""
    return cast("re.Pattern[str]", _Lazy(text, flags))


class _Lazy:
    def __init__(self, text: str, flags: int) -> None:
        self._arguments = (text, flags)

    def __getattr__(self, name: str) -> Any:
        """Looks a method up the first time; from then on it is the object's own."""
        found = getattr(re.compile(*self._arguments), name)
        setattr(self, name, found)
        return found
