"""Numbers in a sheet as they are shown: a date is a number whose format says so."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta

from .markup import local

_BUILT_IN_MOMENTS = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_LITERAL = re.compile(r'"[^"]*"|\\.|\[[^\[\]]*+\]|_.|\*.')
_MOMENT_LETTER = re.compile("[ymdhs]", re.IGNORECASE)
_LAST_DAY = 2_958_465
_LONGEST_NUMBER = 40


class Formats:
    """Which cell formats of a workbook show a moment; reads the part that lists them."""

    def __init__(self, *, from_1904: bool) -> None:
        self.epoch = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30)
        self._own_moments: dict[str, bool] = {}
        self._by_style: list[bool] = []
        self._in_cell_formats = False

    def is_moment(self, style: str) -> bool:
        index = int(style) if style.isdecimal() and len(style) < 6 else len(self._by_style)
        return index < len(self._by_style) and self._by_style[index]

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "numFmt":
            code = _LITERAL.sub("", local(attributes, "formatCode"))
            self._own_moments[local(attributes, "numFmtId")] = bool(_MOMENT_LETTER.search(code))
        elif name == "cellXfs":
            self._in_cell_formats = True
        elif name == "xf" and self._in_cell_formats:
            number = local(attributes, "numFmtId")
            built_in = number.isdecimal() and len(number) < 6 and int(number) in _BUILT_IN_MOMENTS
            self._by_style.append(self._own_moments.get(number, built_in))

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self._in_cell_formats = False

    def text(self, text: str) -> None:
        pass


def spell_number(value: str, is_moment: bool, epoch: datetime) -> str:
    """Writes a number with the fifteen digits that a sheet counts with; what is none stays as it is."""
    if not value or len(value) > _LONGEST_NUMBER:
        return value
    try:
        number = float(value)
    except ValueError:
        return value
    if is_moment and 0 <= number <= _LAST_DAY:
        return _spell_moment(number, epoch)
    return format(number, ".15g") if number % 1 else value


def _spell_moment(number: float, epoch: datetime) -> str:
    moment = epoch + timedelta(seconds=round(number * 86_400))
    if number < 1:
        return f"{moment:%H:%M:%S}"
    return f"{moment:%Y-%m-%d}" if number % 1 == 0 else f"{moment:%Y-%m-%d %H:%M:%S}"
