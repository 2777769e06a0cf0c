"""Where in somebody's code an error happened."""

import sysconfig
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

# This one and those beside it too, which may lie elsewhere than what is installed.
_LIBRARIES = (
    *(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")),
    str(Path(__file__).parents[1]),
)
_DEEPEST_CAUSE = 8


def place_of(error: BaseException, is_theirs: Callable[[str], bool], ours: str) -> str:
    """Returns ` (file:line)`: the innermost line of theirs, of the error or of what caused it.

    Where there is none, it is the innermost of no library, and not below the folder `ours`; else nothing.
    """
    if isinstance(error, SyntaxError) and error.filename:
        return _place(error.filename, error.lineno)

    def in_theirs(frame: FrameType) -> bool:
        return is_theirs(str(frame.f_globals.get("__name__")))

    def in_nobodys(frame: FrameType) -> bool:
        return not frame.f_code.co_filename.startswith(("<", ours, *_LIBRARIES))

    # A timeout is raised by the clock, and caused by where their code was interrupted.
    stacks = [[*traceback.walk_tb(one.__traceback__)] for one in _causes(error)]
    for is_there in (in_theirs, in_nobodys):
        for stack in stacks:
            for frame, line in reversed(stack):
                if is_there(frame):
                    return _place(frame.f_code.co_filename, line)
    return ""


def _causes(error: BaseException) -> Iterator[BaseException]:
    found: BaseException | None = error
    for _ in range(_DEEPEST_CAUSE):
        if found is None:
            return
        yield found
        found = found.__cause__ or found.__context__


def _place(file: str, line: int | None) -> str:
    return f" ({file.rsplit('/', 1)[-1]}:{line})"
