"""A step of the wheel's build: a wheel carries the console, or is not built."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_BUILT = Path("builtin_plugins") / "console" / "dist" / "index.html"


class ConsoleIncluded(BuildHookInterface[Any]):
    """Stops the build of a wheel whose server would have no console."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Looks for the built console; an editable install does without, and builds it later."""
        if version != "editable" and not (Path(self.root) / _BUILT).is_file():
            raise SystemExit(
                f"The wheel would have no console: {_BUILT} is not there. Build it first with "
                "`make console`, which takes Node 20 and npm, and build the wheel again."
            )
