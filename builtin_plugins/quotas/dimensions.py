"""What a dimension must be for it to be counted and limited."""

import re

from guildhall_sdk.hooks import Declarer
from guildhall_sdk.services.quotas import DIMENSION_KINDS, Dimension

_NAME = re.compile(r"(?=.{1,64}$)[a-z][a-z0-9_-]*(\.[a-z0-9][a-z0-9_-]*)+")


def dimension_fault(dimension: Dimension, declarer: Declarer) -> str | None:
    """Returns what is wrong with a dimension, or None."""
    if not _NAME.fullmatch(dimension.name):
        return f"the dimension {dimension.name!r} must be words with dots: coffee.cups"
    if dimension.kind not in DIMENSION_KINDS:
        return f"dimension {dimension.name}: there is no kind {dimension.kind}"
    return None
