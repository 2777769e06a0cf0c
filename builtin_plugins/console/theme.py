"""A theme as CSS: every token of both modes as a custom property."""

from collections.abc import Mapping

_DARK = "dark-"


def stylesheet(theme: Mapping[str, str | int]) -> str:
    lines = [f"  {_property(name, value)};" for name, value in sorted(theme.items())]
    return ":root {\n" + "\n".join(lines) + "\n}\n"


def _property(name: str, value: str | int) -> str:
    if name == "radius":
        return f"--theme-radius: {value}px"
    return f"--{name}: {value}" if name.startswith(_DARK) else f"--light-{name}: {value}"
