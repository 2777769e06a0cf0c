"""Texts and numbers that fit a shape, the plainest first."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

from builtin_plugins.ai.simulated.conformance import is_multiple, value_key
from builtin_plugins.ai.simulated.shapes import Shape

MAX_TEXT = 64 * 1024
_TRIES = 64


def fitted_text(shape: Shape, text: str) -> str | None:
    """Returns the text, cut where it is too long; None where it cannot fit."""
    if len(text) > shape.max_length:
        text = text[: int(shape.max_length)].rstrip()
    return text if len(text) >= shape.min_length and not _is_excluded(shape, text) else None


def plain_text(shape: Shape) -> str | None:
    """Returns any text that fits, for want of a better one."""
    if shape.min_length > min(shape.max_length, MAX_TEXT):
        return None
    tried = islice(_texts(shape.min_length), _TRIES + len(shape.excluded))
    return next(
        (text for text in tried if len(text) <= shape.max_length and not _is_excluded(shape, text)), None
    )


def _texts(length: int) -> Iterator[str]:
    if length == 0:
        yield ""
    yield "unknown".ljust(length, ".")
    for number in range(1, 100_000):
        yield chr(0x60 + number % 0x7FFF).ljust(length, ".")
        yield str(number).rjust(length, "0")


def fits_number(shape: Shape, number: float) -> bool:
    """Returns whether a number is within the bounds and among the multiples."""
    if not _is_finite(number) or ("integer" if isinstance(number, int) else "float") not in shape.types:
        return False
    above = number > shape.low if shape.low_open else number >= shape.low
    below = number < shape.high if shape.high_open else number <= shape.high
    return (
        above
        and below
        and all(is_multiple(number, of) for of in shape.multiples)
        and not any(is_multiple(number, of) for of in shape.no_multiples)
        and not _is_excluded(shape, number)
    )


def plain_integer(shape: Shape) -> int | None:
    """Returns the whole number nearest to nothing that fits."""
    step = math.lcm(1, *(_fraction(of).numerator for of in shape.multiples))
    low = shape.low if _is_finite(shape.low) else min(0, shape.high)
    start = max(0, low) if low <= 0 <= shape.high or low > 0 else shape.high
    start = start if _is_finite(start) else 0
    upwards = shape.high > start or start == low
    first = math.ceil(Fraction(start) / step) if upwards else math.floor(Fraction(start) / step)
    tries = _TRIES + len(shape.excluded)
    for away in range(tries):
        for count in {first + away: 0, first - away: 0}:
            if fits_number(shape, count * step):
                return count * step
    return None


def plain_float(shape: Shape) -> float | None:
    """Returns a number that fits, written with a fraction."""
    tries = islice(_floats(shape), 4 * (_TRIES + len(shape.excluded)))
    return next((number for number in tries if fits_number(shape, number)), None)


def _floats(shape: Shape) -> Iterator[float]:
    low = float(shape.low) if _is_finite(shape.low) else None
    high = float(shape.high) if _is_finite(shape.high) else None
    if shape.multiples:
        step = _common_step(shape)
        first = Fraction(low or 0.0) / step if low is not None else Fraction(min(high or 0.0, 0.0)) / step
        for away in range(10_000):
            yield _as_float((math.ceil(first) + away) * step)
            yield _as_float((math.floor(first) - away) * step)
    for number in range(1, 10_000):
        part = 1 - 1 / (number + 1)
        if low is not None and high is not None:
            yield low + (high - low) * part
            yield low / 2 + high / 2 + number
        elif high is not None:
            yield high - number / 2
            yield high - number / 7
        else:
            yield (low or 0.0) + number / 2
            yield (low or 0.0) + number / 7
        yield from (one for one in (low, high) if one is not None)
        if low is not None:
            yield math.nextafter(low, math.inf)


def _common_step(shape: Shape) -> Fraction:
    parts = [_fraction(of) for of in shape.multiples]
    return Fraction(
        math.lcm(*(part.numerator for part in parts)), math.gcd(*(part.denominator for part in parts))
    )


def _fraction(number: float) -> Fraction:
    """Returns a float as it is written: 0.1 is a tenth."""
    return Fraction(str(number)) if isinstance(number, float) else Fraction(number)


def _is_finite(number: float) -> bool:
    """Returns whether the number is one that a float can be: a whole one may be too large."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def _as_float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _is_excluded(shape: Shape, value: object) -> bool:
    return bool(shape.excluded) and value_key(value) in {value_key(one) for one in shape.excluded}
