"""Which row is sent which hostile values: the code that refuses them is one for all rows."""

from zlib import crc32

#: One row in so many is sent a whole table.
_WHOLE = 10


def gets_all(bound):
    return crc32(bound.name.encode()) % _WHOLE == 0


def share_of(values, bound, *, one_in):
    """Returns all values for one row in ten, and for every other one a part that depends on its name."""
    if gets_all(bound):
        return list(values)
    first = crc32(bound.name.encode()) // _WHOLE % one_in
    return list(values)[first::one_in]
