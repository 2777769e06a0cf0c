"""Which row is sent which hostile values: the code that refuses them is one for all rows."""

from zlib import crc32

#: One row in so many is sent a whole table.
_WHOLE = 10
#: Of the others, so many of ten are sent something in the suite.
_SOME = 3


def gets_all(bound):
    return crc32(bound.name.encode()) % _WHOLE == 0


def is_sampled(bound):
    """Tells whether the suite tries a row with what never comes to its handler."""
    return gets_all(bound) or crc32(bound.name.encode()) // 100 % 10 < _SOME


def share_of(values, bound, *, one_in):
    """Returns all values for one row in ten, and for every other one a part that depends on its name."""
    if gets_all(bound):
        return list(values)
    first = crc32(bound.name.encode()) // _WHOLE % one_in
    return list(values)[first::one_in]
