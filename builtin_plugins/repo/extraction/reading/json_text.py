"""JSON as lines of names and values."""

import json
from typing import Any

from .refusal import ReadingRefused
from .transcript import Transcript


def write_values(text: str, transcript: Transcript) -> None:
    """Writes the values of JSON; what does not parse is text like any other."""
    try:
        # Numbers stay as they are written: they are searched for, not counted with.
        value = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError:
        transcript.write(text)
    except RecursionError:
        raise ReadingRefused("is JSON that is nested too deeply") from None
    else:
        _write(value, "", transcript)


def _write(value: Any, name: str, transcript: Transcript) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _write_inner(inner, key, transcript)
    elif isinstance(value, list):
        for inner in value:
            _write_inner(inner, name, transcript)
    elif value is not None:
        spelled = str(value).lower() if isinstance(value, bool) else value
        _write_line(f"{name}: {spelled}" if name else spelled, transcript)


def _write_inner(value: Any, name: str, transcript: Transcript) -> None:
    """Writes a name with more below it on a line of its own, to be found even over an empty list."""
    if isinstance(value, dict | list) and name:
        _write_line(name, transcript)
        name = ""
    _write(value, name, transcript)


def _write_line(line: str, transcript: Transcript) -> None:
    transcript.separate("\n")
    transcript.write(line)
