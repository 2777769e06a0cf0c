"""Why a plugin was kept out, in words for its author."""

import sysconfig
import traceback

import pluggy

from kernel.faults import PluginFault

_LIBRARIES = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))


def reason_of(error: BaseException) -> str:
    """A fault in its own words; anything else with the place in the plugin where it happened."""
    if isinstance(error, PluginFault | pluggy.PluginValidationError):
        return str(error)
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return said + place_of(error)


def place_of(error: BaseException) -> str:
    """The innermost line that is nobody's library, and else the innermost."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith(("<", *_LIBRARIES))]
    for frame in reversed(own or frames):
        return f" ({frame.filename.rsplit('/', 1)[-1]}:{frame.lineno})"
    return ""
